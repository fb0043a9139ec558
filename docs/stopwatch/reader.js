// SPDX-License-Identifier: MIT
// Reads a program, or some lines of one, in the small part of C++ whose grammar README.md has. It takes in every
// character: tokens, then the preprocessor's lines and macros, then a tree, of which each node has `is` and its line.
// run.js runs it. What is not understood stops there, with its line, if the program comes to it.
"use strict";

class Unknown extends Error {
  constructor(text, line) {
    super(text);
    this.line = line;
  }
}

// ---- Tokens and macros ----

const TOKEN = new RegExp(["(?<blank>(?:[^\\S\\n]|\\\\\\r?\\n|\\/\\/(?:\\\\\\n|[^\\n])*|\\/\\*[^]*?\\*\\/)+)",
  "(?<row>\\n)",
  '(?<raw>R"\\(([^]*?)\\)")', '(?<text>(?:u8|[uUL])?"(?:\\\\.|[^"\\\\\\n])*")',
  "(?<letter>'(?:\\\\.[0-7]*|[^'\\\\\\n])')",
  "(?<number>(?:0[xX][\\da-fA-F']+|0[bB][01']+|" +
    "(?:\\d[\\d']*\\.?[\\d']*|\\.\\d[\\d']*)(?:[eE][-+]?\\d+)?)(?:[a-zA-Z]\\w*)?)",
  "(?<name>[A-Za-z_]\\w*)",
  "(?<sign><<<|>>>|<<=|>>=|<<|>>|->|::|\\+\\+|--|\\.\\.\\.|##|[-+*/<>=!%&|^]=|&&|\\|\\||.)"
].join("|"), "gsu");

function tokensOf(text) {
  const found = [];
  let line = 1;
  for (const { 0: all, index, groups } of text.matchAll(TOKEN)) {
    const type = Object.keys(groups).find((name) => groups[name] !== undefined);
    if (type === "raw") found.push({ type: "text", text: JSON.stringify(all.slice(3, -2)), line, from: index, to: index
        + all.length });
    else if (type !== "blank") found.push({ type, text: all, line, from: index, to: index + all.length });
    line += all.split("\n").length - 1;
  }
  return found;
}

// What stands behind the preprocessor: without directives, with macros expanded.
class Preprocessor {
  constructor(text) {
    this.macros = new Map([
      ["__CUDACC__", "1"],
      ["__NVCC__", "1"],
      ["__cplusplus", "201703"],
      ["CUDART_VERSION", "13000"],
      ["__linux__", "1"],
      ["__FILE__", '"stopwatch.cu"'],
      ["__func__", '"main"'],
      ["__FUNCTION__", '"main"'],
      ["checkCudaErrors", "(x) simcc_checked(x)"],
      ["getLastCudaError", "(x) simcc_checked(cudaGetLastError())"]
    ].map(([name, value]) => [name, this.macroOf(tokensOf(value), value[0] === "(")]));
    this.tokens = [];
    const all = tokensOf(text),
      kept = [],
      on = []; // of each #if: is this branch read, was one of them read?
    for (let i = 0; i < all.length; i++) {
      if (all[i].text === "#" && (i === 0 || all[i - 1].type === "row")) {
        let end = i;
        while (end < all.length && all[end].type !== "row") end++;
        this.tokens.push(...this.expanded(kept.splice(0))); // a macro holds from its line on
        this.directive(all.slice(i + 1, end), all[i].line, on);
        i = end;
      } else if (on.every((each) => each.now) && all[i].type !== "row") kept.push(all[i]);
    }
    this.tokens.push(...this.expanded(kept));
  }
  macroOf(body, isCall) {
    if (!isCall) return { body };
    const close = body.findIndex((each) => each.text === ")");
    return { parameters: body.slice(1, close).filter((each) => each.text !== ",").map((each) => each.text),
      body: body.slice(close + 1) };
  }
  directive([what, ...rest], line, on) {
    const word = what ? what.text : "",
      isRead = on.every((each) => each.now),
      top = on[on.length - 1];
    const holds = () => (word === "ifdef" ? this.macros.has(rest[0].text) : word === "ifndef" ? !this.macros.has(
      rest[0].text) : this.isTrue(rest, line));
    if (/^(if|ifdef|ifndef)$/.test(word)) {
      const now = isRead && holds();
      on.push({ now, was: now || !isRead });
    } else if (word === "elif" && top) {
      top.now = !top.was && this.isTrue(rest, line);
      top.was ||= top.now;
    } else if (word === "else" && top) {
      top.now = !top.was;
      top.was = true;
    } else if (word === "endif" && top) on.pop();
    else if (!isRead || word === "" || word === "include" || (word === "pragma" && /^(once|unroll|nv_\w*|GCC|clang)$/
        .test(rest[0] ? rest[0].text : ""))) return;
    else if (word === "define" && rest.length) {
      if (/PER_THREAD/.test(rest[0].text)) throw new Unknown(say(`'${rest[0].text}' is not in the page's model`,
        `本页的模型没有 '${rest[0].text}'`), line);
      this.macros.set(rest[0].text, this.macroOf(rest.slice(1), rest.length > 1 && rest[1].text === "(" && rest[1]
        .from === rest[0].to));
    } else if (word === "undef" && rest.length) this.macros.delete(rest[0].text);
    else throw new Unknown(say(`'#${word}' is not understood`, `读不懂 '#${word}'`), line);
  }
  isTrue(tokens, line) {
    const plain = [];
    for (let i = 0; i < tokens.length; i++) {
      if (tokens[i].text !== "defined") plain.push(tokens[i]);
      else {
        const name = tokens[i + 1].text === "(" ? tokens[(i += 3) - 1] : tokens[++i];
        plain.push({ ...name, type: "number", text: this.macros.has(name.text) ? "1" : "0" });
      }
    }
    const text = this.expanded(plain).map((each) => (each.type === "name" ? "0" : each.text.replace(/[uUlL]+$/, "")))
      .join(" ");
    if (!/^[\d\s()!&|<>=+*\/%-]+$/.test(text)) throw new Unknown(say("this condition is not understood", "这个条件读不懂"),
      line);
    return !!Function(`return ${text}`)();
  }
  expanded(tokens, inside = []) {
    const made = [];
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i],
        macro = token.type === "name" && !inside.includes(token.text) && this.macros.get(token.text);
      if (token.text === "__LINE__") made.push({ ...token, type: "number", text: String(token.line) });
      else if (!macro || (macro.parameters && (tokens[i + 1] ?? {}).text !== "(")) made.push(token);
      else {
        let given = {};
        const { from } = token;
        if (macro.parameters) {
          const parts = [
            []
          ];
          let depth = 0;
          for (i++;; i++) {
            if (!tokens[i]) throw new Unknown(say(`'${token.text}(' has no ')'`, `'${token.text}(' 没有 ')'`), token
              .line);
            const { text, type } = tokens[i], isSign = type === "sign";
            if (isSign && (text === ")" || text === "]" || text === "}") && --depth === 0) break;
            if (isSign && text === "," && depth === 1 && (macro.parameters[parts.length - 1] ?? "...") !== "...")
              parts.push([]);
            else if (isSign && text === "," && depth === 1 && macro.parameters[macro.parameters.length - 1] !== "...") {
              throw new Unknown(say(`too many arguments of '${token.text}'`, `'${token.text}' 的参数太多`), token.line);
            } else if (depth > 0) parts[parts.length - 1].push(tokens[i]);
            if (isSign && (text === "(" || text === "[" || text === "{")) depth++;
          }
          given = Object.fromEntries(macro.parameters.map((name, k) => [name === "..." ? "__VA_ARGS__" : name, parts[
            k] ?? []]));
        }
        const body = [];
        macro.body.forEach((each, k) => {
          const last = macro.body[k - 1] ?? {},
            at = { ...each, line: token.line, from, to: tokens[i].to };
          if (each.text === "##" || each.text === "#") return;
          if (last.text === "##") {
            const part = given[each.text] ?? [each],
              left = body.pop();
            body.push(...(left ? [{ ...left, text: left.text + part.map((p) => p.text).join(""), type: left
                .type }
            ] : part));
          } else if (last.text === "#") body.push({ ...at, type: "text", text: JSON.stringify(given[each.text]
              .map((p) => p.text).join(" ")) });
          else if (each.type === "name" && given[each.text]) body.push(...((macro.body[k + 1] ?? {}).text ===
            "##" ? given[each.text] : this.expanded(given[each.text], inside)).map((p) => ({ ...p,
            line: token.line, from, to: tokens[i].to })));
          else body.push(at);
        });
        made.push(...this.expanded(body, [...inside, token.text]));
      }
    }
    return made;
  }
}

// ---- Types: a letter, the bytes ----

const NUMBERS = {
  bool: ["b", 1],
  char: ["c", 1],
  "signed char": ["c", 1],
  "unsigned char": ["C", 1],
  short: ["s", 2],
  "unsigned short": ["S", 2],
  int: ["i", 4],
  "unsigned int": ["u", 4],
  long: ["l", 8],
  "unsigned long": ["L", 8],
  float: ["f", 4],
  double: ["d", 8],
  int8_t: ["c", 1],
  uint8_t: ["C", 1],
  int16_t: ["s", 2],
  uint16_t: ["S", 2],
  int32_t: ["i", 4],
  uint32_t: ["u", 4],
  int64_t: ["l", 8],
  uint64_t: ["L", 8],
  size_t: ["L", 8],
  ptrdiff_t: ["l", 8],
  ssize_t: ["l", 8],
  uint: ["u", 4],
  uchar: ["C", 1],
  clock_t: ["l", 8],
  time_t: ["l", 8],
  cudaError_t: ["i", 4],
  useconds_t: ["u", 4],
  intptr_t: ["l", 8],
  uintptr_t: ["L", 8]
};
const ROOMS = {
  void: 1,
  dim3: 12,
  timespec: 16,
  timeval: 16,
  cudaEvent_t: 8,
  cudaStream_t: 8,
  auto: 0,
  string: 32,
  cudaDeviceProp: 1000,
  StopWatchInterface: 24,
  high_resolution_clock: 1,
  steady_clock: 1,
  system_clock: 1,
  nano: 1,
  micro: 1,
  milli: 1,
  ratio: 1,
  nanoseconds: 8,
  microseconds: 8,
  milliseconds: 8,
  seconds: 8
};
for (const [name, bytes] of [
    ["char", 1],
    ["uchar", 1],
    ["short", 2],
    ["int", 4],
    ["uint", 4],
    ["float", 4],
    ["double", 8]
  ])
  for (const n of [2, 3, 4]) ROOMS[name + n] = n * bytes;
const WITH_ARGUMENTS = {
  vector: 24,
  array: 0,
  duration: 8,
  time_point: 8,
  unique_ptr: 8,
  pair: 0,
  duration_cast: 0,
  static_cast: 0,
  reinterpret_cast: 0,
  const_cast: 0,
  min: 0,
  max: 0,
  make_unique: 0,
  function: 32,
  numeric_limits: 0
};
const QUALIFIERS = new RegExp(
  "^(const|constexpr|static|inline|volatile|extern|unsigned|signed|long|short|int|char|double|struct|" +
  "enum|typename|register|mutable|constinit|explicit|virtual|thread_local|" +
  "__restrict__|__host__|__device__|__forceinline__)$");
const LEVELS = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", ">", "<=", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"]
];
const ASSIGNS = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];
const NOTHING = { type: "end", text: "", line: 0 };

// Each statement of a block knows the block; whoever walks down the tree does not see it.
function adopted(block) {
  for (const each of block.body) Object.defineProperty(each, "parent", { value: block, configurable: true });
  return block;
}

class Reader {
  constructor(text) {
    // std:: and the like say nothing that this page would not know
    this.all = new Preprocessor(text).tokens.filter((each, i, all) => !((
        /^(std|chrono|this_thread|chrono_literals|literals)$/.test(each.text) && (all[i + 1] ?? {}).text === "::"
        )
      || (each.text === "::" && (!all[i - 1] || /^(std|chrono|this_thread|literals)$/.test(all[i - 1].text) || (
        all[i - 1].type === "sign" && all[i - 1].text !== ">")))));
    this.text = text;
    this.at = 0;
    this.types = new Map(); // a name: what it stands for, a struct, or a parameter of a template
    this.templates = new Set();
    this.spaces = new Set(); // namespaces
    this.kernels = new Map();
    this.hidden = new Set(); // types' names that a variable has
    this.unread = new Map(); // a name: what was not understood where it was declared
    this.end = { ...NOTHING, line: this.all.length ? this.all[this.all.length - 1].line : 1 };
  }
  get now() { return this.all[this.at] ?? this.end; }
  next(by = 1) { return this.all[this.at + by] ?? this.end; }
  is(text) { return this.now.text === text && this.now.type !== "text"; }
  take(text) { return this.is(text) ? this.all[this.at++] : null; }
  need(text) {
    if (this.is(text)) return this.all[this.at++];
    if (text === ">" && this.is(">>")) { // of two templates
      this.all.splice(this.at, 1, { ...this.now, text: ">" }, { ...this.now, text: ">" });
      return this.all[this.at++];
    }
    const last = this.all[this.at - 1] ?? this.now;
    if (text === ";" && !this.all.some((each) => each.text === ";"))
      throw new Unknown(say(
        "this page reads C and C++, not Python: with start and stop = torch.cuda.Event(enable_timing=True), write " +
          "start.record() and stop.record() around the call, then stop.synchronize(); start.elapsed_time(stop) " +
            "gives ms",
        "本页读 C 和 C++，不读 Python：用 torch.cuda.Event(enable_timing=True) 创建 start 和 stop，在调用前后写 start.record() 和 " +
          "stop.record()，再 stop.synchronize()；start.elapsed_time(stop) 给出 ms"
        ), last.line);
    if (this.now.line > last.line || this.now.type === "end") throw new Unknown(say(
      `'${text}' is missing at the end`, `末尾缺少 '${text}'`), last.line);
    throw this.strange();
  }
  strange(token = this.now) {
    return new Unknown(token.type === "end" ? say("the lines end here, in the middle", "这些行到此中断") : say(
      `'${token.text}' is not understood here`, `这里的 '${token.text}' 读不懂`), token.line);
  }
  name(isVariable) {
    if (this.now.type !== "name") throw this.strange();
    if (isVariable && (this.now.text in ROOMS || this.now.text in NUMBERS)) this.hidden.add(this.now.text);
    return this.all[this.at++].text;
  }
  // Behind the bracket that stands here, and the one that belongs to it.
  skip() {
    const first = this.now;
    for (let depth = 0;; this.at++) {
      if (this.now.type === "end") throw new Unknown(say(`this '${first.text}' is not closed`,
        `这个 '${first.text}' 没有闭合`), first.line);
      if (this.now.type === "sign") depth += /^[([{]$/.test(this.now.text) ? 1 : /^[)\]}]$/.test(this.now.text) ? -1
        : 0;
      if (depth === 0) return this.at++;
    }
  }
  // Behind `<...>`, if that stands here: index of its end, or -1.
  angleEnd(i = this.at) {
    if ((this.all[i] ?? this.end).text !== "<") return -1;
    for (let depth = 0; i < this.all.length; i++) {
      const { text, type } = this.all[i];
      depth += text === "<" ? 1 : text === ">" ? -1 : text === ">>" ? -2 : 0;
      if (depth <= 0) return i;
      if (type === "text" || /^([;{}]|&&|\|\||<<<)$/.test(text)) return -1;
    }
    return -1;
  }

  // ---- Types ----

  isType(by = 0) {
    const { type, text } = this.next(by);
    if (type !== "name" || this.hidden.has(text)) return false;
    if (QUALIFIERS.test(text) || text in NUMBERS || text in ROOMS || this.types.has(text)) return this.next(by + 1)
      .text !== "::" || !/^(now|zero|max|min)$/.test(this.next(by + 2).text);
    return /^(vector|array|duration|time_point|unique_ptr|pair|function)$/.test(text) && this.angleEnd(this.at + by +
      1) > 0;
  }
  type() {
    const { line } = this.now, made = { base: "", pointer: 0, line };
    const words = [];
    for (; this.now.type === "name"; this.at++) {
      const { text } = this.now;
      if (/^(const|volatile|static|constexpr|extern|thread_local)$/.test(text)) made[text] = true;
      else if (text === "enum" || text === "struct" || text === "typename" || (QUALIFIERS.test(text) && !(text in
          NUMBERS) && !/^(un)?signed$/.test(text))) continue;
      else if (/^(unsigned|signed|long|short|int|char|double)$/.test(text)) words.push(text);
      else if (words.length || made.base) break;
      else if (this.spaces.has(text) && this.next().text === "::") this.at++;
      else {
        made.base = text;
        if (this.next().text === "<" && (text in WITH_ARGUMENTS || this.templates.has(text))) {
          this.at += 2;
          made.of = this.typeArguments();
          this.at--;
        }
        if (this.next().text === "::" && /^(time_point|duration|rep)$/.test(this.next(2).text)) {
          made.of = [{ base: made.base }];
          made.base = this.next(2).text;
          this.at += 2;
        }
      }
    }
    if (words.length) {
      const has = (word) => words.includes(word),
        sign = has("unsigned") ? "unsigned " : "";
      made.base = has("double") ? "double" : sign + (has("char") ? "char" : has("short") ? "short" : has("long") ?
        "long" : "int");
      if (has("signed") && has("char")) made.base = "char";
    }
    const alias = this.types.get(made.base);
    if (alias && alias.is === "alias") Object.assign(made, { ...alias.type, pointer: alias.type.pointer, static: made
        .static, const: made.const || alias.type.const });
    if (!made.base) throw this.strange();
    for (;;) {
      if (this.take("*")) made.pointer++;
      else if (this.take("&") || this.take("&&")) made.reference = true;
      else if (this.is("const") || this.is("__restrict__") || this.is("volatile") || this.is("__restrict") || this
        .is("restrict")) this.at++;
      else return made;
    }
  }
  typeArguments() {
    const found = [];
    while (!this.is(">") && !this.is(">>")) {
      found.push(this.isType() || this.next().text === "," || this.next().text === ">" && this.now.type === "name"
        && !this.isValue(this.now.text) ? this.functionType() : { value: this.binary(LEVELS.length - 3) });
      if (!this.is(">") && !this.is(">>")) this.need(",");
    }
    this.need(">");
    return found;
  }
  functionType() { // also void(int)
    const made = this.type();
    if (this.is("(")) this.skip();
    return made;
  }
  isValue(name) { return !this.types.has(name) && !(name in NUMBERS) && !(name in ROOMS); }

  // ---- Statements ----

  // All of it: functions and kernels are declared, the others are statements in their order.
  program() {
    const body = [];
    while (this.now.type !== "end") {
      const first = this.at;
      try {
        body.push(this.statement(true));
      } catch (error) {
        if (!(error instanceof Unknown)) throw error;
        // Behind it the reader goes on where a declaration can begin; whoever uses one of its names comes to the error.
        this.at = first;
        const from = first;
        while (this.now.type !== "end" && !this.is(";") && !this.is("{")) {
          if (this.is("(")) this.skip();
          else this.at++;
          if (this.at > this.all.length) break;
        }
        try {
          if (this.is("{")) this.skip();
        } catch (open) {
          this.at = this.all.length;
        }
        this.take(";");
        this.all.slice(from, this.at).forEach(({ type, text }, i, all) => { // what it seems to declare
          const last = all[i - 1] ?? {},
            next = all[i + 1] ?? {};
          if (type === "name" && (last.type === "name" || /^[*&>]$/.test(last.text)) && !/^(return|else|case)$/
            .test(last.text) && /^([({=;[:<]|::)$/.test(next.text ?? ";") && !this.unread.has(text)) this.unread
            .set(text, error);
        });
        body.push({ is: "unread", error, line: error.line });
      }
    }
    return adopted({ is: "block", body }).body;
  }
  block(isBody = false) {
    const { line } = this.need("{"), body = [];
    while (!this.take("}")) {
      if (this.now.type === "end") throw new Unknown(say("this '{' has no '}'", "这个 '{' 没有 '}'"), line);
      body.push(this.statement());
    }
    return { is: "block", body, line };
  }
  // A function's body. What is not understood in it stops the program when it comes there.
  body() {
    const first = this.at,
      body = [],
      { line } = this.now;
    this.skip();
    this.at = first + 1;
    try {
      while (!this.take("}")) body.push(this.statement());
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      body.push({ is: "unread", error, line: error.line });
      this.at = first;
      this.skip();
    }
    return adopted({ is: "block", body, line, from: this.all[first].from });
  }
  // A statement knows where it stands in the text, and in which block.
  statement(isOutside = false) {
    const { from } = this.now, made = this.oneStatement(isOutside);
    made.from ??= from;
    made.to ??= this.all[this.at - 1].to;
    for (const part of [made.body, made.otherwise])
      if (part && part.is && made.is !== "function") Object.defineProperty(part, "parent", { value: made,
        configurable: true });
    return made.is === "block" ? adopted(made) : made;
  }
  oneStatement(isOutside) {
    const { line, text } = this.now;
    if (this.now.type === "name") {
      if (text === "template") return this.template();
      if (/^(__global__|__device__|__constant__|__managed__)$/.test(text) || (
          /^(static|extern|inline|__forceinline__|__noinline__|__launch_bounds__|void|__host__)$/.test(text) && this
          .isDevice())) return this.device();
      if (text === "namespace") {
        this.at++;
        if (this.now.type === "name") this.spaces.add(this.name());
        const body = [];
        for (this.need("{"); !this.take("}");) body.push(this.statement(true));
        return { is: "group", body, line };
      }
      if (text === "extern" && this.next().type === "text") {
        this.at += 2;
        if (!this.is("{")) return this.statement(true);
        const body = [];
        for (this.at++; !this.take("}");) body.push(this.statement(true));
        return { is: "group", body, line };
      }
      if (text === "using" || text === "typedef") return this.using();
      if ((text === "struct" || text === "class" || text === "enum") && (this.next().text === "{" || /^[{:]$/.test(
          this.next(2).text) || this.next().text === "class")) return text === "enum" ? this.enumeration() : this
        .struct();
      if (text === "static_assert") {
        while (!this.take(";")) this.at++;
        return { is: "block", body: [], line };
      }
      if (/^(goto|asm|co_\w+|union|throw|catch|__asm__|class)$/.test(text)) throw this.strange();
    }
    if (this.take(";")) return { is: "block", body: [], line };
    if (this.is("{")) return this.block();
    if (this.is("[") && this.next().text === "[") return this.skip(), this.statement(isOutside); // [[maybe_unused]]
    if (this.take("for")) return this.loop(line);
    if (this.take("do")) {
      const body = this.statement();
      this.need("while");
      this.need("(");
      const test = this.expression();
      this.need(")");
      this.need(";");
      return { is: "loop", isDo: true, test, body, line };
    }
    if (this.is("while") || this.is("if")) {
      this.at++;
      this.take("constexpr");
      this.need("(");
      let first = this.isDeclaration() ? this.declaration() : this.expression(),
        test = first;
      if (text === "if" && this.take(";")) test = this.expression();
      else first = null;
      this.need(")");
      const body = this.statement();
      if (text === "while") return { is: "loop", test, body, line };
      const made = { is: "if", test, body, otherwise: this.take("else") ? this.statement() : null, line };
      return first ? { is: "block", body: [{ is: "expression", made: first, line }, made], line } : made;
    }
    if (this.take("switch")) {
      this.need("(");
      const of = this.expression(), cases = [];
      this.need(")");
      for (this.need("{"); !this.take("}");) {
        if (this.is("case") || this.is("default")) {
          const isDefault = this.all[this.at++].text === "default";
          cases.push({ value: isDefault ? null : this.binary(0), body: [] });
          this.need(":");
        } else if (cases.length) cases[cases.length - 1].body.push(this.statement());
        else throw this.strange();
      }
      return { is: "switch", of, cases, line };
    }
    if (this.is("break") || this.is("continue")) {
      this.at++;
      this.need(";");
      return { is: text, line };
    }
    if (this.take("try")) {
      const body = this.block();
      while (this.take("catch")) this.skip(), this.skip();
      return body;
    }
    if (this.take("delete")) {
      if (this.take("[")) this.need("]");
      const made = this.expression();
      this.need(";");
      return { is: "expression", made, line };
    }
    if (this.take("return")) {
      const made = this.is(";") ? null : this.is("{") ? this.braces() : this.expression();
      this.need(";");
      return { is: "return", made, line };
    }
    const made = this.isDeclaration() ? this.declaration(isOutside) : this.expression();
    if (made.is === "function" || made.is === "group") return made;
    this.need(";");
    return { is: "expression", made, line };
  }
  loop(line) {
    this.need("(");
    const isOver = this.isDeclaration() && (() => { // for (auto &x : list)
      for (let i = 0, depth = 0;; i++) {
        const { text, type } = this.next(i);
        if (type === "end" || text === ";" || (depth === 0 && text === ")")) return false;
        depth += /^[([{]$/.test(text) ? 1 : /^[)\]}]$/.test(text) ? -1 : 0;
        if (text === ":" && depth === 0) return true;
      }
    })();
    if (isOver) {
      const type = this.type(),
        name = this.name(true);
      this.need(":");
      const of = this.is("{") ? this.braces() : this.expression();
      this.need(")");
      return { is: "each", type, name, of, body: this.statement(), line };
    }
    const first = this.is(";") ? null : this.isDeclaration() ? this.declaration() : this.expression();
    this.need(";");
    const test = this.is(";") ? null : this.expression();
    this.need(";");
    const step = this.is(")") ? null : this.expression();
    this.need(")");
    return { is: "loop", first, test, step, body: this.statement(), line };
  }
  using() {
    const { line, text } = this.all[this.at++];
    if (text === "using" && this.next().text !== "=") { // of a namespace, or of a name in one
      while (!this.take(";")) {
        if (this.now.type === "sign" && this.now.text !== "::") throw this.strange();
        this.at++;
      }
      return { is: "block", body: [], line };
    }
    if (text === "using") {
      const name = this.name();
      this.need("=");
      this.types.set(name, { is: "alias", type: this.functionType() });
    } else if (this.is("struct") && (this.next().text === "{" || this.next(2).text === "{")) {
      const made = this.struct(true);
      const name = this.name();
      this.types.set(name, this.types.get(made.name));
      this.need(";");
      return { is: "block", body: [], line };
    } else {
      const type = this.type();
      this.types.set(this.name(), { is: "alias", type });
    }
    this.need(";");
    return { is: "block", body: [], line };
  }
  enumeration() {
    const { line } = this.need("enum"), isClass = this.take("class") || this.take("struct"), names = [];
    const name = this.now.type === "name" ? this.name() : null;
    if (isClass) throw this.strange(this.all[this.at - 1]);
    if (this.take(":")) this.type();
    if (name) this.types.set(name, { is: "alias", type: { base: "int", pointer: 0 } });
    for (this.need("{"); !this.take("}"); this.take(",")) names.push({ name: this.name(), value: this.take("=") ?
        this.binary(0) : null });
    this.need(";");
    return { is: "enum", names, line };
  }
  struct(isTypedef = false) {
    const { line } = this.all[this.at++], name = this.now.type === "name" ? this.name() : `struct in line ${line}`,
      made = { is: "struct", name, fields: [], functions: new Map(), line };
    this.types.set(name, made);
    if (this.take(":")) throw this.strange(this.all[this.at - 1]);
    for (this.need("{"); !this.take("}");) {
      if (/^(public|private|protected)$/.test(this.now.text)) {
        this.at++;
        this.need(":");
      } else if (this.take("~")) {
        this.name();
        made.functions.set("~", this.method(this.now.line));
      } else if (this.is(name) && this.next().text === "(") {
        this.at++;
        made.functions.set(name, this.method(this.now.line));
      } else if (this.is("explicit")) this.at++;
      else {
        const one = this.declaration(true);
        if (one.is === "function") made.functions.set(one.name, one);
        else {
          made.fields.push(one);
          this.need(";");
        }
      }
    }
    if (isTypedef) return made;
    if (this.now.type === "name") {
      this.at--;
      this.all[this.at] = { ...this.now, type: "name", text: name };
      const declared = this.declaration(true);
      this.need(";");
      return { is: "expression", made: declared, line };
    }
    this.need(";");
    return { is: "block", body: [], line };
  }
  method(line) { // of a constructor, with its list of members, or a destructor
    const parameters = this.parameters(),
      made = { is: "function", parameters, members: [], line, type: { base: "void", pointer: 0 } };
    if (this.take("=")) {
      this.name();
      this.need(";");
      return { ...made, body: { is: "block", body: [], line } };
    }
    if (this.take(":"))
      do {
        const name = this.name(),
          isBraces = this.is("{");
        made.members.push({ name, parts: isBraces ? this.braces().parts : (this.need("("), this.arguments(")")) });
      } while (this.take(","));
    this.take("noexcept");
    made.body = this.body();
    return made;
  }
  template() {
    const { line } = this.need("template"), names = [];
    for (this.need("<"); !this.take(">"); this.take(",")) {
      const isType = this.is("typename") || this.is("class");
      if (isType) this.at++;
      else this.type();
      this.take("...");
      if (this.now.type !== "name") continue;
      const name = this.name();
      names.push({ name, isType });
      if (isType) this.types.set(name, { is: "parameter" });
      if (this.take("=")) {
        if (isType) names[names.length - 1].usual = this.type();
        else names[names.length - 1].usual = { value: this.binary(LEVELS.length - 3) };
      }
    }
    const known = new Set(this.types.keys());
    let made = null;
    try {
      made = this.statement(true);
    } finally { // a class is none that the page would know
      for (const name of this.types.keys()) if (!known.has(name)) this.types.delete(name);
    }
    if (made.is === "function") {
      made.template = names;
      this.templates.add(made.name);
    } else if (made.is === "kernel") this.templates.add(made.name);
    else if (made.is !== "group") throw new Unknown(say("a template of a class is not understood", "读不懂类模板"), line);
    return made;
  }
  // Does a kernel, a function or a variable of the device begin here?
  isDevice() {
    for (let i = 0;; i++) {
      const { text, type } = this.next(i);
      if (/^__(global|device|constant|managed)__$/.test(text)) return !this.all.slice(this.at, this.at + 6).some((
        each) => each.text === "__host__");
      if (type !== "name") return false;
    }
  }
  device() {
    const { line } = this.now, words = [];
    if (this.all.slice(this.at, this.at + 4).some((each) => each.text === "__host__")) {
      while (/^__(host|device|forceinline)__$/.test(this.now.text)) this.at++;
      return this.statement(true);
    }
    for (; !this.is("(") && !this.is(";") && !this.is("=") && !this.is("[") && !this.is("{"); this.at++) {
      if (this.now.type === "end") throw this.strange();
      if (this.is("__launch_bounds__")) {
        this.at++;
        this.skip();
        this.at--;
      } else words.push(this.now);
    }
    const name = words[words.length - 1].text,
      isKernel = words.some((each) => each.text === "__global__");
    if (!this.is("(")) { // a variable
      while (!this.take(";"))
        if (this.is("{")) this.skip();
        else this.at++;
      return { is: "block", body: [], line };
    }
    const first = this.at;
    this.skip();
    const parameters = [];
    let depth = 0,
      last = "";
    for (const { type, text } of [...this.all.slice(first + 1, this.at - 1), { text: "," }]) {
      depth += /^[<([]$/.test(text) ? 1 : /^[>)\]]$/.test(text) ? -1 : 0;
      if (text === "," && depth === 0) parameters.push(last), (last = "");
      else if (depth === 0 && text !== "]") last = type === "name" && !(text in NUMBERS) && !QUALIFIERS.test(text) ?
        text : type === "name" || text === "*" ? "" : last;
    }
    if (first + 2 === this.at) parameters.pop();
    while (!this.is("{") && !this.is(";")) this.at++;
    if (this.take(";")) return { is: "block", body: [], line };
    const open = this.now,
      from = this.at;
    this.skip();
    const tokens = this.all.slice(from + 1, this.at - 1),
      close = this.all[this.at - 1];
    const kernel = { is: "kernel", name, parameters, line, isKernel, open: open.from, close: close.to, text: tokens
        .map((each) => each.text).join(" ") };
    if (!isKernel) kernel.is = "block", kernel.body = [];
    this.kernels.set(name, kernel);
    return kernel;
  }
  isDeclaration() {
    if (this.now.type !== "name") return false;
    if (this.spaces.has(this.now.text) && this.next().text === "::") return this.types.has(this.next(2).text);
    if (!this.isType()) { // a type that nobody knows
      const second = this.next(),
        end = second.text === "<" && !this.templates.has(this.now.text) && !(this.now.text in WITH_ARGUMENTS) ? this
        .angleEnd(this.at + 1) : -1;
      if (second.text === ":" && this.next(2).text !== ":") throw new Unknown(say("a label is not understood",
        "读不懂标号"), this.now.line);
      if (second.type === "name" || (end > 0 && (this.all[end + 1] ?? this.end).type === "name") || (second.text ===
          "*" && this.next(2).type === "name" && /^[=;,]$/.test(this.next(3).text)))
        throw this.unread.get(this.now.text) ?? new Unknown(say(`'${this.now.text}' is not known on this page`,
          `本页不认识 '${this.now.text}'`), this.now.line);
      return false;
    }
    if (QUALIFIERS.test(this.now.text) && !(this.now.text in NUMBERS)) return !/^(unsigned|signed|long|short)$/.test(
      this.now.text) || this.next().text !== "(";
    const end = this.next().text === "<" ? this.angleEnd(this.at + 1) : this.at,
      { text } = this.all[end + 1] ?? this.end;
    return text !== "(" && text !== "{" && !(text === "::" && !/^(time_point|duration|rep)$/.test((this.all[end + 2]
      ?? this.end).text));
  }
  declaration(isOutside = false) {
    const { line } = this.now, type = this.type(), parts = [];
    do {
      const one = { is: "declare", type: { ...type }, line: this.now.line, dims: [] };
      if (parts.length) one.type.pointer = 0, one.type.reference = false;
      while (this.take("*")) one.type.pointer++;
      if (this.take("&")) one.type.reference = true;
      while (this.is("const") || this.is("__restrict__")) this.at++;
      if (this.is("(") && this.next().text === "*") throw new Unknown(say(
        "a pointer to a function is not understood", "读不懂函数指针"), line);
      if (this.is("[") && type.base === "auto") throw this.strange();
      if (this.is("operator")) throw this.strange();
      one.name = this.name(true);
      if (this.is("(") && this.isFunction()) return this.function(one);
      while (this.take("[")) {
        one.dims.push(this.is("]") ? null : this.expression());
        this.need("]");
      }
      if (this.take("=")) one.from = this.is("{") ? this.braces() : this.assignment();
      else if (this.take("(")) one.given = this.arguments(")");
      else if (this.is("{")) one.given = this.braces().parts, one.isBraces = true;
      else if (this.take(":")) throw this.strange(this.all[this.at - 1]);
      parts.push(one);
    } while (this.take(","));
    return { is: "comma", parts, line, isDeclaration: true };
  }
  // Is what stands in these brackets a list of parameters?
  isFunction() {
    const begin = this.at,
      end = this.skip();
    this.at = begin;
    const behind = (this.all[end + 1] ?? this.end).text;
    if (behind === "{" || behind === "const" || behind === "noexcept" || behind === "->") return true;
    return behind === ";" && (end === begin + 1 || this.isType(1)) && !(this.isType(1) && /^[({]$/.test(this.next(2)
      .text));
  }
  parameters() {
    const found = [];
    for (this.need("("); !this.take(")"); this.take(",")) {
      if (this.is("void") && this.next().text === ")") this.at++;
      else if (this.take("...")) found.push({ name: "...", type: { base: "auto", pointer: 0 } });
      else {
        const type = this.isType() ? this.type() : (() => { throw this.unread.get(this.now.text) ?? new Unknown(say(
            `'${this.now.text}' is not known on this page`, `本页不认识 '${this.now.text}'`), this.now.line); })();
        const isPack = this.take("...");
        if (this.is("(") && this.next().text === "*") { // a function or a kernel
          this.at += 2;
          found.push({ type: { base: "auto", pointer: 0 }, name: this.name(true) });
          this.need(")");
          this.skip();
          continue;
        }
        const one = { type, name: this.now.type === "name" ? this.name(true) : "", isPack };
        while (this.take("[")) {
          if (!this.is("]")) this.expression();
          this.need("]");
          type.pointer++;
        }
        if (this.take("=")) one.usual = this.assignment();
        found.push(one);
      }
    }
    return found;
  }

  function ({ name, type, line }) {
    const made = { is: "function", name, type, line, parameters: this.parameters() };
    while (this.is("const") || this.is("noexcept")) this.at++;
    if (this.take("->")) this.type();
    if (this.take(";")) return { is: "group", body: [], line };
    made.body = this.body();
    return made;
  }

  // ---- Expressions ----

  braces() {
    const { line } = this.need("{");
    return { is: "braces", parts: this.arguments("}"), line };
  }
  expression() {
    const parts = [this.assignment()];
    while (this.take(",")) parts.push(this.assignment());
    return parts.length > 1 ? { is: "comma", parts, line: parts[0].line } : parts[0];
  }
  assignment() {
    const to = this.binary(0),
      { line } = this.now,
      sign = ASSIGNS.find((each) => this.is(each));
    if (sign) {
      this.at++;
      return { is: "assign", to, sign, from: this.is("{") ? this.braces() : this.assignment(), line };
    }
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
    const { from } = this.now, made = this.oneUnary();
    made.from ??= from;
    made.to ??= this.all[this.at - 1].to;
    return made;
  }
  oneUnary() {
    const { line } = this.now;
    for (const sign of ["-", "!", "&", "*", "++", "--", "~", "+"])
      if (this.take(sign)) return { is: "unary", sign, of: this.unary(), line };
    if (this.is("(") && this.isType(1) && !/^[({]$/.test(this.next(2).text)) { // a cast, (float)x
      const first = this.at++;
      const type = this.functionType();
      if (this.take(")")) return { is: "cast", type, of: this.unary(), line };
      this.at = first;
    }
    return this.postfix();
  }
  postfix() {
    const token = this.now,
      { line } = token;
    let made;
    if (token.type === "number") made = this.number(), this.at++;
    else if (token.type === "letter") {
      this.at++;
      made = { is: "number", v: token.text[1] === "\\" ? ({ n: 10, 0: 0, t: 9 })[token.text[2]] ?? token.text
          .charCodeAt(2) : token.text.charCodeAt(1), t: "c", line };
    } else if (token.type === "text") {
      made = { is: "text", text: "", line };
      while (this.now.type === "text") made.text += this.all[this.at++].text.replace(/^(u8|[uUL])?"|"$/g, "");
    } else if (this.take("sizeof")) {
      const inBrackets = this.is("(") && this.isType(1);
      if (!inBrackets) made = { is: "sizeof", of: this.unary(), line };
      else {
        this.at++;
        made = { is: "sizeof", type: this.type(), line };
        this.need(")");
      }
    } else if (this.take("new")) {
      made = { is: "new", type: this.type(), line };
      if (this.take("[")) {
        made.count = this.expression();
        this.need("]");
      }
      if (this.take("(")) made.given = this.arguments(")");
      else if (this.is("{")) made.given = this.braces().parts;
    } else if (this.is("[")) made = this.lambda();
    else if (token.type === "name") {
      if (this.isType()) {
        made = { is: "construct", type: this.type(), line };
        if (this.is("{")) made.parts = this.braces().parts, made.isBraces = true;
        else {
          this.need("(");
          made.parts = this.arguments(")");
        }
      } else {
        made = { is: "name", name: this.name(), line };
        for (;;) {
          const end = this.is("<") ? this.angleEnd() : -1,
            behind = (this.all[end + 1] ?? this.end).text;
          if (end > 0 && (made.name in WITH_ARGUMENTS || this.templates.has(made.name) || behind === "<<<")) {
            const from = this.at + 1;
            try {
              this.at++;
              made.types = this.typeArguments();
            } catch (error) {
              if (behind !== "<<<") throw error;
              this.at = end + 1;
            }
            made.typesText = this.all.slice(from, this.at - 1);
          }
          if (!this.is("::")) break;
          this.at++;
          const alias = this.types.get(made.name),
            base = alias && alias.type ? alias.type.base : made.name;
          made.name = this.spaces.has(made.name) ? this.name() : `${base}::${this.name()}`;
        }
      }
    } else if (this.take("(")) {
      made = this.expression();
      this.need(")");
    } else if (this.is("{")) made = this.braces();
    else throw this.strange();
    for (;;) {
      if (this.take("<<<")) {
        const shape = this.arguments(">>>");
        this.need("(");
        made = { is: "launch", of: made, shape, given: this.arguments(")"), line };
      } else if (this.take("(")) made = { is: "call", of: made, given: this.arguments(")"), line };
      else if (this.take("[")) {
        made = { is: "index", of: made, index: this.expression(), line };
        this.need("]");
      } else if (this.is("->") || this.is(".")) {
        this.at++;
        made = { is: "member", of: made, name: this.name(), line };
      } else if (this.is("++") || this.is("--")) made = { is: "after", sign: this.all[this.at++].text, of: made,
          line };
      else return made;
    }
  }
  number() {
    const { text, line } = this.now, [, digits, ending] =
      /^(0[xX][\da-fA-F']+|0[bB][01']+|[\d'.]+(?:[eE][-+]?\d+)?)(\w*)$/.exec(text) ?? [];
    const plain = (digits ?? "").replace(/'/g, ""),
      isReal = /^[^xX]*[.eE]/.test(plain),
      low = (ending ?? "").toLowerCase();
    const v = /^0\d+$/.test(plain) ? parseInt(plain, 8) : Number(plain),
      period = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 } [ending];
    if (!digits || Number.isNaN(v) || !(period || /^(|f|[lL]|u|l|ul|lu|ll|ull|llu|z|uz|zu)$/.test(low))) throw this
      .strange();
    if (period) return { is: "number", v, t: isReal ? "d" : "l", per: period, line };
    const isLong = /l|z/.test(low) || v > (/u/.test(low) || /^0[xX]/.test(plain) ? 4294967295 : 2147483647),
      isSigned = !/u/.test(low) && !(low === "z" && false);
    return { is: "number", v, t: isReal ? (low === "f" ? "f" : "d") : isLong ? (isSigned ? "l" : "L") : isSigned ? (v
        > 2147483647 ? "u" : "i") : "u", line };
  }
  lambda() {
    const { line } = this.need("["), capture = [];
    for (; !this.take("]"); this.at++) capture.push(this.now.text);
    const made = { is: "lambda", copies: capture.length > 0 && !capture.includes("&"), parameters: this.is("(") ?
        this.parameters() : [], type: { base: "auto", pointer: 0 }, line };
    this.take("mutable");
    if (this.take("->")) made.type = this.type();
    made.body = this.body();
    return made;
  }
  arguments(end) {
    const found = [];
    while (!this.take(end)) {
      if (this.now.type === "end") throw this.strange();
      const { line } = this.now;
      const first = this.now;
      found.push(this.take(".") ? { is: "member of braces", name: this.name(), value: (this.need("="), this
          .assignment()), line } : this.is("{") ? this.braces() : this.assignment());
      Object.assign(found[found.length - 1], { from: first.from, to: this.all[this.at - 1].to });
      while (this.take("...")) found[found.length - 1].isPack = true;
      if (!this.is(end)) this.need(",");
    }
    return found;
  }
}

// What is pasted, line by line as it stands.
function hostLines(text) {
  return text.replace(/\r\n?/g, "\n");
}
