// SPDX-License-Identifier: MIT
// Reads a program, or some lines of one, in the small part of C++ whose grammar README.md has. It takes in every
// character: tokens, then the preprocessor's lines and macros, then a tree, of which each node has `is` and its line.
// run.js runs it. What is not understood is refused, with its line.
"use strict";

class Unknown extends Error {
  constructor(text, line) {
    super(text);
    this.line = line;
  }
}
const notKnown = (what, line) => new Unknown(say(`${what} is not understood`, `读不懂 ${what}`), line);

// ---- Tokens and macros ----

const TOKEN = new RegExp(["(?<blank>(?:[^\\S\\n]|\\\\\\r?\\n|\\/\\/(?:\\\\\\n|[^\\n])*|\\/\\*[^]*?\\*\\/)+)",
  "(?<row>\\n)", '(?<text>"(?:\\\\.|[^"\\\\\\n])*")', "(?<letter>'(?:\\\\.|[^'\\\\\\n])')",
  "(?<number>(?:0[xX][\\da-fA-F']+|(?:\\d[\\d']*\\.?[\\d']*|\\.\\d[\\d']*)(?:[eE][-+]?\\d+)?)(?:[a-zA-Z]\\w*)?)",
  "(?<name>[A-Za-z_]\\w*)",
  "(?<sign><<<|>>>|<<=|>>=|<<|>>|->|::|\\+\\+|--|\\.\\.\\.|##|[-+*/<>=!%&|^]=|&&|\\|\\||.)"].join("|"), "gsu");

function tokensOf(text) {
  const found = [];
  let line = 1;
  for (const { 0: all, index: from, groups } of text.matchAll(TOKEN)) {
    const type = Object.keys(groups).find((name) => groups[name] !== undefined);
    if (type !== "blank") found.push({ type, text: all, line, from, to: from + all.length });
    line += all.split("\n").length - 1;
  }
  return found;
}

// The tokens behind the preprocessor: without directives, with macros expanded.
function preprocessed(text) {
  const all = tokensOf(text), kept = [], made = [], on = [], // of each #if: is this branch read?
    macros = new Map([["__FILE__", { body: tokensOf('"stopwatch.cu"') }]]);
  for (const name of ["__CUDACC__", "__NVCC__", "__linux__", "__unix__", "__GNUC__", "__cplusplus"])
    macros.set(name, { body: tokensOf(`${name} ()`) }); // so it may be asked for, and not be used
  for (let i = 0; i < all.length; i++) {
    if (all[i].text === "#" && (i === 0 || all[i - 1].type === "row")) {
      const { line } = all[i];
      let end = i;
      while (end < all.length && all[end].type !== "row") end++;
      made.push(...expanded(kept.splice(0), macros)); // a macro holds from its line on
      directive(all.slice(i + 1, end), line, macros, on);
      i = end;
    } else if (on.every((each) => each) && all[i].type !== "row") kept.push(all[i]);
  }
  return [...made, ...expanded(kept, macros)];
}

function directive([what, name, ...body], line, macros, on) {
  const word = what ? what.text : "", isRead = on.every((each) => each);
  if (/^ifn?def$/.test(word) && name) on.push(macros.has(name.text) === (word === "ifdef"));
  else if (word === "if" && (!isRead || (!body.length && name && /^\d+$/.test(name.text))))
    on.push(Number((name ?? {}).text) !== 0);
  else if (word === "else" && on.length) on.push(!on.pop());
  else if (word === "endif" && on.length) on.pop();
  else if (!isRead || word === "" || word === "include" ||
    (word === "pragma" && name && /^(once|unroll)$/.test(name.text))) return;
  else if (isRead && body.some((each) => each.text === "##"))
    throw notKnown(say("'##' in a macro", "宏中的 '##'"), line);
  else if (word !== "define" || !name || /PER_THREAD/.test(name.text))
    throw notKnown(`'#${word}${word === "define" && name ? ` ${name.text}` : ""}'`, line);
  else if (body.length && body[0].text === "(" && body[0].from === name.to) {
    const close = body.findIndex((each) => each.text === ")");
    macros.set(name.text, { body: body.slice(close + 1), parameters: body.slice(1, close)
      .filter((each) => each.text !== ",").map((each) => (each.text === "..." ? "__VA_ARGS__" : each.text)) });
  } else macros.set(name.text, { body });
}

function expanded(tokens, macros, inside = []) {
  const made = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i], macro = token.type === "name" && !inside.includes(token.text) && macros.get(token.text);
    if (token.text === "__LINE__") made.push({ ...token, type: "number", text: String(token.line) });
    else if (!macro || (macro.parameters && (tokens[i + 1] ?? {}).text !== "(")) made.push(token);
    else {
      const { parameters } = macro, parts = [[]];
      if (parameters) {
        let depth = 0;
        for (i++; ; i++) {
          const sign = tokens[i] && tokens[i].type === "sign" ? tokens[i].text : "";
          if (!tokens[i]) throw notKnown(`'${token.text}('`, token.line);
          if (/^[)\]}]$/.test(sign) && --depth === 0) break;
          if (sign === "," && depth === 1 && parameters[parts.length - 1] !== "__VA_ARGS__") parts.push([]);
          else if (depth > 0) parts[parts.length - 1].push(tokens[i]);
          if (/^[([{]$/.test(sign)) depth++;
        }
        if (parts.length !== Math.max(1, parameters.length)) throw notKnown(`'${token.text}()'`, token.line);
      }
      const at = { line: token.line, from: token.from, to: tokens[i].to }, body = [];
      macro.body.forEach((each, k) => {
        const part = parameters && parts[parameters.indexOf(each.text)];
        const isText = (macro.body[k - 1] ?? {}).text === "#";
        if (part && isText) body.push({ ...at, type: "text", text: JSON.stringify(part.map((p) => p.text).join(" ")) });
        else if (part) body.push(...expanded(part, macros, inside).map((p) => ({ ...p, ...at })));
        else if (each.text !== "#") body.push({ ...each, ...at });
      });
      made.push(...expanded(body, macros, [...inside, token.text]));
    }
  }
  return made;
}

// ---- Types ----

const NUMBERS = {}; // a name: a letter, the bytes
for (const each of ["b1 bool", "c1 char,signed char,int8_t", "C1 unsigned char,uint8_t", "s2 short,int16_t",
  "S2 unsigned short,uint16_t", "i4 int,int32_t,cudaError_t", "u4 unsigned int,uint32_t,uint", "f4 float", "d8 double",
  "l8 long,int64_t,clock_t,time_t,ptrdiff_t,ssize_t", "L8 unsigned long,uint64_t,size_t"])
  for (const name of each.slice(3).split(",")) NUMBERS[name] = [each[0], Number(each[1])];
const LETTERS = Object.fromEntries(Object.keys(NUMBERS).reverse().map((name) => [NUMBERS[name][0], name]));
const ROOMS = { void: 1, auto: 0, dim3: 12, timespec: 16, timeval: 16, cudaEvent_t: 8, cudaStream_t: 8, float2: 8,
  float3: 12, float4: 16, int2: 8, int4: 16, double2: 16, cudaDeviceProp: 0, high_resolution_clock: 0, steady_clock: 0,
  system_clock: 0, nano: 0, micro: 0, milli: 0, nanoseconds: 8, microseconds: 8, milliseconds: 8, seconds: 8 };
const WITH_TYPES = /^(vector|duration|time_point)$/;
const QUALIFIERS = new RegExp("^(const|constexpr|static|inline|volatile|unsigned|signed|long|short|struct|" +
  "__restrict__|__forceinline__)$");
const LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"],
  ["*", "/", "%"]];
const ASSIGNS = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];
const REFUSED = new RegExp("^(template|namespace|class|union|enum|typedef|switch|goto|try|throw|new|delete|extern|" +
  "asm|operator|static_assert|this|co_\\w+|__managed__|__int128)$");

// Each statement of a block knows the block; whoever walks down the tree does not see it.
function adopt(parent, each) {
  if (each) Object.defineProperty(each, "parent", { value: parent, configurable: true });
}

const PYTHON = /^[ \t]*(import \w|from \w.* import|def \w+\(|([\w.]+ = )?(torch|time)\.(?!.*;)|\w+\.record\(\)$)/m;

class Reader {
  constructor(text) {
    const python = PYTHON.exec(text);
    if (python) throw new Unknown(say("this page reads CUDA C and C++, not Python. time.time() without " +
      "torch.cuda.synchronize() is the example 'Host's clock, no wait', with it 'Host's clock and a wait'",
    "本页读 CUDA C 和 C++，不读 Python。time.time() 而没有 torch.cuda.synchronize()，就是例子“主机时钟，不等待”；有则是“主机时钟，等待”"),
    text.slice(0, python.index).split("\n").length);
    // std:: and the like say nothing new: the word behind them begins where they stand
    const isSpace = (each) => each && /^(std|chrono|this_thread)$/.test(each.text);
    this.all = preprocessed(text).filter((each, i, all) => {
      const next = all[i + 1], isPart = next && (each.text === "::" ? !i || isSpace(all[i - 1])
        : isSpace(each) && next.text === "::");
      if (isPart) next.from = each.from;
      return !isPart;
    });
    this.at = 0;
    this.types = new Map(); // another name for a type
    this.kernels = new Map();
    this.hidden = new Set(); // types' names that a variable has
    this.end = { type: "end", text: "", line: this.all.length ? this.all[this.all.length - 1].line : 1 };
  }
  get now() { return this.all[this.at] ?? this.end; }
  next(by = 1) { return this.all[this.at + by] ?? this.end; }
  is(text) { return this.now.text === text && this.now.type !== "text"; }
  take(text) { return this.is(text) ? this.all[this.at++] : null; }
  need(text) {
    if (this.is(text)) return this.all[this.at++];
    if (text === ">" && this.is(">>")) { // of two types
      this.all.splice(this.at, 1, { ...this.now, text: ">" }, { ...this.now, text: ">" });
      return this.all[this.at++];
    }
    const last = this.all[this.at - 1] ?? this.now;
    if (this.now.line > last.line || this.now.type === "end")
      throw new Unknown(say(`'${text}' is missing at the end`, `末尾缺少 '${text}'`), last.line);
    throw this.strange();
  }
  strange(token = this.now) {
    return token.type === "end" ? new Unknown(say("the lines end here, in the middle", "这些行到此中断"), token.line)
      : new Unknown(say(`'${token.text}' is not understood here`, `这里的 '${token.text}' 读不懂`), token.line);
  }
  name(isVariable) {
    if (this.now.type !== "name" || REFUSED.test(this.now.text)) throw this.strange();
    if (isVariable && (this.now.text in ROOMS || this.now.text in NUMBERS)) this.hidden.add(this.now.text);
    return this.all[this.at++].text;
  }
  // Behind the bracket that stands here, and the one that belongs to it.
  skip() {
    for (let depth = 0; ; this.at++) {
      const { type, text } = this.now;
      if (type === "end") throw this.strange();
      if (type === "sign") depth += /^[([{]$/.test(text) ? 1 : /^[)\]}]$/.test(text) ? -1 : 0;
      if (depth === 0) return this.at++;
    }
  }
  // Where `<...>` ends, if it stands at i; or -1.
  angleEnd(i = this.at) {
    for (let depth = 0; i < this.all.length; i++) {
      const { text } = this.all[i];
      depth += text === "<" ? 1 : text === ">" ? -1 : text === ">>" ? -2 : 0;
      if (depth <= 0) return /^>/.test(text) ? i : -1;
      if (/^([;{}()]|&&|\|\||<<<)$/.test(text)) return -1;
    }
    return -1;
  }

  // ---- Types ----

  isType(by = 0) {
    const { type, text } = this.next(by);
    if (type !== "name" || this.hidden.has(text)) return false;
    if (WITH_TYPES.test(text)) return this.angleEnd(this.at + by + 1) > 0;
    return (QUALIFIERS.test(text) || text in NUMBERS || text in ROOMS || this.types.has(text)) &&
      !(this.next(by + 1).text === "::" && this.next(by + 2).text === "now");
  }
  type() {
    const made = { base: "", pointer: 0 }, words = [];
    for (; this.now.type === "name"; this.at++) {
      const { text } = this.now;
      if (text === "static") made.static = true;
      else if (/^(unsigned|signed|long|short|int|char|double)$/.test(text)) words.push(text);
      else if (QUALIFIERS.test(text)) continue;
      else if (words.length || made.base) break;
      else if (!this.isType()) throw notKnown(`'${this.now.text}'`, this.now.line);
      else {
        made.base = text;
        if (WITH_TYPES.test(text)) {
          this.at++;
          made.of = this.typeArguments();
          this.at--;
        } else if (this.next().text === "::") {
          this.at += 2;
          if (!/^(time_point|duration)$/.test(this.now.text)) throw this.strange();
          made.base = this.now.text;
        }
      }
    }
    if (words.length) {
      const has = (word) => words.includes(word);
      if (has("double") && words.length > 1) throw notKnown("'long double'", this.now.line);
      made.base = has("double") ? "double" : (has("unsigned") ? "unsigned " : "") +
        (has("char") ? "char" : has("short") ? "short" : has("long") ? "long" : "int");
    }
    if (this.types.has(made.base)) Object.assign(made, { ...this.types.get(made.base), static: made.static });
    if (!made.base) throw this.strange();
    for (;;)
      if (this.take("*")) made.pointer++;
      else if (this.is("&")) throw notKnown(say("a reference", "引用"), this.now.line);
      else if (!this.take("const") && !this.take("volatile") && !this.take("__restrict__")) return made;
  }
  typeArguments() {
    const found = [];
    this.need("<");
    do found.push(this.type());
    while (this.take(","));
    this.need(">");
    return found;
  }

  // ---- Statements ----

  program() {
    const block = { is: "block", body: [] };
    while (this.now.type !== "end") block.body.push(this.statement());
    for (const each of block.body) adopt(block, each);
    return block.body;
  }
  block() {
    const { line, from } = this.need("{"), made = { is: "block", body: [], line, from };
    while (!this.take("}")) {
      if (this.now.type === "end") throw new Unknown(say("this '{' has no '}'", "这个 '{' 没有 '}'"), line);
      made.body.push(this.statement());
    }
    for (const each of made.body) adopt(made, each);
    return made;
  }
  // A statement knows where it stands in the text, and in which block.
  statement() {
    const { from } = this.now, made = this.oneStatement();
    made.from ??= from;
    made.to ??= this.all[this.at - 1].to;
    if (/^(if|loop)$/.test(made.is)) for (const part of [made.body, made.otherwise]) adopt(made, part);
    return made;
  }
  oneStatement() {
    const { line, text, type } = this.now, nothing = { is: "block", body: [], line };
    const inBrackets = () => {
      this.need("(");
      const made = this.expression();
      this.need(")");
      return made;
    };
    if (type === "name" && REFUSED.test(text)) throw notKnown(`'${text}'`, line);
    if (this.isDevice()) return this.device();
    if (text === "using") return this.using();
    if (text === "struct" && /^[{:]$/.test(this.next(2).text)) throw notKnown(`'struct ${this.next().text}'`, line);
    if (this.take(";")) return nothing;
    if (this.is("{")) return this.block();
    if (this.take("for")) return this.loop(line);
    if (this.take("do")) {
      const body = this.statement();
      this.need("while");
      const test = inBrackets();
      this.need(";");
      return { is: "loop", isDo: true, test, body, line };
    }
    if (this.take("while")) return { is: "loop", test: inBrackets(), body: this.statement(), line };
    if (this.take("if")) return { is: "if", test: inBrackets(), body: this.statement(),
      otherwise: this.take("else") ? this.statement() : null, line };
    if (this.take("break") || this.take("continue")) {
      this.need(";");
      return { is: text, line };
    }
    if (this.take("return")) {
      const made = this.is(";") ? null : this.expression();
      this.need(";");
      return { is: "return", made, line };
    }
    const made = this.isDeclaration() ? this.declaration() : this.expression();
    if (made.is === "function" || made.is === "block") return made;
    this.need(";");
    return { is: "expression", made, line };
  }
  loop(line) {
    this.need("(");
    const first = this.is(";") ? null : this.isDeclaration() ? this.declaration() : this.expression();
    this.need(";");
    const test = this.is(";") ? null : this.expression();
    this.need(";");
    const step = this.is(")") ? null : this.expression();
    this.need(")");
    return { is: "loop", first, test, step, body: this.statement(), line };
  }
  using() { // of a namespace, or of another name for a type
    const { line } = this.need("using"), isSpace = this.take("namespace"), name = this.name();
    if (isSpace) while (this.take("::")) this.name();
    else if (this.take("=")) this.types.set(name, this.type());
    this.need(";"); // or of a name of std::
    return { is: "block", body: [], line };
  }
  // Does a kernel, a function or a variable of the device begin here?
  isDevice() {
    for (let i = 0; this.next(i).type === "name"; i++)
      if (/^__(global|device|constant)__$/.test(this.next(i).text)) return true;
    return false;
  }
  device() {
    const { line } = this.now, words = [];
    for (; !/^[(;=[{]$/.test(this.now.text); this.at++) {
      if (this.now.type === "end") throw this.strange();
      if (this.is("__host__")) throw notKnown("'__host__ __device__'", line);
      if (this.is("__launch_bounds__")) this.at++, this.skip(), this.at--;
      else words.push(this.now);
    }
    const { text: name } = words[words.length - 1], isKernel = words.some((each) => each.text === "__global__");
    if (!this.is("(")) { // a variable
      while (!this.take(";")) this.is("{") ? this.skip() : this.at++;
      return { is: "block", body: [], line };
    }
    const first = this.at + 1, parameters = [];
    this.skip();
    let last = null;
    for (const { type, text } of [...this.all.slice(first, this.at - 1), { text: "," }]) {
      if (text !== ",") last = type === "name" ? text : last ?? "";
      else if (last !== null) parameters.push(last), (last = null);
    }
    const made = { is: isKernel ? "kernel" : "block", body: [], name, parameters, line, isKernel };
    if (this.take(";")) return made;
    const { from: open } = this.now, begin = this.at + 1;
    if (!this.is("{")) throw this.strange();
    this.skip();
    Object.assign(made, { open, close: this.all[this.at - 1].to,
      text: this.all.slice(begin, this.at - 1).map((each) => each.text).join(" ") });
    this.kernels.set(name, made);
    return made;
  }
  isDeclaration() {
    const { type, text } = this.now, second = this.next();
    if (type !== "name") return false;
    if (!this.isType()) { // a type that nobody knows
      if (second.text === ":") throw notKnown(say("a label", "标号"), this.now.line);
      const end = second.text === "<" ? this.angleEnd(this.at + 1) : -1;
      if (second.type === "name" || (end > 0 && (this.all[end + 1] ?? this.end).type === "name") ||
        (second.text === "*" && this.next(2).type === "name" && /^[=;,]$/.test(this.next(3).text)))
        throw notKnown(`'${this.now.text}'`, this.now.line);
      return false;
    }
    const end = WITH_TYPES.test(text) ? this.angleEnd(this.at + 1) : this.at;
    return QUALIFIERS.test(text) || !/^[({]$/.test((this.all[end + 1] ?? this.end).text);
  }
  declaration() {
    const { line } = this.now, type = this.type(), parts = [];
    do {
      const one = { is: "declare", type: { ...type }, line: this.now.line, dims: [] };
      if (parts.length) one.type.pointer = 0;
      while (this.take("*")) one.type.pointer++;
      one.name = this.name(true);
      if (this.is("(") && this.isFunction()) return this.function(one);
      while (this.take("[")) {
        one.dims.push(this.is("]") ? null : this.expression());
        this.need("]");
      }
      if (this.take("=")) one.from = this.is("{") ? this.braces() : this.assignment();
      else if (this.take("(")) one.given = this.arguments(")");
      else if (this.is("{")) one.from = this.braces();
      parts.push(one);
    } while (this.take(","));
    return { is: "comma", parts, line, isDeclaration: true };
  }
  // Is what stands in these brackets a list of parameters?
  isFunction() {
    const begin = this.at, end = this.skip();
    this.at = begin;
    const behind = (this.all[end + 1] ?? this.end).text;
    return behind === "{" || (behind === ";" && (end === begin + 1 || (this.isType(1) && this.next(2).text !== "(")));
  }
  function({ name, type, line }) {
    const made = { is: "function", name, type, line, parameters: [] };
    for (this.need("("); !this.take(")"); this.take(",")) {
      if (this.is("void") && this.next().text === ")") this.at++;
      else {
        const one = { type: this.type(), name: this.now.type === "name" ? this.name(true) : "" };
        for (; this.take("["); this.need("]"), one.type.pointer++) if (!this.is("]")) this.expression();
        if (!this.is(",") && !this.is(")")) throw this.strange();
        made.parameters.push(one);
      }
    }
    if (this.take(";")) return { is: "block", body: [], line };
    made.body = this.block();
    return made;
  }

  // ---- Expressions ----

  braces() {
    const { line } = this.need("{");
    return { is: "braces", parts: this.arguments("}"), line };
  }
  expression() {
    const parts = [this.assignment()], { line } = this.now;
    while (this.take(",")) parts.push(this.assignment());
    return parts.length > 1 ? { is: "comma", parts, line } : parts[0];
  }
  assignment() {
    const left = this.binary(0), { line } = this.now, sign = ASSIGNS.find((each) => this.is(each));
    if (sign) {
      this.at++;
      return { is: "assign", left, sign, right: this.assignment(), line };
    }
    if (!this.take("?")) return left;
    const yes = this.assignment();
    this.need(":");
    return { is: "choose", test: left, yes, no: this.assignment(), line };
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
    if (this.is("(") && this.isType(1) && !/^[({]$/.test(this.next(2).text)) { // a cast, (float)x
      const first = this.at++, type = this.type();
      if (this.take(")")) return { is: "cast", type, of: this.unary(), line };
      this.at = first;
    }
    return this.postfix();
  }
  primary() {
    const token = this.now, { line, text, type } = token;
    if (type === "number") return this.number();
    if (type === "letter") {
      this.at++;
      const v = text[1] === "\\" ? { n: 10, 0: 0, t: 9 }[text[2]] : text.charCodeAt(1);
      if (v === undefined) throw this.strange(token);
      return { is: "number", v, t: "c", line };
    }
    if (type === "text") {
      const made = { is: "text", text: "", line };
      while (this.now.type === "text") made.text += this.all[this.at++].text.slice(1, -1);
      return made;
    }
    if (this.take("sizeof")) {
      if (!this.is("(") || !this.isType(1)) return { is: "sizeof", of: this.unary(), line };
      this.at++;
      const made = { is: "sizeof", type: this.type(), line };
      this.need(")");
      return made;
    }
    if (this.is("[")) throw notKnown(say("a lambda", "lambda"), line);
    if (this.take("(")) {
      const made = this.expression();
      this.need(")");
      return made;
    }
    if (type !== "name") throw this.strange();
    if (this.isType()) {
      const made = { is: "construct", type: this.type(), line };
      if (!this.is("{")) this.need("(");
      made.parts = this.is("{") ? this.braces().parts : this.arguments(")");
      return made;
    }
    const made = { is: "name", name: this.name(), line };
    if (/^(duration|static|reinterpret)_cast$/.test(made.name)) made.types = this.typeArguments();
    if (this.is("<") && (this.all[this.angleEnd() + 1] ?? {}).text === "<<<")
      throw notKnown(say(`the template '${made.name}<...>'`, `模板 '${made.name}<...>'`), line);
    while (this.take("::")) {
      made.name = `${(this.types.get(made.name) ?? { base: made.name }).base}::${this.name()}`;
    }
    return made;
  }
  postfix() { // knows where it stands in the text
    const { from, line } = this.now;
    for (let made = this.primary(); ;) {
      Object.assign(made, { from, to: this.all[this.at - 1].to });
      if (this.take("<<<")) {
        const shape = this.arguments(">>>");
        this.need("(");
        made = { is: "launch", of: made, shape, given: this.arguments(")"), line };
      } else if (this.take("(")) made = { is: "call", of: made, given: this.arguments(")"), line };
      else if (this.take("[")) {
        made = { is: "index", of: made, index: this.expression(), line };
        this.need("]");
      } else if (this.take("->") || this.take(".")) made = { is: "member", of: made, name: this.name(), line };
      else if (this.is("++") || this.is("--")) made = { is: "after", sign: this.all[this.at++].text, of: made, line };
      else return made;
    }
  }
  number() {
    const { text, line } = this.now, parts = /^(0[xX][\da-fA-F']+|[\d'.]+(?:[eE][-+]?\d+)?)([fF]|[uUlL]*|[uU]?z)$/;
    const [, digits, ending] = parts.exec(text) ?? [], plain = (digits ?? "").replace(/'/g, ""), v = Number(plain);
    const isHex = /^0[xX]/.test(plain), isReal = !isHex && /[.eE]/.test(plain), isUnsigned = /u/i.test(ending);
    if (/^0\d+$/.test(plain) || !digits || Number.isNaN(v) || (/f/i.test(ending) && !isReal)) throw this.strange();
    this.at++;
    if (isReal) return { is: "number", v, t: /f/i.test(ending) ? "f" : "d", line };
    const isLong = /[lz]/i.test(ending) || v > (isUnsigned || isHex ? 4294967295 : 2147483647);
    const t = isLong ? (isUnsigned || v >= 2 ** 63 ? "L" : "l") : isUnsigned || v > 2147483647 ? "u" : "i";
    return { is: "number", ...whole(BigInt(plain), t), t, line };
  }
  arguments(end) {
    const found = [];
    while (!this.take(end)) {
      if (this.now.type === "end") throw this.strange();
      const { from } = this.now, made = this.is("{") ? this.braces() : this.assignment();
      found.push(Object.assign(made, { from, to: this.all[this.at - 1].to }));
      if (!this.is(end)) this.need(",");
    }
    return found;
  }
}

// What is pasted, line by line as it stands.
const hostLines = (text) => text.replace(/\r\n?/g, "\n");
