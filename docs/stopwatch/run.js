// SPDX-License-Identifier: MIT
// Runs what reader.js has read, as C++ does, on the machine of machine.js. A number knows which times it was computed
// from, so that parts.js can say what is in it.
//
// A value is one of these: a number {v, t: a letter of NUMBERS, per: the ns of a duration's tick, big: the same as v,
// exactly, if v is an integer too long for a double}, with `reads` of
// clocks, [{at, by, k, line}]: v grows by k for each ns, or `spans` from one time to another: v is the sum of k times
// each one's length; `none`: it has no value; `unknown`: nobody on this page knows it, and why. Or a pointer or list
// {p: memory, o}, an {event}, a {stream}, a {text}, a struct {fields}, a function {fn}. A cell {x: value, type, name}
// holds one.
"use strict";

class Stopped extends Error {
  constructor(code, line) { Object.assign(super(), { code, line }); }
}

const UNIT_NS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const UNIT = /(ns|nanosec\w*|[uµμ]s|usec\w*|microsec\w*|ms|msec\w*|millisec\w*|s|secs?|seconds?)\b(?!\/)/i.source;
const unitOf = (text) => (/^n/i.test(text) ? "ns" : /^([uµμ]|mic)/i.test(text) ? "us" : /^m/i.test(text) ? "ms" : "s");
const PERIOD_NS = { nano: 1, micro: 1e3, milli: 1e6, nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6,
  seconds: 1e9 };
const ERRORS = { cudaSuccess: 0, cudaErrorInvalidValue: 1, cudaErrorMemoryAllocation: 2,
  cudaErrorInvalidConfiguration: 9, cudaErrorInvalidResourceHandle: 400, cudaErrorNotReady: 600 };
const CONSTANTS = { ...ERRORS, NULL: 0, nullptr: 0, false: 0, true: 1, EXIT_SUCCESS: 0, EXIT_FAILURE: 1,
  CLOCK_REALTIME: 0, CLOCK_MONOTONIC: 1, stdout: 1, stderr: 2, cudaMemcpyHostToHost: 0, cudaMemcpyHostToDevice: 1,
  cudaMemcpyDeviceToHost: 2, cudaMemcpyDeviceToDevice: 3, cudaMemcpyDefault: 4, cudaEventDefault: 0,
  cudaEventBlockingSync: 1, cudaEventDisableTiming: 2, cudaStreamDefault: 0, cudaStreamNonBlocking: 1,
  cudaHostAllocDefault: 0 };
const RANK = "bcCsSiulLfd";
const BITS = { c: [8, 1], C: [8], s: [16, 1], S: [16], i: [32, 1], u: [32], l: [64, 1], L: [64] };
const MATH = { abs: Math.abs, fabs: Math.abs, sqrt: Math.sqrt, ceil: Math.ceil, floor: Math.floor };
const PURE = /^(size|front|back|begin|end|data|f?(min|max|abs)f?|sqrtf?|ceil|floor|static_cast)$/;
const STEPS = 300000, PURE_STEPS = 20000;

const writtenByKernel = () => say("what a kernel has written is not known on this page", "本页不知道核函数写了什么");
const number = (v, t = "i") => ({ v, t }), plain = (base) => ({ base, pointer: 0 });

function fitted(v, t) {
  if (t === "d") return v;
  if (t === "f") return Math.fround(v);
  if (t === "b") return +(v !== 0);
  const whole = Math.trunc(v), [bits, signed] = BITS[t];
  if (!Number.isFinite(whole)) return NaN;
  if (signed ? Math.abs(whole) < 2 ** (bits - 1) : whole >= 0 && whole < 2 ** bits) return whole + 0;
  return Number((signed ? BigInt.asIntN : BigInt.asUintN)(bits, BigInt(whole)));
}

// What printf() makes of a number; `as`: f, e, g or another letter.
function printedAs({ v, t, big }, as, digits = 6) {
  if (!/[fd]/.test(t) || !Number.isFinite(v)) return String(big ?? v);
  if (/f/i.test(as)) return v.toFixed(digits);
  const isShort = /g/i.test(as), most = isShort ? Math.max(1, digits) : digits + 1;
  const e = v.toExponential(most - 1), power = Number(e.split("e")[1]), isPlain = isShort && power >= -4 && power < most;
  const all = isPlain ? v.toFixed(most - 1 - power) : e.replace(/e(.)(\d)$/, "e$10$2");
  return isShort ? all.replace(/\.0*(?=e|$)|(\.\d*[1-9])0+(?=e|$)/, "$1") : all;
}

// Integers of 64 bits do not fit into a double.
const cut = (n, t) => (BITS[t][1] ? BigInt.asIntN : BigInt.asUintN)(BITS[t][0], n);
const exact = (x) => x.big ?? BigInt(Math.trunc(x.v));
function whole(n, t) {
  const big = cut(n, t), v = Number(big);
  return { v, big: BigInt(v) === big ? undefined : big };
}
function fit(x, t) {
  const isLong = x.big !== undefined || (t === "L" && x.v < 0 && Number.isFinite(x.v));
  return isLong && BITS[t] ? whole(exact(x), t) : { v: fitted(x.v, t), big: undefined };
}
const OPERATORS = { "==": (p, q) => p === q, "!=": (p, q) => p !== q, "<": (p, q) => p < q, ">": (p, q) => p > q,
  "<=": (p, q) => p <= q, ">=": (p, q) => p >= q, "+": (p, q) => p + q, "-": (p, q) => p - q, "*": (p, q) => p * q,
  "/": (p, q) => p / q, "%": (p, q) => p % q, "<<": (p, q) => p << q, ">>": (p, q) => p >> q,
  "&": (p, q) => p & q, "|": (p, q) => p | q, "^": (p, q) => p ^ q };
Object.assign(CONSTANTS, { CLOCKS_PER_SEC: number(1e6, "l"), INT_MAX: 2 ** 31 - 1,
  INT64_MAX: { ...whole(2n ** 63n - 1n, "l"), t: "l" }, UINT64_MAX: { ...whole(-1n, "L"), t: "L" },
  FLT_MAX: number((2 - 2 ** -23) * 2 ** 127, "f"), DBL_MAX: number(Number.MAX_VALUE, "d") });
const order = (a, b) => (computed("<", a, b).v ? -1 : computed("<", b, a).v);

// The times that a number was computed from.
const scaled = (of, by) => ({
  ...(of.reads && { reads: of.reads.map((each) => ({ ...each, k: each.k * by })) }),
  ...(of.spans && { spans: of.spans.map((each) => ({ ...each, k: each.k * by })) })
});

function together(a, b) { // readings that have the opposite k are the two ends of a span
  const reads = [...(a.reads ?? []), ...(b.reads ?? [])], spans = [...(a.spans ?? []), ...(b.spans ?? [])];
  for (let i = 0; i < reads.length; i++) {
    const j = reads.findIndex((each, n) => n > i && each.by === reads[i].by &&
      Math.abs(each.k / reads[i].k + 1) < 1e-9);
    if (j < 0) continue;
    const [to, from] = reads[i].k > 0 ? [reads[i], reads[j]] : [reads[j], reads[i]];
    spans.push({ span: { by: to.by, from: from.at, to: to.at, lines: [from.line, to.line],
      where: [from.where, to.where] }, k: to.k });
    reads.splice(j, 1);
    reads.splice(i--, 1);
  }
  return { ...(reads.length && { reads }), ...(spans.length && { spans }) };
}

function computed(sign, a, b) {
  const t = RANK[Math.max(RANK.indexOf(a.t), RANK.indexOf(b.t), 5)], // the usual arithmetic conversions
    unknown = a.unknown ?? b.unknown, isReal = t === "f" || t === "d";
  if (unknown) return { v: NaN, t, unknown };
  let { v: x } = a, { v: y } = b;
  if (t === "u" && /^([<>!=]=?|[\/%])$/.test(sign)) [x, y] = [fitted(x, t), fitted(y, t)];
  const isShift = /^(<<|>>)$/.test(sign), shifted = isShift ? RANK[Math.max(RANK.indexOf(a.t), 5)] : t;
  const size = sign === "*" ? x * y : sign === "<<" ? x * 2 ** y : Math.abs(x) + Math.abs(y);
  const isLong = !isReal && (/^[&|^]$/.test(sign) || Math.abs(size) > 2 ** 53 ||
    (shifted === "L" && (x < 0 || y < 0 || (sign === "-" && x < y))));
  const n = isLong ? OPERATORS[sign](cut(exact(a), shifted), isShift ? exact(b) : cut(exact(b), t)) : null;
  if (typeof n === "boolean") return number(+n, "b");
  if (isLong && !/^[-+*\/]$/.test(sign)) return { ...whole(n, shifted), t: shifted };
  if (/^([<>]=?|[!=]=)$/.test(sign)) return number(+OPERATORS[sign](x, y), "b");
  const per = a.per ?? b.per, made = (v, more) => ({ ...(isLong ? whole(n, t) : { v: fitted(v, t) }), t,
    ...(per && { per }), ...more });
  switch (sign) {
    case "+": return made(x + y, together(a, b));
    case "-": return made(x - y, together(a, { ...b, ...scaled(b, -1) }));
    case "*": {
      const inner = a.spans || a.reads ? (b.spans || b.reads ? {} : scaled(a, y)) : scaled(b, x);
      return made(x * y, { isRate: a.isRate || b.isRate, ...inner });
    }
    case "/": return { ...made(isReal ? x / y : Math.trunc(x / y)), ...(a.per && b.per && { per: undefined }),
      ...(b.spans ? { isRate: !a.spans } : { isRate: a.isRate, ...scaled(a, 1 / y) }) };
    case "%": return made(x % y);
    case "<<": return number(fitted(x * 2 ** y, shifted), shifted);
  }
  return number(Math.floor(x / 2 ** y), shifted); // >>
}

class Runner {
  // settings: blocks, threads, launches, work (ns) and idle (%) of the sliders, and bytes
  // `prelude`: the names that are declared nowhere, from a run before: they are made when the program begins.
  constructor(times, settings, text, prelude = new Map()) {
    Object.assign(this, { times, settings, text, prelude });
    this.machine = new Machine(times, settings.idle);
    this.printed = []; // {v, unit, ns, spans, line}
    this.failed = []; // {line, error}: what a call returned
    this.notes = []; // {line, text, name}: what was taken for what; `name`: it is declared nowhere
    this.assumed = new Map(); // names that are declared nowhere: what they were taken for
    this.acts = []; // the calls of CUDA: {name, line, where, from, to: the host's time}
    this.statics = new Map();
    this.steps = this.depth = this.frames = this.lastError = 0;
  }
  refuse(english, chinese, line = this.machine.line) { return new Unknown(say(english, chinese), line); }
  refuseIt(e, english, chinese) {
    const name = e.to > e.from ? `'${this.text.slice(e.from, e.to)}'` : say("this", "这");
    return this.refuse(`${name} ${english}`, `${name} ${chinese}`, e.line);
  }
  run() {
    const error = this.once(), isMade = ({ kind }) => /^(event|stream|device|pinned)$/.test(kind);
    if (!this.prelude.size && [...this.assumed.values()].some(isMade))
      return new Runner(this.times, this.settings, this.text, this.assumed).run();
    if (error) throw error;
    return this;
  }
  once() {
    try {
      this.reader = new Reader(this.text);
      this.scope = this.globals = { names: new Map(), outer: null };
      this.frame = { id: 0, s: null, up: null };
      this.body = this.reader.program();
      for (const [name, each] of this.prelude)
        if (!/^(kernel|function|check|handle)$/.test(each.kind)) this.assume(name, each.kind, each.line, each.x);
      const functions = this.body.filter((each) => each.is === "function"), { names } = this.globals;
      for (const fn of functions) {
        if (names.has(fn.name)) throw this.refuse(`'${fn.name}' is there twice`, `'${fn.name}' 有两个`, fn.line);
        names.set(fn.name, { x: { fn } });
      }
      this.main = functions.find((each) => each.name === "main");
      this.isWhole = !!this.main;
      const open = this.isWhole && this.body.find((each) => !/^(function|kernel|block)$/.test(each.is) &&
        !(each.made && each.made.isDeclaration));
      if (open) throw this.refuse("a statement outside of any function", "函数之外的语句", open.line);
      for (const each of this.body) if (this.execute(each)) break;
      if (this.main) this.call(this.main, this.main.parameters.map(({ type }) => (type.pointer ? { p: { kind: "host",
        cells: [{ x: { text: "./stopwatch" } }], count: 1 }, o: 0 } : number(1))));
    } catch (error) {
      const known = error instanceof RangeError ? this.refuse("too much for this page", "超出本页能力") : error;
      if (known instanceof Stopped) this.ended = known;
      else if (known instanceof Unknown && this.printed.some((each) => each.spans)) {
        this.stopped = true;
        this.note(known.line, say(`not run from here on: ${known.message}`, `从这里起不再运行：${known.message}`));
      } else return Object.assign(known, { line: known.line ?? this.machine.line });
    }
    return null;
  }
  note(line, text) {
    if (!this.notes.some((each) => each.line === line && each.text === text)) this.notes.push({ line, text });
  }

  // ---- Names, types, memory ----

  find(name) {
    for (let { scope } = this; scope; scope = scope.outer) if (scope.names.has(name)) return scope.names.get(name);
    return null;
  }
  inside(names, work, outer = this.scope) {
    const before = this.scope;
    this.scope = { names, outer };
    try {
      return work();
    } finally {
      this.scope = before;
    }
  }
  letter(type) { return type && !type.pointer && NUMBERS[type.base] ? NUMBERS[type.base][0] : null; }
  // The ns of a tick, and the letter, of a duration.
  durationOf({ base, of }) {
    if (base in PERIOD_NS) return { per: PERIOD_NS[base], t: "l" };
    if (base === "time_point" || (base === "duration" && !of)) return { per: 1, t: "l" };
    if (base !== "duration") return null;
    const per = of[1] ? PERIOD_NS[of[1].base] : 1e9, t = this.letter(of[0]);
    if (!per || !t) throw notKnown(say("this duration", "这种 duration"));
    return { per, t };
  }
  bytesOf(type) {
    if (type.pointer) return 8;
    if (NUMBERS[type.base]) return NUMBERS[type.base][1];
    if (ROOMS[type.base]) return ROOMS[type.base];
    throw notKnown(`sizeof(${type.base})`);
  }
  // A variable of this type, before it has a value.
  blank(type, name = "") {
    const { base, pointer } = type, t = this.letter(type);
    if (pointer) return { none: name || "*", v: NaN, t: "L" };
    if (t) return { v: NaN, t, none: name || base };
    if (base === "cudaEvent_t") return { event: null, name };
    if (base === "cudaStream_t") return { stream: null, name };
    if (base === "vector") return { ...this.list(type.of[0], 0, name), isVector: true };
    const long = plain("long"), struct = (cells) => ({ fields: new Map(cells) });
    if (base === "dim3")
      return struct(["x", "y", "z"].map((each) => [each, { x: number(1, "u"), type: plain("uint") }]));
    if (base === "timespec" || base === "timeval")
      return struct(["tv_sec", base === "timespec" ? "tv_nsec" : "tv_usec"].map((each) => [each,
        { x: this.blank(long, each), type: long }]));
    if (base === "cudaDeviceProp") return struct([["name", { x: { text: "a model of an H200" } }]]);
    const duration = this.durationOf(type);
    if (duration) return { v: NaN, ...duration, none: name };
    throw this.refuse(`'${base}' is not understood here`, `这里的 '${base}' 读不懂`);
  }
  list(type, count, name) {
    if (!(count >= 0)) throw this.refuse("the length of this list is not known", "列表长度未知");
    return { p: { kind: "host", cells: [], type, count, name }, o: 0 };
  }
  at({ p, o }, index = 0) {
    const i = o + index;
    if (!p || p.kind === "device")
      throw this.refuse(`the host cannot use the memory of '${p.name ?? "d"}'`, `主机不能使用 '${p.name ?? "d"}' 的内存`);
    if (Number.isNaN(i)) throw notKnown(say(`this index of '${p.name ?? "*"}'`, `'${p.name ?? "*"}' 的这个下标`));
    if (i < 0 || i >= p.count) throw this.refuse(`'${p.name ?? "*"}' has ${p.count} elements, and none is number ${i}`,
      `'${p.name ?? "*"}' 共 ${p.count} 个元素，没有第 ${i} 个`);
    if (p.cells[i]) return p.cells[i];
    if (!p.type) throw this.refuse(`the type of '${p.name ?? "*"}' is not known`, `'${p.name ?? "*"}' 的类型未知`);
    const t = this.letter(p.type), name = `${p.name ?? ""}[${i}]`;
    return (p.cells[i] = { type: p.type, name, x: p.unknown && t ? { v: NaN, t, unknown: p.unknown }
      : p.isZero && t ? number(0, t) : this.blank(p.type, name) });
  }
  copyOf(value) {
    if (value.isVector) throw this.refuse("a copy of a vector is not understood", "读不懂 vector 的复制");
    if (!value.fields) return value;
    return { fields: new Map([...value.fields].map(([name, cell]) => [name, { ...cell }])) };
  }
  // A value as one of this type.
  as(value, type) {
    if (value.isVector || !type || type.base === "auto") return this.copyOf(value);
    const t = this.letter(type), duration = type.pointer ? null : this.durationOf(type), { base } = type;
    if (type.pointer) {
      if (value.p || value.text !== undefined || value.v === 0 || value.none || value.unknown) return value;
    } else if (t) {
      if (value.v !== undefined && !value.per) return { ...value, ...fit(value, t), t };
    } else if (duration) {
      if (value.per) return this.cast(value, duration);
    } else if (value.v !== undefined && base === "dim3") {
      const made = this.blank(type);
      made.fields.get("x").x = number(fitted(value.v, "u"), "u");
      return made;
    } else if (value.v === 0 && base === "cudaStream_t") return { stream: null, name: "0" };
    else if (base === "cudaEvent_t" ? value.event !== undefined : base === "cudaStream_t" ? value.stream !== undefined
      : value.fields) return this.copyOf(value);
    throw this.refuse(`this is no '${base}'`, `这不是 '${base}'`);
  }
  cast(value, { per, t }) {
    const by = value.per / per, v = value.v * by;
    return { v: t === "l" ? Math.trunc(v + Math.sign(v) * 1e-9) : fitted(v, t), t, per, none: value.none,
      unknown: value.unknown, ...scaled(value, by) };
  }
  store(cell, value) {
    return (cell.x = this.as(value, cell.type));
  }
  // A name that is declared nowhere is one of the page's, or a slider's.
  assume(name, kind, line, x) {
    const { machine: m, settings: { bytes } } = this, { T } = m, words = {
      event: ["events", "事件"], stream: ["streams", "流"], ms: ["float", "float"],
      any: ["not needed by the kernel", "核函数不需要"],
      device: ["100,000 bytes of the GPU", "GPU 上的 100,000 字节"], host: ["100,000 bytes of the host", "主机的 100,000 字节"],
      pinned: ["100,000 bytes of pinned memory", "100,000 字节锁页内存"],
      list: ["a list of 1000 floats", "1000 个 float 的列表"],
      slider: ["the sliders below", "下面的滑块"] }[kind];
    if (words) this.notes.push({ line, text: say(...words), name: x && kind === "slider" ? `${name} = ${x.v}` : name });
    this.assumed.set(name, { kind, x, line });
    const cost = { event: T.event_create, stream: T.stream_create, device: T.allocate, pinned: T.allocate_host }[kind];
    if (cost) this.start(), m.works(cost);
    const char = plain("char"), float = plain("float");
    const cell = kind === "event" ? { x: { event: { name } } } : kind === "list" ? { x: this.list(float, 1000, name) }
      : kind === "stream" ? { x: { stream: { name, apart: name === "stream" } } }
      : kind === "ms" ? { x: number(0, "f"), type: float }
      : kind === "pointer" ? { x: number(0), type: { ...char, pointer: 1 } }
      : /^(device|host|pinned)$/.test(kind) ? { x: { p: { kind, cells: [], type: char, bytes }, o: 0 } }
      : { x, name, type: x && plain(LETTERS[x.t]) };
    if (kind !== "kernel") this.globals.names.set(name, cell);
    return cell;
  }
  isFree(e) { return e && e.is === "name" && !this.find(e.name) && !(e.name in CONSTANTS); }
  cell(e) {
    switch (e.is) {
      case "name": {
        const cell = this.find(e.name), { settings: s } = this;
        if (cell) return cell;
        const slider = { blocks: s.blocks, threads: s.threads, bytes: s.bytes,
          N: isSize(this.text) ? undefined : s.launches }[e.name];
        if (slider !== undefined)
          return this.assume(e.name, "slider", e.line, number(slider, e.name === "bytes" ? "L" : "i"));
        const kind = { ms: "ms", each: "list", d: "device", h: "host", p: "pinned", stream: "stream" }[e.name];
        if (kind) return this.assume(e.name, kind, e.line);
        throw this.refuse(`'${e.name}' is not declared`, `'${e.name}' 没有声明`, e.line);
      }
      case "index": {
        const of = this.value(e.of);
        if (!of.p) throw this.refuseIt(e.of, "has no elements", "没有元素");
        return this.at(of, this.value(e.index).v);
      }
      case "member": {
        const of = this.value(e.of), { fields } = of.p && !of.isVector ? this.at(of).x : of;
        const cell = fields && fields.get(e.name);
        if (!cell) throw notKnown(`'.${e.name}'`, e.line);
        return cell;
      }
      case "unary":
        if (e.sign === "*") {
          const of = this.value(e.of);
          return of.p ? this.at(of) : this.none(of, e);
        }
        break;
      case "cast":
        return this.cell(e.of); // (void **)&p
    }
    return { x: this.value(e) };
  }
  none(of, e) {
    if (of && of.unknown) throw new Unknown(of.unknown, e.line);
    if (of && of.none !== undefined)
      throw this.refuse(`'${of.none}' has no value here`, `'${of.none}' 在这里还没有值`, e.line);
    if (this.called) throw notKnown(say(`'${this.called}()' with these arguments`, `'${this.called}()' 的参数`), e.line);
    throw this.refuseIt(e, "is not understood here", "在这里读不懂");
  }

  // ---- Statements: each returns nothing, or how the block ends ----

  execute(s) {
    this.frame.s = s;
    this.counts(s);
    this.machine.line = s.line;
    switch (s.is) {
      case "block":
        return this.inside(new Map(), () => {
          for (const each of s.body) {
            const end = this.execute(each);
            if (end) return end;
          }
          return undefined;
        });
      case "return":
        return { is: "return", value: s.made ? this.value(s.made) : null };
      case "break":
      case "continue":
        return s;
      case "expression":
        return void this.value(s.made);
      case "if": {
        const test = this.value(s.test);
        if (test.unknown) return this.unsure(s, test.unknown);
        const way = this.isTrue(test, s) ? s.body : s.otherwise;
        return way ? this.execute(way) : undefined;
      }
      case "loop":
        return this.loop(s);
    }
    return undefined; // a function, a kernel
  }
  counts(s) {
    const isLong = this.pureSince !== undefined && this.steps - this.pureSince > PURE_STEPS;
    if (++this.steps > STEPS || isLong)
      throw Object.assign(this.refuse("too many rounds for this page", "循环次数太多", s.line), { isLong });
  }
  loop(s) {
    s.isTimed ??= this.isTimed(s);
    if (s.isTimed || this.pureSince !== undefined) return this.rounds(s);
    this.pureSince = this.steps; // it takes no time on the machine; if it is long, its results are not known
    try {
      return this.rounds(s);
    } catch (error) {
      if (!error.isLong) throw error;
      this.forget(s, say("what this long loop computes is not known on this page", "本页不知道这个长循环的结果"));
      if (this.leaves(s)) this.note(s.line, say("taken as if no round of this long loop ends the program",
        "假定这个长循环不会结束程序"));
      this.steps = this.pureSince;
      return undefined;
    } finally {
      this.pureSince = undefined;
    }
  }
  rounds(s) {
    return this.inside(new Map(), () => {
      if (s.first) this.value(s.first);
      const isEndless = !s.test || (s.test.is === "number" && s.test.v) || s.test.name === "true";
      if (isEndless && !this.leaves(s.body)) throw this.refuse("this loop never ends", "这个循环永不结束", s.line);
      for (let isFirst = !!s.isDo; ; isFirst = false) {
        this.counts(s);
        if (!isFirst && s.test && !this.isTrue(this.value(s.test), s.test)) return undefined;
        const end = this.execute(s.body);
        if (end && end.is === "break") return undefined;
        if (end && end.is === "return") return end;
        if (s.step) this.value(s.step);
      }
    });
  }
  // An `if` of which nobody here knows whether it is true.
  unsure(s, unknown) {
    const ways = [s.body, s.otherwise].filter(Boolean), leaving = ways.find((each) => this.leaves(each));
    if (leaving) {
      this.note(s.line, say(`${unknown}: taken as if the program goes on`, `${unknown}：假定程序继续`));
      const other = ways.find((each) => each !== leaving);
      return other ? this.execute(other) : undefined;
    }
    for (const each of ways) {
      if (this.isTimed(each, true)) throw new Unknown(unknown, s.line);
      this.forget(each, unknown);
    }
    return undefined;
  }
  contains(node, is) {
    if (!node || typeof node !== "object") return false;
    return is(node) || Object.values(node).some((each) => this.contains(each, is));
  }
  leaves(node) {
    return this.contains(node, (each) => /^(return|break|continue)$/.test(each.is) ||
      (each.is === "call" && each.of.name === "exit"));
  }
  // Does this call what takes time, or what is not known to take none?
  isTimed(node, mayPrint = false) {
    return this.contains(node, (each) => each.is === "launch" || (each.name === "cout" && !mayPrint) ||
      (each.is === "call" && !(PURE.test(each.of.name) || this.isPure(each.of.name) ||
        (mayPrint && /^(printf|fprintf|cudaGetErrorString)$/.test(each.of.name)))));
  }
  isPure(name) {
    const { fn } = (this.find(name) ?? {}).x ?? {};
    if (fn && fn.isPure === undefined) {
      fn.isPure = true; // if it calls itself
      const isShared = (each) => each.static || (each.is === "name" && this.globals.names.has(each.name));
      fn.isPure = !fn.parameters.some((each) => each.type.pointer) && !this.isTimed(fn.body) &&
        !this.contains(fn.body, isShared);
    }
    return !!fn && fn.isPure;
  }
  // What is changed in these lines is not known any more.
  forget(lines, unknown) {
    this.contains(lines, (node) => {
      const to = node.is === "assign" ? node.left : /^(\+\+|--)$/.test(node.sign) ? node.of : null;
      let root = to;
      while (root && root.of) root = root.of;
      const cell = root && root.is === "name" && this.find(root.name); // or it is declared inside
      if (!cell) return false;
      if (cell.x.p && to.is !== "name") this.spoil(cell.x.p, unknown);
      else if (cell.x.fields) for (const field of cell.x.fields.values()) field.x = { v: NaN, t: "d", unknown };
      else cell.x = { v: NaN, t: cell.x.t ?? "d", unknown };
      return false;
    });
  }
  spoil(memory, unknown) {
    for (const each of memory.cells) {
      if (each && each.x.p && each.x.p !== memory) this.spoil(each.x.p, unknown);
      else if (each) each.x = { v: NaN, t: each.x.t ?? "d", unknown };
    }
    memory.unknown = unknown;
  }
  isTrue(value, e) {
    if (value.unknown || value.none !== undefined) this.none(value, e);
    return value.v !== undefined ? !!value.v : true;
  }
  declare({ parts }) {
    let last = null;
    for (const one of parts) {
      const { names } = this.scope, old = names.get(one.name);
      if (old && old.by !== one && !this.assumed.has(one.name))
        throw this.refuse(`'${one.name}' is declared twice`, `'${one.name}' 声明了两次`, one.line);
      this.machine.line = one.line;
      if (one.type.pointer && !old) names.set(one.name, { x: this.blank(one.type, one.name), type: one.type, by: one });
      last = one.type.static && this.depth ? this.statics.get(one) ?? this.made(one) : this.made(one);
      if (one.type.static) this.statics.set(one, last);
      names.set(one.name, last);
    }
    return last.x;
  }
  // The cell of a declared name.
  made(one, name = one.name) {
    const isAuto = one.type.base === "auto", x = this.initial(one, name);
    const own = x.t && !x.per ? plain(LETTERS[x.t]) : null;
    return { x, by: one, type: one.dims.length ? null : isAuto ? own : one.type, name };
  }
  initial({ type, dims, from, given }, name) {
    const isZero = type.static || (this.depth === 0 && this.isWhole);
    if (dims.length) return this.array(type, dims.map((dim) => (dim ? this.value(dim).v : null)), from, isZero, name);
    if (from && from.is === "braces") return this.build(type, from.parts, true, name);
    if (from) return this.as(this.value(from), type);
    if (given) return this.build(type, given, false, name);
    const made = this.blank(type, name);
    return isZero && made.none !== undefined && !made.per ? number(0, made.t) : made;
  }
  // An array; a list of values gives its first elements.
  array(type, [count, ...rest], from, isZero, name) {
    if (from && from.is === "text") return { text: from.text };
    const parts = from && from.parts, made = this.list(type, count ?? (parts ?? []).length, name);
    made.p.isZero = isZero || !!parts;
    made.p.room = rest.reduce((n, each) => n * each, 1);
    for (let i = 0; i < (rest.length ? made.p.count : (parts ?? []).length); i++) {
      const each = parts && parts[i];
      if (rest.length) made.p.cells[i] = { x: this.array(type, rest, each, made.p.isZero, `${name}[${i}]`) };
      else if (each.is === "braces") this.at(made, i).x = this.build(type, each.parts, true);
      else this.at(made, i).x = this.as(this.value(each), type);
    }
    return made;
  }
  // Type(...) or Type{...}
  build(type, parts, isBraces = false, name = "") {
    const { base } = type, t = this.letter(type), made = this.blank(type, name), first = parts[0];
    if (made.isVector) {
      if (isBraces) for (const each of parts) this.at(made, made.p.count++).x = this.as(this.value(each), type.of[0]);
      else {
        const count = parts.length ? this.value(first) : number(0);
        if (!(count.v >= 0) && !count.unknown) throw notKnown("vector(...)", this.machine.line);
        if (count.unknown) this.none(count, first);
        made.p.count = count.v;
        made.p.isZero = parts.length < 2;
        if (parts[1]) made.p.unknown = say("what is in this list is not known on this page", "本页不知道这个列表的内容");
      }
      return made;
    }
    if (made.fields && (isBraces || base === "dim3")) {
      const cells = [...made.fields.values()], values = parts.map((each) => this.value(each));
      if (values.length === 1 && values[0].fields) return this.copyOf(values[0]);
      values.forEach((each, i) => {
        if (!cells[i]) throw notKnown(`'${base}(...)'`, this.machine.line);
        cells[i].x = this.as(each, cells[i].type);
      });
      for (const cell of cells.slice(parts.length)) if (cell.x.none !== undefined) cell.x = number(0, cell.x.t);
      return made;
    }
    if (parts.length > 1) throw notKnown(`'${base}(...)'`, this.machine.line);
    const value = parts.length ? this.value(first) : number(0, t ?? "i");
    const duration = !type.pointer && !value.per && this.durationOf(type);
    return duration ? { ...value, v: fitted(value.v, duration.t), ...duration } : this.as(value, type);
  }

  // ---- Values ----

  value(e) {
    switch (e.is) {
      case "number":
      case "text":
        return e;
      case "name": {
        const cell = this.find(e.name);
        if (cell) return cell.x;
        if (e.name in CONSTANTS) return CONSTANTS[e.name].t ? CONSTANTS[e.name] : number(CONSTANTS[e.name]);
        return this.cell(e).x;
      }
      case "comma":
        if (e.isDeclaration) return this.declare(e);
        return e.parts.map((each) => this.value(each)).pop();
      case "assign": {
        const value = this.value(e.right), cell = this.cell(e.left);
        if (e.sign === "=") return this.store(cell, value);
        return this.store(cell, this.compute(e.sign.slice(0, -1), cell.x, value, e));
      }
      case "choose": {
        const test = this.value(e.test);
        if (test.unknown) return { v: NaN, t: "d", unknown: test.unknown };
        return this.value(this.isTrue(test, e) ? e.yes : e.no);
      }
      case "binary":
        return this.binary(e);
      case "unary":
        return this.unary(e);
      case "after": {
        const cell = this.cell(e.of), before = cell.x;
        this.add(cell, e);
        return before;
      }
      case "index":
      case "member":
        return this.cell(e).x;
      case "cast": {
        const value = this.value(e.of), { type } = e;
        if (type.base === "void" && !type.pointer) return number(0);
        if (type.pointer && value.p) {
          const to = { ...type, pointer: type.pointer - 1 }, from = (value.p.type ??= to);
          if (to.base !== "void" && from.base !== "void" && this.bytesOf(from) !== this.bytesOf(to))
            throw notKnown(say("this cast of a pointer", "这个指针转换"), e.line);
        }
        return this.as(value, type);
      }
      case "sizeof":
        return number(e.type ? this.bytesOf(e.type) : this.roomOf(e.of), "L");
      case "construct":
        return this.build(e.type, e.parts, true);
      case "launch":
        return this.launch(e);
      case "call":
        return this.callOf(e);
    }
    return this.none({}, e);
  }
  roomOf(e) {
    const cell = e.is === "index" || e.sign === "*" ? null : this.cell(e), { p } = (cell ? cell.x : this.value(e.of));
    const isArray = cell && cell.by && cell.by.dims.length, isRow = e.is === "index" && p && p.room > 1;
    const list = isRow ? this.cell(e).x.p : isArray ? p : null, outer = (cell ?? this.cell(e.of)).type;
    if (list) return this.bytesOf(list.type) * list.count * list.room;
    const type = cell || !outer ? outer : { ...outer, pointer: outer.pointer - 1 };
    if (type ?? (p && p.type)) return this.bytesOf(type ?? p.type);
    throw notKnown("sizeof", e.line);
  }
  moved(of, by) {
    if (Number.isNaN(by)) throw notKnown(say("this offset", "这个偏移"));
    return { p: of.p, o: of.o + by };
  }
  compute(sign, a, b, e) {
    if (a.p && b.p && sign === "-") return number(a.o - b.o, "l");
    if (a.p && b.v !== undefined && /^[-+]$/.test(sign)) return this.moved(a, sign === "+" ? b.v : -b.v);
    if (b.p && a.v !== undefined && sign === "+") return this.moved(b, a.v);
    if ((a.p || b.p) && /^[=!]=$/.test(sign)) return number(+((a.p === b.p && a.o === b.o) === (sign === "==")), "b");
    for (const each of [a, b]) {
      if (each.none !== undefined && !this.failed.length) this.none(each, e);
      if (each.v === undefined) throw notKnown(say(`'${sign}' of these`, `它们的 '${sign}'`), e.line);
    }
    const isReal = /[fd]/.test(a.t + b.t), isUnknown = a.unknown || b.unknown;
    if (a.per && b.per && a.per !== b.per) {
      const common = { per: Math.min(a.per, b.per), t: isReal ? "d" : "l" };
      return this.compute(sign, this.cast(a, common), this.cast(b, common), e);
    }
    const isWhole = /^(%|<<|>>|&|\||\^)$/.test(sign);
    if (isWhole && (isReal || (Number.isNaN(a.v + b.v) && !isUnknown)))
      throw notKnown(say(`'${sign}' of these`, `它们的 '${sign}'`), e.line);
    if (/^[\/%]$/.test(sign) && b.v === 0 && !isReal) throw this.refuse("a division by 0", "除以 0", e.line);
    return computed(sign, a, b);
  }
  binary(e) {
    if (e.sign === "&&" || e.sign === "||") {
      const a = this.value(e.left);
      if (a.unknown) return { ...a, t: "b" };
      if (this.isTrue(a, e) === (e.sign === "||")) return number(+(e.sign === "||"), "b");
      const b = this.value(e.right);
      return b.unknown ? { ...b, t: "b" } : number(+this.isTrue(b, e), "b");
    }
    let left = e;
    const parts = [];
    for (; left.is === "binary" && left.sign === "<<"; left = left.left) parts.unshift(left.right);
    if (/^(cout|cerr)$/.test(left.name) && !this.find(left.name)) {
      const isStyle = ({ is, name, of, given }) => {
        if (name === "fixed") this.isFixed = true;
        if (is === "call" && of.name === "setprecision") this.digits = this.value(given[0]).v;
        return /^(endl|fixed|flush)$/.test(name) || (is === "call" && /^set(w|precision)$/.test(of.name));
      };
      const values = parts.map((each) => (isStyle(each) ? { text: "" } : { ...this.value(each), argument: each }));
      return left.name === "cout" ? this.show(values, e.line) : number(0);
    }
    this.ordered(e, [e.left, e.right]);
    return this.compute(e.sign, this.value(e.left), this.value(e.right), e);
  }
  unary(e) {
    if (e.sign === "&") {
      if (e.of.is === "index") {
        const of = this.value(e.of.of);
        if (of.p) return this.moved(of, this.value(e.of.index).v);
      }
      const cell = this.cell(e.of);
      return { p: { kind: "host", cells: [cell], count: 1, type: cell.type }, o: 0 };
    }
    if (e.sign === "*") return this.cell(e).x;
    if (e.sign === "++" || e.sign === "--") return this.add(this.cell(e.of), e);
    const of = this.value(e.of);
    if (e.sign === "!") return of.unknown ? { ...of, t: "b" } : number(+!this.isTrue(of, e), "b");
    if (of.v === undefined) throw notKnown(say(`'${e.sign}' of this`, `它的 '${e.sign}'`), e.line);
    if (e.sign === "-") {
      const made = this.compute("-", number(0), of, e);
      return /[fd]/.test(made.t) ? { ...made, v: -of.v } : made;
    }
    if (e.sign === "~") return this.compute("-", number(-1, of.t), of, e);
    return this.compute("+", number(0), of, e);
  }
  add(cell, e) {
    return this.store(cell, this.compute(e.sign[0], cell.x, number(1), e));
  }
  // C++ does not say which of two arguments comes first.
  ordered(e, parts) {
    e.isOrdered ??= parts.filter((each) => this.isTimed(each, true)).length < 2;
    if (!e.isOrdered) throw this.refuse(
      "two of these take time, and C++ does not say which comes first: give them lines of their own",
      "其中两个都要用时，而 C++ 没有规定先后：请分成单独的行", e.line);
  }

  // ---- Calls ----

  launch(e) {
    const { line, shape } = e, { name } = e.of, known = this.reader.kernels.get(name);
    if (!name || this.find(name) || shape.length < 2) throw this.refuseIt(e, "is not understood", "读不懂");
    const dims = (one, usual) => {
      const isOwn = this.isFree(one) && !/^(blocks|threads|N|bytes)$/.test(one.name);
      const value = isOwn ? this.assume(one.name, "slider", line, number(usual)).x : this.value(one);
      return (value.fields ? [...value.fields.values()].map((each) => each.x) : [value]).map((each) => {
        if (Number.isNaN(each.v ?? NaN)) this.none(each, e);
        return fitted(each.v, "u");
      });
    };
    const grid = dims(shape[0], this.settings.blocks), block = dims(shape[1], this.settings.threads);
    const shared = shape[2] ? this.value(shape[2]) : number(0), stream = this.stream(shape[3]);
    if (!(shared.v >= 0 && shared.v <= 49152)) throw this.refuse(
      `${shared.v} bytes of shared memory are not in the page's model`, `本页的模型没有 ${shared.v} 字节的共享内存`, line);
    const given = e.given.map((each) => {
      const isOwn = this.isFree(each) && !/^([dhpN]|bytes)$/.test(each.name);
      const value = isOwn ? this.assume(each.name, "any", line, number(0)).x : this.value(each);
      if (value.none !== undefined) this.none(value, each);
      return value;
    });
    if (known) this.counted(name, known, given, line);
    const m = this.machine, [groups, threads] = [grid, block].map((list) => list.reduce((n, each) => n * each, 1));
    const kind = known ? this.kindOf(known, given, line) : this.kindOfOwn(name, given, line);
    const onGpu = given.slice(0, 7).filter(({ p }) => p && p.kind === "device")
      .map((each) => ({ p: each.p, room: this.roomAt(each) }));
    const data = onGpu.find((each) => each.room >= 256),
      bytes = data ? onGpu.reduce((sum, { room }) => sum + Math.min(room, 4 * groups * threads), 0) : 0;
    for (const [i, { p }] of given.entries())
      if (p && p.kind === "host")
        throw this.refuseIt(e.given[i], "is the host's memory: a kernel cannot use it", "是主机的内存：核函数不能使用");
      else if (p && p.kind === "pinned")
        this.spoil(p, writtenByKernel());
    const isSlow = bytes && this.settings.idle < 100;
    if (isSlow) this.slowBlocks = (this.slowBlocks ?? 0) + groups;
    if (groups > 4e6 || m.commands.length > 20000 || (isSlow && this.slowBlocks > 200000))
      throw this.refuse("more launches, or more blocks, than this page computes", "启动次数或块数超过本页上限", line);
    this.start();
    if (data && this.evicted && this.evicted !== data.p) throw this.refuse(
      "here the L2 cache has lost the kernel's data to a large buffer: this is not in the page's model",
      "这里核函数的数据已被挤出 L2 缓存：本页的模型没有它", line);
    if (data) this.evicted = data.p.bytes >= 2 * m.T.l2_kib * 1024 ? data.p : null;
    const isPossible = grid.every((each, i) => each > 0 && each <= (i ? 65535 : 2147483647)) &&
      block.every((each, i) => each > 0 && (i < 2 || each <= 64));
    const answer = m.launch(`${name}<>`, { groups: isPossible ? groups : 0, threads, bytes, stream, ...kind });
    if (answer !== "cudaSuccess") return this.fails(answer, line);
    Object.assign(m.commands[m.commands.length - 1], { label: name, where: this.where() });
    return number(0);
  }
  fails(error, line) {
    this.failed.push({ line, error, where: this.where() });
    return number((this.lastError = ERRORS[error]));
  }
  kindOfOwn(name, given, line) { // its parameters are those of its first launch
    const list = given.map((each) => (each.p ? "p" : "n")).join(""), old = this.assumed.get(name);
    if (old && old.list !== list) throw this.refuse(`'${name}' had other arguments in line ${old.line}`,
      `'${name}' 在第 ${old.line} 行的参数不同`, line);
    this.assumed.set(name, old ?? { kind: "kernel", line, list });
    return name === "hold" ? { work: 0, hold: { ns: 1e6 } } : { work: EMPTY.test(name) ? 0 : this.settings.work };
  }
  // What a kernel's body does, as far as the page knows it: nothing; it waits by a clock, or counts; else its code
  // takes as long as the slider says.
  kindOf(kernel, given, line) {
    const { text, parameters, name } = kernel, all = [...this.reader.kernels.values()];
    const numberOf = (word) => {
      const i = parameters.indexOf(word), plain = word.replace(/[uUlL]+$/, ""), cell = this.globals.names.get(word);
      const { v } = i >= 0 ? given[i] : /^[\d.e]+$/i.test(plain) ? number(Number(plain)) : cell ? cell.x : {};
      const isOwn = new RegExp(`\\b${word} [-+*/]?=(?!=)`).test(text); // a variable of the kernel
      if (!(v >= 0) || isOwn)
        throw this.refuse(`how long '${name}' waits is not understood`, `读不懂 '${name}' 等多久`, line);
      return v;
    };
    if (!text.trim()) return { work: 0 };
    kernel.isKept = true;
    const counts = new RegExp("^(?:if \\( threadIdx[^{;]*?== 0(?: && threadIdx \\. \\w == 0)* \\) )?for \\( int " +
      "(\\w+) = 0 ; \\1 < (\\w+) ; (?:\\1 \\+\\+|\\+\\+ \\1) \\) (?:;|\\{ \\})$").exec(text);
    if (counts) return { work: numberOf(counts[2]) * this.machine.T.step };
    const spins = /while \( (.*?) \) (?:;|\{ \}|__nanosleep)/.exec(text) ?? /(?:do |\} )while \( (.*?) \) ;/.exec(text);
    if (!spins) {
      if (/for \([^(){}]*\) (;|\{ \})/.test(text)) throw notKnown(say(`the loop in '${name}'`, `'${name}' 中的循环`), line);
      kernel.isKept = false;
      return { work: this.settings.work };
    }
    // Until a clock has passed a time, or the first of two: clock64() counts twice in a nanosecond.
    const clocks = (of) => {
      const reads = (word) => word.test(of) || all.some((each) => !each.isKernel && word.test(each.text) &&
        new RegExp(`\\b${each.name}\\b`).test(of));
      return reads(/globaltimer/) + 2 * reads(/\bclock(64)? \(/);
    };
    const inTime = (variable) => new RegExp(`globaltimer;?[^;]*\\( ${variable} \\)`).test(text);
    const parts = spins[1].split(" && "), holds = parts.map((part) => {
      const until = /(?:<|<=) ([\w.]+)$/.exec(part), own = clocks(part) || +part.match(/\w+/g).some(inTime);
      const by = own || (parts.length === 1 ? clocks(text) : 0);
      if (!until || by < 1 || by > 2)
        throw this.refuse(`what '${name}' waits for is not understood`, `读不懂 '${name}' 在等什么`, line);
      return { ns: numberOf(until[1]) / by, bySm: by === 2 };
    });
    return { work: 0, hold: holds.sort((a, b) => a.ns - b.ns)[0] };
  }
  stream(e) {
    if (!e) return null;
    const isOwn = this.isFree(e) && !/^(stream$|cuda)/.test(e.name);
    const value = isOwn ? this.assume(e.name, "stream", e.line).x : this.value(e);
    if (value.v === 0 && value.none === undefined) return null;
    if (value.stream === undefined) throw this.refuseIt(e, "is no stream", "不是流");
    if (value.stream === null && value.name !== "0")
      throw this.refuse(`the stream '${value.name}' was never created`, `流 '${value.name}' 没有创建`, e.line);
    return value.stream;
  }
  event(e) {
    const { event, name } = this.isFree(e) ? this.assume(e.name, "event", e.line).x : this.value(e);
    if (event === undefined) throw this.refuseIt(e, "is no event", "不是事件");
    if (!event) throw this.refuse(`the event '${name}' was never created`, `事件 '${name}' 没有创建`, e.line);
    return event;
  }
  // Which statements are being run, from the outermost function in.
  where() {
    const found = [];
    for (let { frame } = this; frame; frame = frame.up) if (frame.s) found.unshift({ id: frame.id, s: frame.s });
    return found;
  }
  // The first call of CUDA starts the driver.
  start() {
    if (this.machine.started) return;
    this.machine.started = true;
    this.machine.works(this.machine.T.driver, "driver");
  }
  counted(name, { parameters: { length } }, given, line) {
    if (given.length !== length)
      throw this.refuse(`'${name}' has ${length} parameters`, `'${name}' 有 ${length} 个参数`, line);
  }
  call(fn, given) {
    this.counted(fn.name, fn, given);
    const names = new Map(fn.parameters.map(({ name, type }, i) => [name, { x: this.as(given[i], type), type, name }]));
    const { line } = this.machine;
    this.frame = { id: ++this.frames, s: null, up: this.frame };
    if (++this.depth > 60) throw this.refuse("a function that calls itself too often", "函数调用自己太多次");
    try {
      const end = this.inside(names, () => this.execute(fn.body), this.globals);
      return end && end.value ? this.as(end.value, fn.type) : number(0);
    } finally {
      this.depth--;
      this.frame = this.frame.up;
      this.machine.line = line;
    }
  }
  callOf(e) {
    this.ordered(e, e.given);
    const m = this.machine, { of, given, line } = e, { name } = of;
    if (of.is === "member") return this.memberCall(e);
    const own = of.is === "name" ? this.find(name) : { x: {} };
    if (own && !own.x.fn) throw this.refuseIt(of, "is no function", "不是函数");
    if (own) return this.call(own.x.fn, given.map((each) => this.value(each)));
    m.line = line;
    const act = { name, line, where: this.where(), from: m.host }, known = LIBRARY[name];
    if (known) {
      const answer = this.library(e, known);
      this.called = "";
      if (/^cuda(Mem|Malloc|HostAlloc|Free|\w+Synchronize)|sleep/.test(name)) this.acts.push({ ...act, to: m.host });
      return answer ?? number(0);
    }
    const isOfCuda = given.length === 1 && /^cu(da[A-Z]|t\w+Timer)/.test((given[0].of ?? {}).name);
    if (isOfCuda && /check|safe|err|call/i.test(name)) {
      if (!this.assumed.has(name)) this.note(line, say( // a check whose definition was not pasted
        `'${name}' is not declared: taken as one that ends the program if the call fails`,
        `'${name}' 没有声明：当作调用失败就结束程序`));
      this.assumed.set(name, { kind: "check", line });
      if (this.value(given[0]).v) throw new Stopped(1, line);
      return number(0);
    }
    const [what, chinese] = name === "cudaThreadSynchronize" // CUDA 13 has none
      ? ["cudaDeviceSynchronize()", "请改写成 cudaDeviceSynchronize()"]
      : given.length || this.frame.s.made === e || /^cu/.test(name) ? ["kernel<<<blocks, threads>>>() if it launches one", "它若启动核函数，请改写成 kernel<<<blocks, threads>>>()"]
      : ["now() if it is a clock", "它若是时钟，请改写成 now()"];
    throw this.refuse(`'${name}()' is not known on this page: write ${what}, or take it out`,
      `本页不认识 '${name}()'：${chinese}，或去掉`, line);
  }
  // The arguments as the table says, then what the host does, then the function.
  library(e, [kinds, work, cost]) {
    const { given, of: { name } } = e, isOpen = kinds === "*";
    this.called = name; // for none()
    if (!isOpen && (given.length > kinds.length || given.length < kinds.replace(/[Ns]/g, "").length)) this.none({}, e);
    const args = isOpen ? [e] : [...kinds].map((kind, i) => {
      const one = given[i];
      if (kind === "s") return this.stream(one);
      if (!one) return 0;
      if (kind === "e") return this.event(one);
      if (kind === "&") return this.target(one, name);
      const value = this.value(one), isBad = value.unknown || value.none !== undefined || value.v === undefined;
      if (kind === "m" ? !value.p : kind !== "v" && isBad) this.none(value, one);
      return /[nN]/.test(kind) ? value.v : value;
    });
    if (/^cuda(?!.*Error)/.test(name)) this.start();
    if (cost) this.machine.works(this.machine.T[cost]);
    return work(this, ...args);
  }
  memberCall(e) {
    const { of: { of, name }, given, line } = e;
    if (of.name === "cout" && /^(precision|setf)$/.test(name)) {
      if (name === "setf") this.isFixed = true;
      else this.digits = this.value(given[0]).v;
      return number(0);
    }
    const x = this.value(of), { p } = x, arg = given[0] && this.value(given[0]);
    if (x.per && name === "count") return { ...x, per: undefined };
    if (x.isVector && name === "push_back" && arg) return this.at(x, p.count++).x = this.as(arg, p.type);
    if (x.isVector && !arg) switch (name) {
      case "size": return number(p.count, "L");
      case "data":
      case "begin": return { p, o: 0 };
      case "end": return { p, o: p.count };
      case "front": return this.at(x, 0).x;
      case "back": return this.at(x, p.count - 1).x;
    }
    if (x.isVector && name === "reserve") return number(0);
    throw notKnown(`'.${name}()'`, line);
  }
  // Where a pointer points to: for a call that writes there.
  target(e, call) {
    if (e.is === "cast") return this.target(e.of, call);
    if (e.sign === "&" && this.isFree(e.of)) {
      const { name } = e.of, made = /^cuda(Event|Stream)Create/.exec(call);
      if (made) { // what is created, but not declared
        this.assumed.set(name, { kind: "handle", isStream: made[1] === "Stream", line: e.line });
        const cell = { x: null, name };
        this.globals.names.set(name, cell);
        return cell;
      }
      if (/^[dhp]$/.test(name)) return this.assume(name, "pointer", e.line);
    }
    if (e.sign === "&") return this.cell(e.of);
    const value = this.value(e);
    if (value.p) return this.at(value);
    throw this.refuseIt(e, "is no address", "不是地址");
  }
  reading(by, v, k, t, more) { // `by`: host, cpu, or real for CLOCK_REALTIME
    return { v, t, ...more, reads: [{ at: this.machine.host, by, k, line: this.machine.line, where: this.where() }] };
  }
  // A clock of the host, in ns since its own zero; CLOCK_REALTIME is another clock, which is set right.
  clockNs(isReal) {
    const host = this.machine.readClock();
    return isReal ? host - Math.floor(host / 4000) : host + 123456000000789;
  }
  fill(cell, isReal, isUs) {
    const ns = this.clockNs(isReal), { fields } = cell.x, sub = ns % 1e9;
    const of = fields && fields.get(isUs ? "tv_usec" : "tv_nsec");
    if (!of) throw this.refuse("this is no struct of a time", "这不是时间结构体");
    fields.get("tv_sec").x = number((isReal ? 1.7e9 : 0) + Math.floor(ns / 1e9), "l");
    of.x = this.reading(isReal ? "real" : "host", isUs ? Math.floor(sub / 1000) : sub, isUs ? 1e-3 : 1, "l");
  }
  allocate(cell, kind, bytes) {
    if (!(bytes >= 0 && bytes < 70e9)) throw notKnown(say(`${bytes} bytes of the GPU`, `GPU 的 ${bytes} 字节`));
    const { type, name } = cell, isPlain = type && type.pointer && (type.base !== "void" || type.pointer > 1);
    const of = isPlain ? { ...type, pointer: type.pointer - 1 } : undefined;
    cell.x = { p: { kind, cells: [], bytes, type: of, name }, o: 0 };
  }
  range(first, end) {
    const count = end.p && end.p === first.p ? end.o - first.o : NaN, { machine: m } = this;
    if (!(count >= 0)) this.none({}, m);
    const cells = Array.from({ length: count }, (_, i) => this.at(first, i));
    for (const { x } of cells) if (x.v === undefined || x.none !== undefined || x.unknown) this.none(x, m);
    return cells;
  }
  sort(cells, compare) {
    const sorted = cells.map((each) => each.x).sort(compare);
    cells.forEach((cell, i) => { cell.x = sorted[i]; });
  }
  roomAt({ p, o }) { return Math.max(0, p.bytes - o * (p.type ? this.bytesOf(p.type) : 1)); }
  copy(isAsync, to, from, bytes, given, stream) {
    const m = this.machine, onDevice = (x) => x.p.kind === "device";
    const own = onDevice(from) ? (onDevice(to) ? 3 : 2) : onDevice(to) ? 1 : 0, kind = given === 4 ? own : given;
    if (kind !== own || [to, from].some((each) => onDevice(each) && this.roomAt(each) < bytes)) {
      m.works(m.T.copy_call);
      return this.fails("cudaErrorInvalidValue", m.line);
    }
    if (kind === 0) throw notKnown(say("a copy from host to host", "主机到主机的拷贝"), m.line);
    const isPinned = (x) => x.p.kind === "pinned";
    const waits = !isAsync ? kind !== 3 : kind === 2 ? !isPinned(to) : kind === 1 && !isPinned(from) && bytes > 65536;
    if (kind === 2 && bytes) this.spoil(to.p, writtenByKernel());
    return void m.copy(bytes, waits, stream, kind !== 3);
  }
  memset(to, bytes, stream) {
    const { T } = this.machine, { p } = to, isLarge = (n) => n >= 2 * T.l2_kib * 1024;
    if (p.kind !== "device") throw notKnown(say("cudaMemset() of the host's memory", "主机内存的 cudaMemset()"));
    if (bytes > this.roomAt(to)) {
      this.machine.works(T.memset_call);
      return this.fails("cudaErrorInvalidValue", this.machine.line);
    }
    this.evicted = isLarge(p.bytes) && isLarge(bytes) ? p : null;
    return void this.machine.memset(stream, bytes);
  }
  elapsed(cell, from, to) {
    const m = this.machine, { line } = m;
    if (!from.command || !to.command || from.untimed || to.untimed)
      return this.fails("cudaErrorInvalidResourceHandle", line);
    if (!m.isOver(from.command) || !m.isOver(to.command)) {
      this.failed.push({ line, error: "cudaErrorNotReady", where: this.where() });
      return number(600);
    }
    const ends = [from.command, to.command], [first, last] = ends;
    const span = { by: "device", from: first.end, to: last.end, first, last, elapsed: this.where(),
      lines: ends.map((each) => each.line), where: ends.map((each) => each.where) };
    const ms = { v: Math.fround((span.to - span.from) / 1e6), t: "f", spans: [{ span, k: 1e-6 }] };
    return void this.store(cell, ms);
  }
  print(line, [format, ...values]) {
    const { text: given } = format ? this.value(format) : {}, parts = [];
    if (given === undefined) throw this.refuse("printf() begins with a text", "printf() 的第一个参数是文字", line);
    const text = given.replace(/\\n/g, "\n").replace(/\\t/g, "\t");
    let i = 0, end = 0;
    for (const { 0: all, 1: letter, index } of text.matchAll(/%[-+ #0-9.*']*(?:hh?|ll?|z)?([a-zA-Z%])/g)) {
      parts.push({ text: text.slice(end, index) });
      end = index + all.length;
      if (letter === "%") parts.push({ text: "%" });
      else if (!values[i] || all.includes("*")) throw this.refuse(`'${all}' has no value`, `'${all}' 没有值`, line);
      else {
        const argument = values[i++], value = this.value(argument);
        const isReal = value.v !== undefined && /[fd]/.test(value.t);
        if (!/[scp]/.test(letter) && /[diuxX]/.test(letter) === isReal)
          throw this.refuse(`'${all}' prints no such number`, `'${all}' 不能打印这种数`, line);
        const [, digits] = /\.(\d*)/.exec(all) ?? [];
        parts.push(/[scp]/.test(letter) ? { text: value.text ?? "" } : { ...value, argument,
          shown: value.v === undefined ? "" : printedAs(value, letter, digits && Number(digits)) });
      }
    }
    for (; i < values.length; i++) this.value(values[i]);
    return this.show([...parts, { text: text.slice(end) }], line);
  }
  // What a line prints: a number's unit stands behind it, or before it.
  show(parts, line) {
    parts.forEach((part, i) => {
      if (part.v === undefined) return;
      if (part.unknown) {
        this.left = new Unknown(part.unknown, line);
        this.note(line, part.unknown);
        return;
      }
      if (part.none !== undefined && !this.failed.length) this.none(part, { line });
      const near = (from, by) => { // the next text that says something
        for (let k = from; parts[k] && parts[k].v === undefined; k += by)
          if ((parts[k].text ?? "").trim()) return parts[k].text;
        return "";
      };
      const behind = near(i + 1, 1), k = part.spans && part.spans[0] ? Math.abs(part.spans[0].k) : 0;
      const found = new RegExp(`^\\s*[[(]?${UNIT}`, "i").exec(behind)
        ?? new RegExp(`\\b${UNIT}[\\])]*\\s*[:=]?\\s*$`, "i").exec(near(i - 1, -1));
      const natural = Object.keys(UNIT_NS).filter((each) => k * UNIT_NS[each] < 1.001).pop() ?? "us";
      const unit = found ? unitOf(found[1]) : natural, ns = UNIT_NS[unit];
      if (/^\s*\w*[BFb]\w*\/s/.test(behind) || part.isRate) return;
      if (part.per) throw this.refuse("a duration is printed by its count()", "duration 请用 count() 打印", line);
      const shown = part.shown ?? printedAs(part, this.isFixed ? "f" : "g", this.digits);
      this.printed.push({ v: part.v, shown, unit, isGuessed: !found, ns: part.v * ns, line, where: this.where(),
        argument: part.argument,
        spans: part.spans && part.spans.map((each) => ({ span: each.span, weight: each.k * ns })) });
    });
    return number(0);
  }
  // The number that the page is about: the one that was chosen, or the first one that is a time.
  get number() {
    const times = this.printed.filter((each) => each.spans);
    return times[this.settings.chosen ?? 0] ?? times[0] ?? this.printed.find((each) => !each.isGuessed)
      ?? this.printed[0];
  }
}

// ---- The functions ----
//
// A name: its arguments, what it does, what the host works for it. Of the arguments, n is a number, N one that may be
// left out, v a value, m memory, e an event, s a stream that may be left out, & where a result goes, * the call itself.

const created = (r, cell, flags) => {
  cell.x = { event: { name: cell.name || "event", blocking: !!(flags & 1), untimed: !!(flags & 2) } };
};
const streamed = (r, cell, flags) => { cell.x = { stream: { name: cell.name || "stream", apart: flags === 1 } }; };
// If a query said before that this is not over, the host waited for it.
const asked = (m, command, isReady = !command || m.isOver(command)) => {
  if (isReady && command && m.asked === command) m.calls[m.calls.length - 1].polled = command;
  m.asked = isReady ? null : command;
  return number(isReady ? 0 : 600);
};
const pinnedMemory = (r, cell, bytes) => r.allocate(cell, "pinned", bytes);
const clockNow = (isReal) => (r) => r.reading(isReal ? "real" : "host", r.clockNs(isReal), 1, "l", { per: 1 });
const least = (sign) => (r, a, b) => {
  const t = RANK[Math.max(RANK.indexOf(a.t), RANK.indexOf(b.t))];
  if (a.unknown || b.unknown) return { v: NaN, t, unknown: a.unknown ?? b.unknown };
  for (const each of [a, b])
    if (each.v === undefined || (each.none !== undefined && !r.failed.length)) r.none(each, r.machine);
  return { ...(sign * order(b, a) < 0 ? b : a), t };
};
const median = (r, list, count) => r.range(list, r.moved(list, count)).map((each) => each.x)
  .sort(order)[count >> 1];
const ofPage = (name, work) => (r, ...args) => { // one that the page gives
  r.assumed.set(name, { kind: "function", line: r.machine.line });
  return work(r, ...args) ?? number(0);
};
const seconds = (r) => {
  const ns = r.clockNs(false);
  return r.reading("host", Math.floor(ns / 1e9) + (ns % 1e9) * 1e-9, 1e-9, "d");
};
// The timers of the first CUDA samples: milliseconds.
const inMs = (r) => computed("*", seconds(r), number(1e3, "d"));
const timed = (work) => (r, i) => work(r, (r.timers ?? [])[i - 1] ?? r.none({}, r.machine));
const LIBRARY = {
  now: ["", ofPage("now", seconds)],
  MPI_Wtime: ["", ofPage("MPI_Wtime", seconds)],
  omp_get_wtime: ["", seconds],
  cpuSecond: ["", ofPage("cpuSecond", (r) => {
    const ns = r.clockNs(true);
    return r.reading("real", 1.7e9 + Math.floor(ns / 1e9) + Math.floor((ns % 1e9) / 1000) * 1e-6, 1e-9, "d");
  }), "timeofday"],
  cutCreateTimer: ["&", ofPage("cutTimers", (r, cell) => {
    r.store(cell, number((r.timers ??= []).push({ total: number(0, "d") }), "u"));
  })],
  cutStartTimer: ["n", timed((r, timer) => { timer.from = inMs(r); })],
  cutStopTimer: ["n", timed((r, timer) => {
    if (!timer.from) r.none({}, r.machine);
    timer.total = computed("+", timer.total, computed("-", inMs(r), timer.from));
    timer.from = null;
  })],
  cutGetTimerValue: ["n", timed((r, { total, from }) => (from ? r.none({}, r.machine)
    : { ...total, ...fit(total, "f"), t: "f" }))],
  cutDeleteTimer: ["n", timed(() => {})],
  median: ["mn", ofPage("median", median)],
  clock_gettime: ["n&", (r, id, cell) => r.fill(cell, id === 0, false)],
  gettimeofday: ["&v", (r, cell) => r.fill(cell, true, true), "timeofday"],
  clock: ["", (r) => r.reading("cpu", r.machine.readProcessorClock(), 1e-3, "l")],
  "steady_clock::now": ["", clockNow(false)],
  "system_clock::now": ["", clockNow(true)],
  "high_resolution_clock::now": ["", clockNow(true)],
  duration_cast: ["*", (r, e) => {
    const value = r.library(e, ["v", (_, x) => x]), to = r.durationOf(e.of.types[0]);
    return value.per && to ? r.cast(value, to) : r.none(value, e);
  }],
  usleep: ["n", (r, us) => r.machine.sleep(us * 1e3)],
  sleep: ["n", (r, s) => r.machine.sleep(s * 1e9)],
  sleep_for: ["v", (r, of) => r.machine.sleep(of.per ? Math.floor(of.v * of.per) : r.none(of, r.machine))],
  cudaEventCreate: ["&", created, "event_create"],
  cudaEventCreateWithFlags: ["&n", created, "event_create"],
  cudaEventRecord: ["es", (r, event, stream) => {
    r.machine.record(event, stream);
    event.command.where = r.where();
  }],
  cudaEventQuery: ["e", (r, { command }) => asked(r.machine, command), "query"],
  cudaEventSynchronize: ["e", (r, event) => r.machine.synchronizeEvent(event)],
  cudaEventElapsedTime: ["&ee", (r, cell, from, to) => r.elapsed(cell, from, to), "elapsed"],
  cudaEventDestroy: ["e", () => {}, "event_destroy"],
  cudaStreamCreate: ["&", streamed, "stream_create"],
  cudaStreamCreateWithFlags: ["&n", streamed, "stream_create"],
  cudaStreamQuery: ["s", ({ machine: m }, s) => (s ? asked(m, s.last) : asked(m, m.latest, m.isIdle)), "query"],
  cudaStreamSynchronize: ["s", (r, stream) => r.machine.synchronizeStream(stream)],
  cudaStreamWaitEvent: ["seN", (r, stream, event) => r.machine.waitForEvent(stream, event)],
  cudaStreamDestroy: ["s", () => {}, "stream_destroy"],
  cudaDeviceSynchronize: ["", (r) => r.machine.synchronizeDevice()],
  cudaMalloc: ["&n", (r, cell, bytes) => r.allocate(cell, "device", bytes), "allocate"],
  cudaMallocHost: ["&n", pinnedMemory, "allocate_host"],
  cudaHostAlloc: ["&nn", pinnedMemory, "allocate_host"],
  cudaFree: ["v", (r, of) => (of.p ? r.machine.wait(null) : undefined), "release"],
  cudaFreeHost: ["v", (r) => r.machine.wait(null), "release"],
  cudaMemcpy: ["mmnn", (r, ...args) => r.copy(false, ...args, null)],
  cudaMemcpyAsync: ["mmnns", (r, ...args) => r.copy(true, ...args)],
  cudaMemset: ["mnn", (r, to, _, bytes) => r.memset(to, bytes, null)],
  cudaMemsetAsync: ["mnns", (r, to, _, bytes, stream) => r.memset(to, bytes, stream)],
  cudaGetLastError: ["", (r) => {
    const last = r.lastError;
    r.lastError = 0;
    return number(last);
  }, "last_error"],
  cudaPeekAtLastError: ["", (r) => number(r.lastError), "last_error"],
  cudaGetErrorString: ["n", (r, v) => ({ text: Object.keys(ERRORS).find((each) => ERRORS[each] === v) ?? "?" })],
  cudaGetDeviceProperties: ["&n", (r) => {}, "get_device_properties"],
  cudaSetDevice: ["n", (r, i) => (i ? r.none({}, r.machine) : undefined), "ask_device"],
  cudaProfilerStart: ["", () => {}, "profiler"],
  cudaProfilerStop: ["", () => {}, "profiler"],
  min: ["vv", least(1)],
  max: ["vv", least(-1)],
  sort: ["vv", (r, first, end) => r.sort(r.range(first, end), order)],
  qsort: ["mnnv", (r, list, count, _, by) => {
    const pointer = (x) => ({ p: { kind: "host", cells: [{ x }], count: 1, type: list.p.type }, o: 0 });
    if (!by.fn) r.none(by, r.machine);
    r.sort(r.range(list, r.moved(list, count)), (a, b) => r.call(by.fn, [pointer(a), pointer(b)]).v);
  }],
  accumulate: ["vvv", (r, first, end, begin) => r.range(first, end).reduce((sum, { x }) =>
    r.as(computed("+", sum, x), plain(LETTERS[begin.t])), begin)],
  static_cast: ["*", (r, e) => r.value({ is: "cast", type: e.of.types[0], of: e.given[0], line: e.line })],
  malloc: ["n", (r, bytes) => ({ p: { kind: "host", cells: [], bytes }, o: 0 })],
  free: ["v", () => {}],
  memset: ["mnn", (r, { p }) => {
    if (p.kind === "device") r.none({}, r.machine);
    r.spoil(p, say("what memset() wrote is not known on this page", "本页不知道 memset() 写了什么"));
  }],
  printf: ["*", (r, e) => r.print(e.line, e.given)],
  fprintf: ["*", (r, e) => (e.given.length && r.value(e.given[0]).v === 1 ? r.print(e.line, e.given.slice(1)) : null)],
  puts: ["v", () => {}],
  fflush: ["v", () => {}],
  exit: ["n", (r, code) => { throw new Stopped(code, r.machine.line); }],
};
LIBRARY.reinterpret_cast = LIBRARY.static_cast;
for (const [name, work] of Object.entries(MATH)) LIBRARY[name] = ["v", (r, x) => {
  if (x.unknown) return { v: NaN, t: "d", unknown: x.unknown };
  if (x.v === undefined || x.none !== undefined) r.none(x, r.machine);
  const t = x.t === "f" || (name === "abs" && x.t !== "d") ? x.t : "d";
  return { v: fitted(work(x.v), t), t, ...(name !== "sqrt" && scaled(x, x.v < 0 && /abs/.test(name) ? -1 : 1)) };
}];
for (const name of ["fmin", "fmax"]) LIBRARY[name] = LIBRARY[`${name}f`] = LIBRARY[name.slice(1)];
for (const name of ["fabs", "sqrt"]) LIBRARY[`${name}f`] = LIBRARY[name];

// A kernel that is declared nowhere and does nothing, by its name.
const EMPTY = /^(empty|nothing|null|noop)/i;

// Is N the reader's own size, as in <<<N / 16, 256>>> or cudaMalloc(&d, N * 4), and not a number of launches?
const isSize = (text) =>
  /(?:<<<|\bdim3\b|alloc\w*\(|cudaMem\w+\()[^;]*\bN\b|(?:^|[^\/\s])\s*\bN\s*[-+*\/]/.test(text);
