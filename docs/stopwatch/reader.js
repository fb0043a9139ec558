// SPDX-License-Identifier: MIT
// Reads a few lines of a host's C or C++: declarations, loops, calls, launches, arithmetic. Returns a tree, of which each
// node has `is` and its line; run.js runs it. What it does not understand it names, with the line.
"use strict";

class Unknown extends Error {
  constructor(text, line) {
    super(text);
    this.line = line;
  }
}

// ---- C++'s clocks, templates and namespaces, written as plain calls: each line stays where it is ----

const PERIODS = "nano|micro|milli|nanoseconds|microseconds|milliseconds|seconds";
function plain(text) {
  const blank = (found) => found.replace(/[^\n]/g, " ");
  return text
    .replace(/"(?:\\.|[^"\\\n])*"|\/\/.*|\/\*[^]*?\*\//g, (found) => (found[0] === '"' ? found : blank(found)))
    .replace(/^[ \t]*#define\s+(\w+)\s+([\w.()*+<\/ -]+)$/gm, "const auto $1 = $2;")
    .replace(/^[ \t]*#(?:.*\\\n)*.*$/gm, blank)
    .replace(/^\s*using\b[^;]*;/gm, blank)
    .replace(/\b(?:at|c10|torch)::cuda::|\bstd::|\bchrono::/g, "")
    .replace(/(\.\w+)<[\w\s]*>\(/g, "$1(")
    .replace(/\b\w*(?:_clock|[Cc]lock)::now\(\)/g, "chrono_now()")
    .replace(/\b\w*(?:_clock|[Cc]lock)::time_point\b/g, "auto")
    .replace(/\bduration_cast<\s*(\w+)\s*>\s*\(/g, "cast_$1(")
    .replace(/\bduration<\s*\w+\s*>/g, "duration<double, seconds>")
    .replace(new RegExp(`\\bduration<\\s*\\w+\\s*,\\s*(${PERIODS})\\s*>\\s*\\(`, "g"), "to_$1(")
    .replace(new RegExp(`\\bduration<\\s*\\w+\\s*,\\s*(${PERIODS})\\s*>\\s+(\\w+)\\s*(?:=\\s*([^;]*)|\\(([^;]*)\\));`, "g"),
      (all, period, name, value, inside) => `double ${name} = to_${period}(${value ?? inside});`)
    .replace(/\bthis_thread::sleep_for\s*\(\s*(\w+)\s*\(/g, "sleep_for(sleep_$1(")
    .replace(/\b(?:vector|unique_ptr|shared_ptr)<[^;()]*?>(?=[\s(])/g, "list ")
    .replace(/\bnew\s+\w+\s*(\[)?/g, (all, bracket) => (bracket ? "malloc [" : "malloc "))
    .replace(/\b(?:static|reinterpret)_cast<[^>]*>/g, "")
    .replace(/(\w)<[\w\s,:]*>(\s*<<<)/g, "$1$2");
}

// Of a whole program the lines in main(), and the constants before it.
function hostLines(text) {
  const found = /\bint\s+main\s*\([^)]*\)\s*(?:try\s*)?\{/.exec(text);
  if (!found) return text;
  const begin = found.index + found[0].length;
  let end = begin;
  for (let depth = 1; end < text.length && depth > 0; end++) depth += text[end] === "{" ? 1 : text[end] === "}" ? -1 : 0;
  const constants = text.slice(0, found.index).match(/^(?:#define\s+\w+\s+[\w.()*+<\/ -]+|(?:static )?const(?:expr)?\s.*=.*;.*)$/gm) ?? [], inside = text.slice(begin, end - 1).split("\n");
  const indent = Math.min(...inside.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)[0].length));
  return [...constants, ...inside.map((line) => line.slice(indent))].join("\n");
}

function tokens(text) {
  const found = [];
  const pattern = /\s+|("(?:\\.|[^"\\])*")|('(?:\\.|[^'\\])')|(0x[\da-fA-F]+|\d[\d']*\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[fFuUlLzZ]*|([A-Za-z_]\w*)|(<<<|>>>|<<|>>|->|::|\+\+|--|[-+*/<>=!%]=|&&|\|\||.)/gs;
  let line = 1;
  for (const [all, quoted, letter, digits, name, sign] of text.matchAll(pattern)) {
    const type = quoted ? "text" : letter || digits ? "number" : name ? "name" : sign;
    if (type) found.push({ type, text: quoted ?? letter ?? digits ?? name ?? sign, line });
    line += all.split("\n").length - 1;
  }
  found.push({ type: "end", text: say("the end", "结尾"), line });
  return found;
}

const TYPES = new Set(`const constexpr static unsigned signed int long short float double auto bool char void size_t list struct
  timespec timeval clock_t dim3 string cudaEvent_t cudaStream_t cudaError_t cudaDeviceProp CUDAEvent volatile int64_t uint64_t int32_t
  uint32_t uint8_t time_t`.split(/\s+/));
const LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];

class Reader {
  constructor(text) {
    this.all = tokens(plain(text));
    this.at = 0;
  }
  get now() { return this.all[this.at]; }
  next(by = 1) { return this.all[Math.min(this.at + by, this.all.length - 1)]; }
  is(text) { return this.now.text === text && this.now.type !== "text"; }
  take(text) { return this.is(text) ? this.all[this.at++] : null; }
  need(text) {
    if (this.is(text)) return this.all[this.at++];
    const last = this.all[Math.max(0, this.at - 1)], before = this.now.line > last.line ? last : this.now;
    if (text === ";" && this.is("{"))
      throw new Unknown(say("a function: write its lines where it is called", "这是函数：请把其中的行写在调用处"), this.now.line);
    if (text === ";" && !this.all.some((each) => each.text === ";"))
      throw new Unknown(say("this page reads C and C++, not Python: with start and stop = torch.cuda.Event(enable_timing=True), write start.record() and stop.record() around the call, then stop.synchronize(); start.elapsed_time(stop) gives ms",
        "本页读 C 和 C++，不读 Python：用 torch.cuda.Event(enable_timing=True) 创建 start 和 stop，在调用前后写 start.record() 和 stop.record()，再 stop.synchronize()；start.elapsed_time(stop) 给出 ms"), before.line);
    if (this.now.line > last.line || this.now.type === "end")
      throw new Unknown(say(`'${text}' is missing at the end`, `末尾缺少 '${text}'`), before.line);
    throw new Unknown(say(`'${this.now.text}' is not understood here`, `这里的 '${this.now.text}' 读不懂`), this.now.line);
  }
  name() {
    if (this.now.type === "name") return this.all[this.at++].text;
    throw new Unknown(say(`a name is missing before '${this.now.text}'`, `'${this.now.text}' 前缺少名称`), this.now.line);
  }
  statement() {
    const { line } = this.now;
    if (this.now.type === "name" && /^__(global|device|host)__$/.test(this.now.text))
      throw new Unknown(say("a kernel: paste only the host's lines; simulator/simcc runs whole programs",
        "这是核函数：请只粘贴主机代码；整个程序请用 simulator/simcc 运行"), line);
    if (this.take(";")) return { is: "block", body: [], line };
    if (this.take("{")) {
      const body = [];
      while (!this.take("}")) {
        if (this.now.type === "end") throw new Unknown(say("this '{' has no '}'", "这个 '{' 没有 '}'"), line);
        body.push(this.statement());
      }
      return { is: "block", body, line };
    }
    if (this.take("for")) {
      this.need("(");
      const ofList = this.all.slice(this.at, this.at + 5).findIndex((each) => each.type === ":");
      if (ofList > 0) { // for (auto &x : list): the host's own work, which takes no time
        while (!this.take(")")) this.at++;
        if (!isTimed(this.statement())) return { is: "block", body: [], line };
        throw new Unknown(say("a loop over a list: write for (int i = 0; ...)", "遍历列表的循环：请写成 for (int i = 0; ...)"), line);
      }
      const first = this.is(";") ? null : this.declarationOrExpression();
      this.need(";");
      const test = this.is(";") ? null : this.expression();
      this.need(";");
      const step = this.is(")") ? null : this.expression();
      this.need(")");
      return { is: "loop", first, test, step, body: this.statement(), line };
    }
    if (this.take("do")) {
      const body = this.statement();
      this.need("while");
      this.need("(");
      const test = this.expression();
      this.need(")");
      return { is: "block", body: [body, { is: "loop", test, body, line }], line };
    }
    if (this.is("while") || this.is("if")) {
      const word = this.all[this.at++].text;
      this.need("(");
      const test = this.expression();
      this.need(")");
      const body = this.statement();
      return word === "while" ? { is: "loop", test, body, line }
        : { is: "if", test, body, otherwise: this.take("else") ? this.statement() : null, line };
    }
    if (this.take("delete")) {
      while (!this.take(";")) this.at++;
      return { is: "block", body: [], line };
    }
    if (this.take("return")) {
      if (!this.is(";")) this.expression();
      this.need(";");
      return { is: "return", line };
    }
    const made = this.declarationOrExpression();
    if (!(made.is === "list" && made.braced)) this.need(";");
    return { is: "expression", made, line };
  }
  declarationOrExpression() {
    const { line } = this.now, second = this.next();
    const isNamed = this.now.type === "name" && (second.type === "name" || (second.text === "*" && this.next(2).type === "name" && "=;,".includes(this.next(3).text)));
    if (this.now.type !== "name" || !(isNamed || (TYPES.has(this.now.text) && second.text !== "("))) return this.expression();
    let type = this.all[this.at++].text;
    while (this.now.type === "name" && (TYPES.has(this.now.text) || this.next().type === "name" || this.next().text === "*"))
      type += " " + this.all[this.at++].text;
    const parts = [];
    do {
      let isPointer = false;
      while (this.take("*") || this.take("&")) isPointer = true;
      const name = { is: "name", name: this.name(), line }, part = { is: "declare", name, type, isPointer, line, from: null };
      while (this.take("[")) {
        part.isList = true;
        if (!this.is("]")) this.expression();
        this.need("]");
      }
      if (this.take("=")) part.from = this.is("{") ? this.braces() : this.assignment();
      else if (this.take("(")) part.made = this.arguments(")");
      else if (this.is("{")) part.made = this.braces().parts;
      parts.push(part);
    } while (this.take(","));
    return { is: "list", parts, line };
  }
  braces() {
    const { line } = this.need("{");
    return { is: "list", parts: this.arguments("}"), line };
  }
  expression() {
    const parts = [this.assignment()];
    while (this.take(",")) parts.push(this.assignment());
    return parts.length > 1 ? { is: "list", parts, line: parts[0].line } : parts[0];
  }
  assignment() {
    const to = this.binary(0), { line } = this.now;
    for (const sign of ["=", "+=", "-=", "*=", "/=", "%="])
      if (this.take(sign)) return { is: "assign", to, sign, from: this.assignment(), line };
    if (!this.take("?")) return to;
    const yes = this.assignment();
    this.need(":");
    return { is: "choose", test: to, yes, no: this.assignment(), line };
  }
  binary(level) {
    if (level === LEVELS.length) return this.unary();
    let left = this.binary(level + 1);
    for (;;) {
      const sign = LEVELS[level].find((s) => this.is(s));
      if (!sign) return left;
      const { line } = this.need(sign);
      left = { is: "binary", sign, left, right: this.binary(level + 1), line };
    }
  }
  unary() {
    const { line } = this.now;
    for (const sign of ["-", "!", "&", "*", "++", "--", "~", "+"])
      if (this.take(sign)) return { is: "unary", sign, of: this.unary(), line };
    if (this.is("(") && TYPES.has(this.next().text)) { // a cast, (float)x
      while (!this.take(")")) this.at++;
      return this.unary();
    }
    return this.postfix();
  }
  postfix() {
    const token = this.all[this.at++], { line } = token;
    let made;
    if (token.type === "number") made = { is: "number", value: Number(token.text.replace(/'/g, "")) || 0, line };
    else if (token.type === "text") {
      made = { is: "text", value: token.text.slice(1, -1), line };
      while (this.now.type === "text") made.value += this.all[this.at++].text.slice(1, -1);
    } else if (token.text === "sizeof") { // of a type or a variable: a float has 4 bytes
      const inside = this.take("(") ? this.arguments(")") : [this.unary()];
      made = { is: "number", value: /double|long|size_t/.test(inside.map((each) => each.name).join()) ? 8 : 4, line };
    } else if (token.type === "name") {
      made = { is: "name", name: token.text, line };
      while (TYPES.has(token.text) && this.now.type === "name") made.name += " " + this.all[this.at++].text;
    } else if (token.text === "(") {
      made = this.expression();
      this.need(")");
    } else if (token.text === "{") {
      this.at--;
      made = this.braces();
    } else if (token.text === "[") throw new Unknown(say("a lambda: write its lines where it is called", "这是 lambda：请把其中的行写在调用处"), line);
    else throw new Unknown(say(`'${token.text}' is not understood here`, `这里的 '${token.text}' 读不懂`), line);
    for (;;) {
      if (this.is("::")) throw new Unknown(say(`'${made.name}::' is not known on this page`, `本页不认识 '${made.name}::'`), line);
      if (this.take("<<<")) {
        const shape = this.arguments(">>>");
        this.need("(");
        made = { is: "launch", name: made.name, shape, arguments: this.arguments(")"), line };
      } else if (this.take("(")) made = { is: "call", name: made.name, of: made.of, arguments: this.arguments(")"), line };
      else if (this.take("[")) {
        made = { is: "index", of: made, index: this.expression(), line };
        this.need("]");
      } else if (this.take("->") || this.take(".")) made = { is: "member", of: made, name: this.name(), line };
      else if (this.is("++") || this.is("--")) made = { is: "after", sign: this.all[this.at++].text, of: made, line };
      else return made;
    }
  }
  arguments(end) {
    const found = [];
    while (!this.take(end)) {
      while (this.is("*")) this.at++; // sizeof(float *), (void **)
      if (!this.is(end)) found.push(this.assignment());
      if (!this.is(end) && !this.is("*")) this.need(",");
    }
    return found;
  }
}
