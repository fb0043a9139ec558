// SPDX-License-Identifier: MIT
// Runs what reader.js has read, as C++ does, on the machine of machine.js. A number knows which times it was computed
// from, so that parts.js can say what is in it.
//
// A value is one of these: a number {v, t: a letter of NUMBERS, per: the ns of a duration's tick}, with `reads` of
// clocks, [{at, by, k, line}]: v grows by k for each ns, or `spans` from one time to another: v is the sum of k
// times each
// one's length; `none`: it has no value; `unknown`: nobody on this page knows it. Or a pointer or list {p: memory, o},
// an {event}, a {stream}, a {text}, a struct {fields}, a function {fn}, a {kernel}. A cell {x: value, type} holds one.
"use strict";

class Ended extends Error {}

const UNIT_NS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const UNIT = /(ns|nanosec\w*|[uµμ]s|usec\w*|microsec\w*|ms|msec\w*|millisec\w*|s|secs?|seconds?)\b(?!\/)/i.source;
const unitOf = (text) => (/^n/i.test(text) ? "ns" : /^([uµμ]|mic)/i.test(text) ? "us" : /^m/i.test(text) ? "ms" : "s");
const PERIOD_NS = { nano: 1, micro: 1e3, milli: 1e6, nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6,
  seconds: 1e9 };
const ERRORS = { cudaSuccess: 0, cudaErrorInvalidValue: 1, cudaErrorMemoryAllocation: 2,
  cudaErrorInvalidConfiguration: 9, cudaErrorInvalidResourceHandle: 400, cudaErrorNotReady: 600 };
const CONSTANTS = {
  ...ERRORS,
  NULL: 0,
  nullptr: 0,
  false: 0,
  true: 1,
  EXIT_SUCCESS: 0,
  EXIT_FAILURE: 1,
  CLOCK_REALTIME: 0,
  CLOCK_MONOTONIC: 1,
  CLOCK_MONOTONIC_RAW: 4,
  CLOCK_BOOTTIME: 7,
  TIME_UTC: 1,
  RAND_MAX: 2147483647,
  INT_MAX: 2147483647,
  UINT_MAX: 4294967295,
  FLT_MAX: 3.4028234663852886e38,
  DBL_MAX: Number.MAX_VALUE,
  INFINITY: Infinity,
  M_PI: Math.PI,
  stdout: 1,
  stderr: 2,
  cudaMemcpyHostToHost: 0,
  cudaMemcpyHostToDevice: 1,
  cudaMemcpyDeviceToHost: 2,
  cudaMemcpyDeviceToDevice: 3,
  cudaMemcpyDefault: 4,
  cudaEventDefault: 0,
  cudaEventBlockingSync: 1,
  cudaEventDisableTiming: 2,
  cudaStreamDefault: 0,
  cudaStreamNonBlocking: 1,
  cudaHostAllocDefault: 0,
  cudaHostAllocPortable: 1,
  cudaHostAllocMapped: 2,
  cudaStreamLegacy: 0
};
const REAL = new Set("CLOCKS_PER_SEC FLT_MAX DBL_MAX INFINITY M_PI".split(" "));
const RANK = "bcCsSiulLfd";
const BITS = { c: [8, 1], C: [8], s: [16, 1], S: [16], i: [32, 1], u: [32], l: [64, 1], L: [64] };
// Functions that change nothing and take no time.
const WHOLE = new Set((
  "size empty length count front back begin end data min max fmin fmax fminf fmaxf rand static_cast abs fabs fabsf " +
    "round "
  + "roundf fma fmaf fmod isnan isfinite").split(" "));
const MATH = {
  abs: Math.abs,
  fabs: Math.abs,
  fabsf: Math.abs,
  fmod: (x, y) => x % y,
  fma: (x, y, z) => x * y + z,
  fmaf: (x, y, z) => x * y + z,
  isnan: (x) => +Number.isNaN(x),
  isfinite: (x) => +Number.isFinite(x)
};
for (const name of "sqrt ceil floor pow sin cos exp log log2 tanh round".split(" ")) {
  MATH[name] = MATH[name + "f"] = name === "round" ? (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5) : Math[name];
  WHOLE.add(name).add(name + "f");
}
const STEPS = 300000,
  PURE_STEPS = 20000;

const number = (v, t = "i") => ({ v, t });

function fitted(v, t) {
  if (t === "d") return v;
  if (t === "f") return Math.fround(v);
  if (t === "b") return +(v !== 0);
  const whole = Math.trunc(v),
    [bits, signed] = BITS[t];
  if (!Number.isFinite(whole)) return Number.isNaN(v) ? NaN : bits === 64 ? -(2 ** 63) : -(2 ** 31);
  if (signed ? Math.abs(whole) < 2 ** (bits - 1) : whole >= 0 && whole < 2 ** bits) return whole + 0;
  return Number((signed ? BigInt.asIntN : BigInt.asUintN)(bits, BigInt(whole)));
}

// The times that a number was computed from.
const scaled = (of, by) => ({
  ...(of.reads && { reads: of.reads.map((each) => ({ ...each, k: each.k * by })) }),
  ...(of.spans && { spans: of.spans.map((each) => ({ ...each, k: each.k * by })) })
});

function together(a, b) { // readings that have the opposite k are the two ends of a span
  const reads = [...(a.reads ?? []), ...(b.reads ?? [])],
    spans = [...(a.spans ?? []), ...(b.spans ?? [])];
  for (let i = 0; i < reads.length; i++) {
    const j = reads.findIndex((each, n) => n > i && each.by === reads[i].by && Math.abs(each.k / reads[i].k + 1) <
      1e-9);
    if (j < 0) continue;
    const [to, from] = reads[i].k > 0 ? [reads[i], reads[j]] : [reads[j], reads[i]];
    spans.push({ span: { by: to.by, from: from.at, to: to.at, lines: [from.line, to.line], where: [from.where, to
          .where] }, k: to.k });
    reads.splice(j, 1);
    reads.splice(i--, 1);
  }
  return { ...(reads.length && { reads }), ...(spans.length && { spans }) };
}

function common(a, b) { // the usual arithmetic conversions
  const t = RANK[Math.max(RANK.indexOf(a.t), RANK.indexOf(b.t), 5)];
  return t;
}

function computed(sign, a, b) {
  const unknown = a.unknown ?? b.unknown;
  if (unknown) return { v: NaN, t: common(a, b), unknown };
  let x = a.v,
    y = b.v,
    t = common(a, b),
    per = a.per ?? b.per;
  if (a.per && b.per && a.per !== b.per) {
    per = Math.min(a.per, b.per);
    x *= a.per / per;
    y *= b.per / per;
    a = { ...a, ...scaled(a, a.per / per) };
    b = { ...b, ...scaled(b, b.per / per) };
  }
  const isReal = t === "f" || t === "d",
    both = a.per && b.per;
  if ((t === "u" || t === "L") && /^([<>!=]=?|==|[\/%])$/.test(sign)) {
    x = fitted(x, t);
    y = fitted(y, t);
  }
  switch (sign) {
    case "==":
      return number(+(x === y), "b");
    case "!=":
      return number(+(x !== y), "b");
    case "<":
      return number(+(x < y), "b");
    case ">":
      return number(+(x > y), "b");
    case "<=":
      return number(+(x <= y), "b");
    case ">=":
      return number(+(x >= y), "b");
    case "+":
    case "-": {
      const s = sign === "+" ? 1 : -1,
        far = a.far !== undefined && a.far === b.far && s < 0,
        v = far ? a.low - b.low : x + s * y;
      const isTime = (a.clock !== undefined) !== (b.clock !== undefined); // a time and a duration
      return { v: fitted(v, t), t, ...(per && { per }), ...(isTime && { clock: a.clock ?? b.clock, far: (a.far ?? b
            .far), low: (a.low ?? a.v) + s * (b.low ?? b.v) }), ...together(a, s < 0 ? { ...b, ...scaled(b, -1) } :
        b) };
    }
    case "*": {
      let v = x * y;
      if (!isReal && Math.abs(v) > 2 ** 53) v = Number(BigInt.asIntN(64, BigInt(x) * BigInt(y)));
      const inner = a.spans || a.reads ? (b.spans || b.reads ? {} : scaled(a, y)) : scaled(b, x);
      return { v: fitted(v, t), t, ...(per && { per }), isRate: a.isRate || b.isRate, timeOf: a.timeOf ?? b.timeOf, ...
        inner };
    }
    case "/": {
      const v = isReal ? x / y : y === 0 ? NaN : Math.trunc(x / y),
        made = { v: fitted(v, t), t, ...(per && !both && { per }) };
      return b.spans ? { ...made, isRate: !a.spans, isRatio: !!a.spans, timeOf: b } : { ...made, isRate: a.isRate,
        timeOf: a.timeOf, ...scaled(a, 1 / y) };
    }
    case "%":
      return { v: fitted(x % y, t), t, ...(per && { per }) };
    case "<<":
      return number(fitted(x * 2 ** y, a.t < "c" ? "i" : RANK[Math.max(RANK.indexOf(a.t), 5)]), RANK[Math.max(RANK
        .indexOf(a.t), 5)]);
    case ">>":
      return number(Math.floor(x / 2 ** y), RANK[Math.max(RANK.indexOf(a.t), 5)]);
    default: {
      const [p, q] = [BigInt(x), BigInt(y)], v = sign === "&" ? p & q : sign === "|" ? p | q : p ^ q;
      return number(fitted(Number(v), t), t);
    }
  }
}

class Runner {
  // settings: blocks, threads, launches, work (ns) and idle (%) of the sliders, and bytes
  // `prelude`: the names that are declared nowhere, from a run before: they are made when the program begins.
  constructor(times, settings, text, prelude = new Map()) {
    this.prelude = prelude;
    this.times = times;
    this.machine = new Machine(times, settings.idle);
    this.settings = settings;
    this.printed = []; // {v, unit, ns, spans, line}
    this.failed = []; // {line, error}: what a call returned
    this.notes = []; // {line, text}: what was taken for what
    this.assumed = new Map(); // names that are declared nowhere: what they were taken for
    this.starts = []; // the lines where a statement of the program begins
    this.steps = this.depth = this.frames = 0;
    this.acts = []; // the calls of CUDA: {name, line, where, from, to: the host's time}
    this.lastError = 0;
    this.statics = new Map();
    this.text = text;
  }
  refuse(english, chinese, line = this.machine.line) { return new Unknown(say(english, chinese), line); }
  run() {
    this.once();
    const isMade = ({ kind }) => /^(event|stream|device|pinned)$/.test(kind);
    if (!this.prelude.size && [...this.assumed.values()].some(isMade)) {
      const again = new Runner(this.times, this.settings, this.text, this.assumed).once();
      if (again.error) throw again.error;
      return again;
    }
    if (this.error) throw this.error;
    return this;
  }
  once() {
    try {
      this.reader = new Reader(this.text);
      this.scope = this.globals = { names: new Map(), outer: null };
      const body = (this.body = this.reader.program());
      this.frame = { id: 0, s: null, up: null };
      for (const [name, each] of this.prelude)
        if (!/^(kernel|function|check|handle)$/.test(each.kind)) this.make(name, each);
      const hoist = (list) => list.forEach((each) => (each.is === "group" ? hoist(each.body) : each.is === "function"
        ? this.define(each) : null));
      hoist(body);
      const main = this.globals.names.get("main"),
        isOpen = body.some((each) => !/^(function|kernel|group|unread|enum|block)$/.test(each.is) && !(each.made &&
          each.made.isDeclaration));
      this.isWhole = !!main;
      if (main && isOpen) throw this.refuse("a statement outside of any function", "函数之外的语句", body.find((each) =>
        each.is === "expression" && !each.made.isDeclaration)?.line ?? 1);
      for (const each of body) {
        if (main && each.is === "unread") continue; // only who uses it comes to it
        if (!main) this.starts.push(each.line);
        if (this.execute(each)) break;
      }
      if (main) {
        this.main = main.x.fn;
        const answer = this.call(main.x.fn, main.x.fn.parameters.map((each) => (each.type.pointer
        ? { p: { kind: "host", cells: [{ x: { text: "./stopwatch" } }], type: { base: "char", pointer: 1 } },
          o: 0 } : number(1))));
        this.code = answer && answer.v;
      }
    } catch (error) {
      if (error instanceof RangeError) error = this.refuse("too much for this page", "超出本页能力");
      if (error instanceof Unknown && this.printed.some((each) => each.spans))
        this.stopped = true, this.note(error.line, say(`not run from here on: ${error.message}`,
          `从这里起不再运行：${error.message}`));
      else if (error instanceof Ended) this.ended = error;
      else this.error = Object.assign(error, { line: error.line ?? this.machine.line });
      if (this.error) return this;
    }
    if (!this.printed.some((each) => each.spans) && this.lastTime) { // only a rate is printed, or nothing
      this.note(this.lastTime.line, say("nothing prints this time: here it is", "没有打印这个时间：就是它"));
      this.show([this.lastTime], this.lastTime.line);
    }
    return this;
  }
  // `name`: it is about a name that is declared nowhere.
  note(line, text, name) {
    if (!this.notes.some((each) => each.line === line && each.text === text)) this.notes.push({ line, text, name });
  }

  // ---- Names, types, memory ----

  define(fn) {
    const old = this.scope.names.get(fn.name),
      others = (old && old.x.fn && old.x.fn !== fn ? [...(old.x.others ?? []), old.x.fn] : []).filter((each) => each
        !== fn);
    if (others.length && others.some((each) => each.parameters.length === fn.parameters.length)) return this.reader
      .unread.set(fn.name, this.refuse(`'${fn.name}' is there twice`, `'${fn.name}' 有两个`, fn.line)), this.scope
      .names.delete(fn.name);
    return this.scope.names.set(fn.name, { x: { fn, scope: this.scope, others } });
  }
  find(name) {
    for (let scope = this.scope; scope; scope = scope.outer) {
      const cell = scope.names.get(name);
      if (cell) return cell;
      if (scope.self && scope.self.fields.has(name)) return scope.self.fields.get(name);
    }
    return null;
  }
  inside(names, work, outer = this.scope, self) {
    const before = this.scope;
    this.scope = { names, outer, self };
    try {
      return work();
    } finally {
      const ending = this.scope;
      for (const { x } of [...names.values()].reverse())
        if (x && x.fields && x.is && x.is.functions.has("~") && !x.kept) this.method(x, x.is.functions.get("~"), []);
      this.scope = before;
      void ending;
    }
  }
  // What a type is here: a parameter of a template stands for another one.
  real(type) {
    const known = this.reader.types.get(type.base);
    if (!known || known.is !== "parameter") return type;
    const cell = this.find(type.base);
    return cell && cell.x.type ? { ...cell.x.type, pointer: cell.x.type.pointer + type.pointer } : { ...type,
      base: "auto" };
  }
  letter(type) { return type && !type.pointer && NUMBERS[type.base] ? NUMBERS[type.base][0] : null; }
  // The ns of a tick, and the letter, of a duration.
  durationOf(type) {
    if (type.base in PERIOD_NS) return { per: PERIOD_NS[type.base], t: "l" };
    if (type.base !== "duration" || !type.of) return null;
    const [rep, period] = type.of;
    if (rep.base && rep.base in { steady_clock: 1, high_resolution_clock: 1, system_clock: 1 }) return { per: 1,
      t: "l" };
    const ratio = period && period.of ? period.of.map((each) => this.value(each.value).v) : null;
    const per = !period ? 1e9 : ratio ? (1e9 * ratio[0]) / (ratio[1] ?? 1) : PERIOD_NS[period.base],
      t = this.letter(this.real(rep));
    if (!per || !t) throw this.refuse("this duration is not known on this page", "本页不认识这种 duration");
    return { per, t };
  }
  bytesOf(type) {
    const { base, pointer, of } = this.real(type);
    if (pointer) return 8;
    if (NUMBERS[base]) return NUMBERS[base][1];
    if (base === "array") return this.bytesOf(of [0]) * this.value(of [1].value).v;
    const made = this.reader.types.get(base);
    if (made && made.is === "struct") { // as C++ lays it out
      let at = 0,
        most = 1;
      for (const each of made.fields)
        for (const one of each.parts) {
          const bytes = this.bytesOf(one.type),
            step = Math.min(8, this.alignOf(one.type)),
            count = one.dims.reduce((n, dim) => n * this.value(dim).v, 1);
          at = Math.ceil(at / step) * step + bytes * count;
          most = Math.max(most, step);
        }
      return Math.ceil(at / most) * most;
    }
    if (ROOMS[base] || WITH_ARGUMENTS[base]) return ROOMS[base] || WITH_ARGUMENTS[base];
    throw this.refuse(`the size of '${base}' is not known on this page`, `本页不知道 '${base}' 的大小`);
  }
  alignOf(type) { return type.pointer ? 8 : NUMBERS[type.base] ? NUMBERS[type.base][1] : 8; }
  // A variable of this type, before it has a value.
  blank(given, name = "") {
    const type = this.real(given),
      { base, pointer, of } = type,
      t = this.letter(type);
    if (pointer) return { none: name || "*", v: NaN, t: "L" };
    if (t) return { v: NaN, t, none: name || base };
    if (base === "cudaEvent_t") return { event: null, name };
    if (base === "cudaStream_t") return { stream: null, name };
    if (base === "vector" || base === "array") return this.list(of [0], base === "array" ? this.value(of [1].value).v
      : 0, base === "vector" ? number(0) : null, true);
    if (base === "string") return { text: "" };
    const made = this.reader.types.get(base),
      struct = (fields, is) => ({ fields: new Map(fields), is });
    if (base === "dim3") return struct(["x", "y", "z"].map((each) => [each, { x: number(1, "u"),
      type: { base: "unsigned int", pointer: 0 } }]));
    if (base === "timespec" || base === "timeval") return struct(["tv_sec", base === "timespec" ? "tv_nsec" :
      "tv_usec"
    ].map((each) => [each, { x: { v: NaN, t: "l", none: each }, type: { base: "long", pointer: 0 } }]));
    if (base === "cudaDeviceProp") return struct([
      ["name", { x: { text: "a model of an H200" } }], ...Object.entries({ major: 9, minor: 0,
        multiProcessorCount: 132, warpSize: 32, maxThreadsPerBlock: 1024, maxThreadsPerMultiProcessor: 2048,
        l2CacheSize: 62914560 })
      .map(([each, v]) => [each, { x: number(v) }])
    ]);
    if (base === "StopWatchInterface") return struct([]);
    const duration = this.durationOf(type);
    if (duration) return { v: NaN, ...duration, none: name };
    if (base === "time_point") return { v: 0, t: "l", per: 1, clock: "" };
    if (base === "pair") return struct([
      ["first", { x: this.blank(of [0]), type: of [0] }],
      ["second", { x: this.blank(of [1]), type: of [1] }]
    ]);
    if (made && made.is === "struct") {
      const self = struct([], made);
      for (const each of made.fields)
        for (const one of each.parts) self.fields.set(one.name, { x: this.initial(one), type: one.type });
      return self;
    }
    if (base === "auto" || base === "function") return { v: NaN, t: "d", none: name };
    throw this.reader.unread.get(base) ?? this.refuse(`'${base}' is not known on this page`, `本页不认识 '${base}'`, given
      .line);
  }
  list(type, count, fill = null, isList = false) {
    if (!(count >= 0)) throw this.refuse("the length of this list is not known", "列表长度未知");
    return { p: { kind: "host", cells: [], type, count, fill, bytes: NaN }, o: 0, ...(isList && { isList }) };
  }
  at({ p, o }, index = 0) {
    const i = o + index;
    if (!p || !p.cells) throw this.refuse("the host cannot read this memory", "主机不能读取这段内存");
    if (p.kind === "device") throw this.refuse("the host cannot use the GPU's memory", "主机不能使用 GPU 的内存");
    if (Number.isNaN(i)) throw this.refuse("this index is not known on this page", "本页不知道这个下标");
    if (i < 0 || (p.count >= 0 && i >= p.count)) throw this.refuse(`element ${i} of ${p.count}`,
      `共 ${p.count} 个元素，没有第 ${i} 个`);
    return (p.cells[i] ??= { x: p.unknown && this.letter(p.type) ? { v: NaN, t: this.letter(p.type), unknown: p
          .unknown } : p.fill && this.letter(p.type) ? number(0, this.letter(p.type)) : this.blank(p.type
      ?? { base: "auto", pointer: 0 }, "[]"), type: p.type, of: p });
  }
  copyOf(value) {
    if (value.isList) return { ...this.list(value.p.type, value.p.count, value.p.fill, true), p: { ...value.p,
        cells: value.p.cells.map((each) => each && { ...each, x: this.copyOf(each.x) }) } };
    if (!value.fields || value.isReference) return value;
    return { ...value, fields: new Map([...value.fields].map(([name, cell]) => [name, { ...cell, x: this.copyOf(cell
          .x) }])) };
  }
  // A value as one of this type.
  as(value, given) {
    if (!given) return value;
    const type = this.real(given),
      t = this.letter(type);
    if (type.pointer) return value.p ? { ...value, isList: false } : value;
    if (type.base === "auto" || type.base === "function" || type.base === "rep") return this.copyOf(value);
    if (t) {
      if (value.v === undefined || value.per) {
        if (t === "b" && (value.p || value.event)) return number(1, "b");
        throw this.refuse("this is no number", "这不是数");
      }
      return { ...value, v: fitted(value.v, t), t };
    }
    const duration = this.durationOf(type);
    if (duration) {
      if (!value.per) throw this.refuse("this is no duration", "这不是 duration");
      return this.cast(value, duration);
    }
    if (type.base === "dim3" && value.v !== undefined) {
      const made = this.blank(type);
      made.fields.get("x").x = number(fitted(value.v, "u"), "u");
      return made;
    }
    if (type.base === "cudaStream_t" && value.v === 0) return { stream: null, name: "0" };
    return this.copyOf(value);
  }
  cast(value, { per, t }) {
    const by = value.per / per,
      v = value.v * by;
    return { v: value.far !== undefined ? fitted(t === "l" ? v : value.v / (per / value.per), t) : fitted(t === "l" ?
        Math.trunc(v + Math.sign(v) * 1e-9) : v, t), t, per, ...(value.far !== undefined && t === "l" && { far: value
          .far, low: Math.trunc(value.low * by) }), ...scaled(value, by) };
  }
  store(cell, value, line) {
    const x = this.as(value, cell.type);
    if (x.spans) this.lastTime = { ...x, line };
    cell.x = x;
    const of = cell.of;
    if (of && of.kind === "pinned") { // the host and a kernel both see it
      of.gate ??= [];
      if (x.v) this.machine.calls.push({ kind: "gate", from: this.machine.host, to: this.machine.host, line });
      of.gate.push({ at: this.machine.host, open: !!x.v });
    }
    return x;
  }
  // A name that is declared nowhere is one of the page's, or a slider's.
  assume(name, kind, line, x) {
    if (this.reader.unread.has(name)) throw this.reader.unread.get(name);
    return this.make(name, { kind, x, line });
  }
  make(name, { kind, x, line }) {
    const m = this.machine,
      { T } = m,
      { bytes } = this.settings;
    const words = {
      event: ["an event", "一个事件"],
      stream: ["a stream", "一个流"],
      any: ["an argument that the kernel does not need", "核函数不需要的参数"],
      device: ["100,000 bytes of the GPU", "GPU 上的 100,000 字节"],
      host: ["100,000 bytes of the host", "主机的 100,000 字节"],
      pinned: ["100,000 bytes of pinned memory", "100,000 字节锁页内存"],
      ms: ["a float", "float"],
      list: ["a list of 1000 floats", "1000 个 float 的列表"]
    } [kind];
    const value = kind === "slider" ? x.v.toLocaleString("en") : "";
    if (words) this.note(line, say(`'${name}' is not declared: taken as ${words[0]}`,
      `'${name}' 没有声明：当作${words[1]}`), `${name} (${say(...words)})`);
    if (value) this.note(line, say(`'${name}' is not declared: the slider's ${value}`,
      `'${name}' 没有声明：采用滑块的 ${value}`), `${name} (${say("the slider's", "滑块的")} ${value})`);
    this.assumed.set(name, { kind, x, line });
    if (/^(event|stream|device|pinned)$/.test(kind)) {
      this.start();
      m.works({ event: T.event_create, stream: T.stream_create, device: T.allocate, pinned: T.allocate_host } [
      kind]);
    }
    const made = kind === "event" ? { event: { name } } : kind === "stream" ? { stream: { name, apart: name ===
            "stream" } } : /^(device|host|pinned)$/.test(kind) ? { p: { kind, cells: [], type: { base: "char",
            pointer: 0 }, bytes }, o: 0 }
      : kind === "ms" ? number(0, "f") : kind === "list" ? this.list({ base: "float", pointer: 0 }, 1000, number(0))
      : kind === "handle" || kind === "pointer" ? null : x;
    const cell = { x: made, ...(kind === "ms" && { type: { base: "float", pointer: 0 } }), ...(kind === "pointer"
      && { x: number(0), type: { base: "char", pointer: 1 } }) };
    if (made || kind === "pointer") this.globals.names.set(name, cell);
    return cell;
  }
  cell(e) {
    switch (e.is) {
      case "name": {
        const cell = this.find(e.name);
        if (cell) return cell;
        if (this.reader.kernels.has(e.name)) return { x: { kernel: e.name } };
        const { settings: s } = this, slider = { blocks: s.blocks, threads: s.threads, bytes: s.bytes, N: isSize(this
            .text) ? undefined : s.launches } [e.name];
        if (slider !== undefined) return this.assume(e.name, "slider", e.line, number(slider, e.name === "bytes" ?
          "L" : "i"));
        const kind = { ms: "ms", each: "list", d: "device", h: "host", p: "pinned", stream: "stream" } [e.name];
        if (kind) return this.assume(e.name, kind, e.line);
        throw this.reader.unread.get(e.name) ?? this.undeclared(e);
      }
      case "index": {
        const of = this.value(e.of);
        if (!of.p) throw this.refuse("this has no elements", "这没有元素", e.line);
        return this.at(of, this.value(e.index).v);
      }
      case "member": {
        let of = this.value(e.of);
        const { p } = of;
        if (p && !of.isList) of = this.at(of).x;
        if (p && of.fields && of.fields.has(e.name)) of.fields.get(e.name).of ??= p;
        if (!of.fields || !of.fields.has(e.name)) throw this.refuse(`'.${e.name}' is not known on this page`,
          `本页不认识 '.${e.name}'`, e.line);
        return of.fields.get(e.name);
      }
      case "unary":
        if (e.sign === "*") {
          const of = this.value(e.of);
          return of.p ? this.at(of) : this.none(of, e);
        }
        if (e.sign === "++" || e.sign === "--") return this.value(e), this.cell(e.of);
        break;
      case "cast":
        return this.cell(e.of); // (void **)&p
      case "assign":
        return this.value(e), this.cell(e.to);
      case "choose":
        return this.cell(this.truth(e.test) ? e.yes : e.no);
    }
    return { x: this.value(e) };
  }
  undeclared(e) {
    return Object.assign(this.refuse(`'${e.name}' is not declared`, `'${e.name}' 没有声明`, e.line), { missing: e
      .name });
  }
  none(of, e) {
    throw of && of.unknown ? new Unknown(of.unknown.text, e.line) : of && of.none ? this.refuse(
      "this has no value here", "这里还没有值", e.line) : this.refuse("this is not understood here", "这里读不懂", e.line);
  }

  // ---- Statements: each returns nothing, or how the block ends ----

  execute(s) {
    this.frame.s = s;
    if (++this.steps > STEPS) throw this.refuse("too many rounds for this page", "循环次数太多", s.line);
    this.machine.line = s.line;
    switch (s.is) {
      case "block": {
        if (!s.body.length) return;
        return this.inside(new Map(), () => {
          for (const each of s.body) {
            if (this.isMain) this.starts.push(each.line);
            const end = this.execute(each);
            if (end) return end;
          }
        });
      }
      case "group":
        for (const each of s.body) this.execute(each);
        return;
      case "function":
        return void(this.scope === this.globals || this.define(s));
      case "kernel":
        return;
      case "enum": {
        let next = 0;
        for (const each of s.names) {
          next = each.value ? this.value(each.value).v : next;
          this.scope.names.set(each.name, { x: number(next++) });
        }
        return;
      }
      case "unread":
        throw s.error;
      case "return":
        return { is: "return", value: s.made ? (s.made.is === "braces" ? (this.result && this.result.base !== "auto"
              ? this.build(this.result, s.made.parts, true) : this.listOf(s.made)) : this.result && this.result
            .reference ? { cell: this.cell(s.made) } : this.value(s.made)) : null };
      case "break":
      case "continue":
        return s;
      case "expression":
        return void(s.made.is === "comma" && s.made.isDeclaration ? this.declare(s.made) : this.value(s.made));
      case "if": {
        const test = this.value(s.test);
        if (test.unknown) return this.unsure(s, test.unknown);
        if (this.isTrue(test, s)) return this.execute(s.body);
        return s.otherwise ? this.execute(s.otherwise) : undefined;
      }
      case "switch": {
        const of = this.value(s.of), from = s.cases.findIndex((each) => each.value && this.value(each.value).v === of
          .v), begin = from < 0 ? s.cases.findIndex((each) => !each.value) : from;
        if (begin < 0) return;
        return this.inside(new Map(), () => {
          for (const { body } of s.cases.slice(begin))
            for (const each of body) {
              const end = this.execute(each);
              if (end) return end.is === "break" ? undefined : end;
            }
        });
      }
      case "each":
        return this.over(s);
      case "loop":
        return this.loop(s);
    }
    throw this.refuse("this is not understood here", "这里读不懂", s.line);
  }
  loop(s) {
    s.isTimed ??= this.isTimed(s);
    if (!s.isTimed && this.pureSince ===
      undefined) { // it takes no time on the machine; if it is long, its results are not known
      this.pureSince = this.steps;
      try {
        return this.rounds(s);
      } catch (error) {
        if (!error.isLong) throw error;
        for (const { name, of } of this.changedIn(s)) this.forget(name, of, say(
          "what this long loop computes is not known on this page", "本页不知道这个长循环的结果"));
        if (this.leaves(s)) this.note(s.line, say("taken as if no round of this long loop ends the program",
          "假定这个长循环不会结束程序"));
        this.steps = this.pureSince;
        return undefined;
      } finally {
        this.pureSince = undefined;
      }
    }
    return this.rounds(s);
  }
  rounds(s) {
    return this.inside(new Map(), () => {
      if (s.first) s.first.isDeclaration ? this.declare(s.first) : this.value(s.first);
      const isEndless = !s.test || (s.test.is === "number" && s.test.v) || s.test.name === "true";
      if (isEndless && !this.contains(s.body, (each) => each.is === "break" || each.is === "return" || (each.is
          === "call" && each.of.name === "exit"))) throw this.refuse("this loop never ends", "这个循环永不结束", s.line);
      if (this.pureSince !== undefined && s.test && /^<=?$/.test(s.test.sign) && s.test.right.is === "name" && (
          this.find(s.test.right.name) ?? { x: {} }).x.v > PURE_STEPS) throw Object.assign(this.refuse(
        "too many rounds for this page", "循环次数太多", s.line), { isLong: true });
      for (let isFirst = !!s.isDo;; isFirst = false) {
        if (++this.steps > STEPS) throw this.refuse("too many rounds for this page", "循环次数太多", s.line);
        if (this.pureSince !== undefined && this.steps - this.pureSince > PURE_STEPS) throw Object.assign(this
          .refuse("too many rounds for this page", "循环次数太多", s.line), { isLong: true });
        if (!isFirst && s.test && !this.truth(s.test)) return undefined;
        const end = this.execute(s.body);
        if (end && end.is === "break") return undefined;
        if (end && end.is === "return") return end;
        if (s.step) this.value(s.step);
      }
    });
  }
  over(s) {
    let of = s.of.is === "braces" ? this.listOf(s.of) : this.value(s.of);
    if (!of.p || !(of.p.count >= 0)) throw this.refuse("this is no list", "这不是列表", s.line);
    for (let i = 0; i < of.p.count; i++) {
      const cell = this.at(of, i),
        own = s.type.reference ? cell : { x: this.as(cell.x, s.type), type: s.type };
      const end = this.inside(new Map([
        [s.name, own]
      ]), () => this.execute(s.body));
      if (end && end.is === "break") return undefined;
      if (end && end.is === "return") return end;
    }
    return undefined;
  }
  // An `if` of which nobody here knows whether it is true.
  unsure(s, unknown) {
    const ways = [s.body, s.otherwise].filter(Boolean),
      leaving = ways.find((each) => this.leaves(each));
    if (leaving) {
      this.note(s.line, say(`${unknown.text}: taken as if the program goes on`, `${unknown.text}：假定程序继续`));
      const other = ways.find((each) => each !== leaving);
      return other ? this.execute(other) : undefined;
    }
    for (const each of ways) {
      if (this.isTimed(each, true)) throw new Unknown(unknown.text, s.line);
      for (const { name, of } of this.changedIn(each)) this.forget(name, of, unknown.text);
    }
    return undefined;
  }
  leaves(node) { return this.contains(node, (each) => /^(return|break|continue)$/.test(each.is) || (each.is === "call"
      && /^(exit|abort|_exit)$/.test(each.of.name))); }
  contains(node, is) {
    if (!node || typeof node !== "object") return false;
    if (is(node)) return true;
    return Object.values(node).some((each) => (Array.isArray(each) ? each.some((one) => this.contains(one, is)) :
      this.contains(each, is)));
  }
  // Does this call what takes time, or what is not known to take none?
  isTimed(node, mayPrint = false) {
    return this.contains(node, (each) => each.is === "launch" || each.is === "lambda" || each.is === "unread" || (
      each.is === "name" && each.name === "cout" && !mayPrint) || (each.is === "call"
      && !(WHOLE.has(each.of.name) || (mayPrint && /^(printf|fprintf|puts|fputs|cudaGetErrorString)$/.test(each
        .of.name)) || (each.of.is === "name" && this.isPure(each.of.name)))));
  }
  isPure(name) {
    const fn = this.find(name)?.x.fn;
    if (!fn || fn.isAsked) return !!fn; // it calls itself
    if (fn.pure === undefined) {
      fn.isAsked = true;
      fn.pure = !this.isTimed(fn.body) && !fn.parameters.some((each) => each.type.pointer || each.type.reference);
      fn.isAsked = false;
    }
    return fn.pure;
  }
  changedIn(node, found = []) {
    if (!node || typeof node !== "object") return found;
    const to = node.is === "assign" ? node.to : node.is === "after" || (node.is === "unary" && /^(\+\+|--)$/.test(
      node.sign)) ? node.of : null;
    if (to) {
      let root = to;
      while (root.of) root = root.of;
      if (root.is === "name") found.push({ name: root.name, of: to });
    }
    for (const each of Object.values(node)) Array.isArray(each) ? each.forEach((one) => this.changedIn(one, found)) :
      this.changedIn(each, found);
    return found;
  }
  forget(name, to, text) {
    const cell = this.find(name);
    if (!cell) return; // it is declared inside
    const unknown = { text };
    if (cell.x.p && to.is !== "name") this.spoil(cell.x.p, unknown);
    else if (cell.x.fields)
      for (const field of cell.x.fields.values()) field.x = { v: NaN, t: "d", unknown };
    else cell.x = { v: NaN, t: cell.x.t ?? "d", unknown };
  }
  spoil(memory, unknown) {
    for (const each of memory.cells ?? [])
      if (each && each.x.p && each.x.p !== memory) this.spoil(each.x.p, unknown);
    if (memory.cells && memory.cells.some((each) => each && each.x.p)) return;
    for (const each of memory.cells ?? [])
      if (each) each.x = { v: NaN, t: each.x.t ?? "d", unknown };
    memory.unknown = unknown;
  }
  isTrue(value, e) {
    if (value.unknown) throw new Unknown(value.unknown.text, e.line);
    if (value.none) this.none(value, e);
    return value.v !== undefined ? !!value.v : true;
  }
  truth(e) { return this.isTrue(this.value(e), e); }
  declare({ parts }) {
    for (const one of parts) {
      if (this.scope.names.has(one.name) && this.scope.names.get(one.name).by !== one && !this.assumed.has(one.name))
        throw this.refuse(`'${one.name}' is declared twice`, `'${one.name}' 声明了两次`, one.line);
      if (one.type.static && this.depth > 0) {
        if (!this.statics.has(one)) this.statics.set(one, { x: this.initial(one), type: one.type });
        this.scope.names.set(one.name, this.statics.get(one));
      } else if (one.type.reference && one.from) this.scope.names.set(one.name, this.cell(one.from));
      else {
        const x = this.initial(one);
        this.scope.names.set(one.name, { x, by: one, type: one.type.base === "auto" && !one.type.pointer ? (x.t && !x
            .per && !x.clock ? { base: Object.keys(NUMBERS).find((each) => NUMBERS[each][0] === x.t),
              pointer: 0 } : null) : one.dims.length ? null : one.type });
        if (x.spans) this.lastTime = { ...x, line: one.line };
      }
    }
    return parts.length ? this.scope.names.get(parts[parts.length - 1].name).x : number(0);
  }
  initial(one) {
    const type = this.real(one.type);
    this.machine.line = one.line;
    if (one.dims.length) return this.array(type, one.dims.map((dim) => (dim ? this.value(dim).v : null)), one.from ??
      (one.isBraces ? { parts: one.given } : null), this.depth === 0 && this.isWhole || one.type.static);
    if (one.from && one.from.is === "braces") return this.build(type, one.from.parts, true, one.name);
    if (one.from) return this.named(this.as(this.value(one.from), type), one.name);
    if (one.given) return this.build(type, one.given, one.isBraces, one.name);
    const made = this.blank(type, one.name),
      own = made.is && made.is.functions.get(made.is.name);
    if (own) this.method(made, own, []);
    if (made.none !== undefined && (one.type.static || (this.depth === 0 && this.isWhole)) && made.t) return type
      .pointer ? number(0) : number(0, made.t); // a global
    return made;
  }
  named(value, name) {
    if (value.stream && !value.stream.name) value.stream.name = name;
    return value;
  }
  // An array; a list of values gives its first elements.
  array(type, dims, from, isZero) {
    const [count, ...rest] = dims, parts = from && from.parts;
    if (from && from.is === "text") return { text: from.text };
    const made = this.list(type, count ?? parts.length, parts || isZero ? number(0) : null);
    made.p.room = rest.reduce((n, each) => n * each, 1);
    if (rest.length)
      for (let i = 0; i < made.p.count; i++) made.p.cells[i] = { x: this.array(type, rest, parts && parts[i], isZero
          || parts), of: null };
    else(parts ?? []).forEach((each, i) => { this.at(made, i).x = each.is === "braces" ? this.build(type, each.parts,
        true) : this.as(this.value(each), type); });
    return made;
  }
  listOf({ parts }) {
    const values = parts.map((each) => this.value(each)),
      made = this.list(null, values.length, null, true);
    values.forEach((x, i) => { made.p.cells[i] = { x }; });
    return made;
  }
  // Type(...) or Type{...}
  build(given, parts, isBraces = false, name = "") {
    const type = this.real(given),
      { base } = type;
    if (type.pointer || this.letter(type)) return parts.length ? this.as(this.value(parts[0]), type) : this.letter(
      type) ? number(0, this.letter(type)) : number(0);
    const made = this.blank(type, name),
      own = made.is && made.is.functions.get(made.is.name);
    if (own) return this.method(made, own, parts), made;
    if (base === "vector" || base === "array") {
      if (isBraces && parts.length === 1 && parts[0].is === "braces") return this.build(type, parts[0].parts, true,
        name);
      if (isBraces) {
        const values = parts.map((each) => (each.is === "braces" ? this.build(type.of[0], each.parts, true) : this
          .as(this.value(each), type.of[0])));
        if (base === "vector") made.p.count = values.length;
        else made.p.fill = number(0);
        values.forEach((x, i) => { made.p.cells[i] = { x, type: type.of[0] }; });
        return made;
      }
      const first = parts.length ? this.value(parts[0]) : number(0);
      if (first.p) {
        if (first.isList) return this.copyOf(first);
        const end = this.value(parts[1]);
        made.p.count = end.o - first.o;
        for (let i = 0; i < made.p.count; i++) made.p.cells[i] = { x: this.copyOf(this.at(first, i).x), type: type
            .of[0] };
        return made;
      }
      if (!(first.v >= 0)) this.none(first, parts[0]);
      made.p.count = first.v;
      if (parts[1] && first.v <= 100000) {
        const x = this.as(this.value(parts[1]), type.of[0]);
        if (x.v === 0) made.p.fill = x;
        else
          for (let i = 0; i < first.v; i++) made.p.cells[i] = { x: this.copyOf(x), type: type.of[0] };
      } else if (parts[1]) made.p.unknown = { text: say("what is in this long list is not known on this page",
          "本页不知道这个长列表的内容") };
      return made;
    }
    if (made.fields && made.fields.size) {
      const cells = [...made.fields.values()];
      if (parts.length === 1 && parts[0].is !== "braces" && parts[0].is !== "member of braces") {
        const value = this.value(parts[0]);
        if (value.fields) return this.copyOf(value);
        return cells[0].x = this.as(value, cells[0].type), made;
      }
      parts.forEach((each, i) => {
        const cell = each.is === "member of braces" ? made.fields.get(each.name) : cells[i],
          from = each.is === "member of braces" ? each.value : each;
        if (!cell) throw this.refuse("too many values", "值太多", each.line);
        cell.x = from.is === "braces" ? this.build(cell.type, from.parts, true) : this.as(this.value(from), cell
          .type);
      });
      if (isBraces && base !== "dim3") cells.slice(parts.length).forEach((cell) => { if (cell.x.none) cell.x =
          number(0, cell.x.t); });
      return made;
    }
    const duration = this.durationOf(type);
    if (duration) {
      const value = parts.length ? this.value(parts[0]) : number(0);
      return value.per ? this.cast(value, duration) : { ...value, v: fitted(value.v, duration.t), ...duration };
    }
    if (parts.length === 1) return this.as(this.value(parts[0]), type);
    return made;
  }

  // ---- Values ----

  value(e) {
    switch (e.is) {
      case "number":
        return e;
      case "text":
        return e;
      case "name": {
        const cell = this.find(e.name);
        if (cell) return cell.x;
        if (e.name in CONSTANTS) return number(CONSTANTS[e.name], REAL.has(e.name) ? "d" : "i");
        if (e.name === "CLOCKS_PER_SEC") return number(1e6, "l");
        if (e.name === "cudaStreamPerThread") return this.perThread ??= { stream: { name: "cudaStreamPerThread" } };
        if (e.name === "this") return { p: { kind: "host", cells: [{ x: this.self() }], count: 1 }, o: 0 };
        return this.cell(e).x;
      }
      case "braces":
        return this.listOf(e);
      case "comma": {
        if (e.isDeclaration) return this.declare(e);
        let last = null;
        for (const each of e.parts) last = this.value(each);
        return last;
      }
      case "assign":
        return this.assign(e);
      case "choose": {
        const test = this.value(e.test);
        if (test.unknown) return [this.value(e.yes), this.value(e.no)].map((x) => (x.text !== undefined
        ? { text: "?" } : { v: NaN, t: x.t ?? "d", unknown: test.unknown }))[0];
        return this.value(this.isTrue(test, e) ? e.yes : e.no);
      }
      case "binary":
        return this.binary(e);
      case "unary":
        return this.unary(e);
      case "after": {
        const cell = this.cell(e.of),
          before = cell.x;
        this.add(cell, e);
        return before;
      }
      case "index":
      case "member": {
        const made = e.is === "member" ? this.cell(e) : this.cell(e);
        return made.x;
      }
      case "cast": {
        const value = this.value(e.of),
          type = this.real(e.type);
        if (type.base === "void" && !type.pointer) return number(0);
        if (type.pointer) return value.p && !value.p.type ? ((value.p.type = { ...type, pointer: type.pointer - 1 }),
          value) : value;
        return this.as(value, type);
      }
      case "sizeof":
        return number(e.type ? this.bytesOf(e.type) : this.roomOf(e.of), "L");
      case "construct":
        return this.build(e.type, e.parts, e.isBraces);
      case "lambda":
        return { fn: e, scope: e.copies ? { names: new Map([...this.visible()].map(([name, cell]) => [name, { ...
              cell, x: this.copyOf(cell.x) }])), outer: this.globals } : this.scope };
      case "new": {
        const count = e.count ? this.value(e.count).v : 1,
          made = this.list(e.type, count, e.given ? number(0) : null);
        made.p.bytes = count * this.bytesOf(e.type);
        if (!e.count) made.p.cells[0] = { x: e.given ? this.build(e.type, e.given) : this.initial({ type: e.type,
            dims: [], line: e.line }), type: e.type };
        return made;
      }
      case "launch":
        return this.launch(e);
      case "call":
        return this.callOf(e);
    }
    throw this.refuse("this is not understood here", "这里读不懂", e.line);
  }
  self() {
    for (let scope = this.scope; scope; scope = scope.outer)
      if (scope.self) return scope.self;
    throw this.refuse("'this' is not understood here", "这里的 'this' 读不懂");
  }
  visible() {
    const found = new Map();
    for (let scope = this.scope; scope && scope !== this.globals; scope = scope.outer)
      for (const [name, cell] of scope.names)
        if (!found.has(name)) found.set(name, cell);
    return found;
  }
  roomOf(e) {
    if (e.is === "unary" && e.sign === "*") {
      const p = this.pointerType(e.of);
      return this.bytesOf(p);
    }
    if (e.is === "index") {
      const of = this.value(e.of), inner = of.p && of.p.room > 1 ? this.at(of, this.value(e.index).v).x : null;
      if (inner) return this.bytesOf(inner.p.type) * inner.p.count * (inner.p.room ?? 1);
      if (of.p && of.p.type) return this.bytesOf(of.p.type);
      return this.bytesOf(this.pointerType(e.of));
    }
    if (e.is === "text") return e.text.length + 1;
    const cell = this.cell(e);
    if (cell.type) return this.bytesOf(cell.type);
    if (cell.x.p && cell.x.p.count >= 0 && cell.x.p.type) return this.bytesOf(cell.x.p.type) * cell.x.p.count * (cell
      .x.p.room ?? 1);
    if (cell.x.t) return this.bytesOf({ base: Object.keys(NUMBERS).find((each) => NUMBERS[each][0] === cell.x.t),
      pointer: 0 });
    throw this.refuse("this size is not known on this page", "本页不知道这个大小", e.line);
  }
  pointerType(e) {
    const cell = this.cell(e);
    if (cell.type && cell.type.pointer) return { ...cell.type, pointer: cell.type.pointer - 1 };
    if (cell.x.p && cell.x.p.type) return cell.x.p.type;
    throw this.refuse("this size is not known on this page", "本页不知道这个大小", e.line);
  }
  assign(e) {
    if (e.sign === "=" && e.from.is === "braces") {
      const cell = this.cell(e.to);
      return (cell.x = this.build(cell.type ?? { base: "auto", pointer: 0 }, e.from.parts, true));
    }
    const value = this.value(e.from);
    if (e.sign === "=" && e.to.is === "name" && !this.find(e.to.name)) throw this.reader.unread.get(e.to.name) ??
      this.undeclared(e.to);
    const cell = this.cell(e.to);
    if (e.sign !== "=") {
      if (cell.x.text !== undefined) return (cell.x = { text: cell.x.text + (value.text ?? "?") });
      return this.store(cell, cell.x.p ? this.moved(cell.x, e.sign === "+=" ? value.v : -value.v) : this.compute(e
        .sign.slice(0, -1), cell.x, value, e), e.line);
    }
    if (cell.type === undefined && cell.x.v !== undefined && value.v !== undefined && cell.x.t && !cell.x.per) cell
      .type = { base: Object.keys(NUMBERS).find((each) => NUMBERS[each][0] === cell.x.t), pointer: 0 };
    return this.store(cell, value, e.line);
  }
  moved(of, by) {
    if (Number.isNaN(by)) throw this.refuse("this offset is not known on this page", "本页不知道这个偏移");
    return { ...of, isList: false, o: of.o + by };
  }
  compute(sign, a, b, e) {
    if (a.p || b.p || a.event !== undefined || a.text !== undefined || b.text !== undefined || a.fields || b
      .fields) {
      const [x, y] = [a, b].map((each) => each.p ?? each.event ?? each.text);
      if (a.p && b.p && sign === "-") return number(a.o - b.o, "l");
      if (a.p && b.p && /^[<>!=]=?$/.test(sign) && x === y) return computed(sign, number(a.o), number(b.o));
      if ((sign === "+" || sign === "-") && a.p && b.v !== undefined) return this.moved(a, sign === "+" ? b.v : -b
      .v);
      if (sign === "+" && b.p && a.v !== undefined) return this.moved(b, a.v);
      if (sign === "+" && (a.text !== undefined || b.text !== undefined))
      return { text: `${a.text ?? "?"}${b.text ?? "?"}` };
      if (sign === "==" || sign === "!=") return number(+((x === y) === (sign === "==")), "b");
      throw this.refuse(`'${sign}' of these is not known on this page`, `本页不认识它们的 '${sign}'`, e.line);
    }
    for (const each of [a, b])
      if (each.none !== undefined && !this.failed.length) throw this.refuse(each.none ?
        `'${each.none}' has no value here` : "this has no value here", each.none ? `'${each.none}' 在这里还没有值` :
        "这里还没有值", e.line);
    if (a.v === undefined || b.v === undefined) throw this.refuse("this is no number", "这不是数", e.line);
    const isReal = /[fd]/.test(a.t + b.t);
    if ((sign === "%" || sign === "<<" || sign === ">>" || sign === "&" || sign === "|" || sign === "^") && (isReal
        || (Number.isNaN(a.v + b.v) && !a.unknown && !b.unknown))) throw this.refuse(
      `'${sign}' is not understood here`, `这里的 '${sign}' 读不懂`, e.line);
    if ((sign === "/" || sign === "%") && b.v === 0 && !isReal) throw this.refuse("a division by 0", "除以 0", e.line);
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
    if (e.sign === "<<") {
      let left = e;
      const parts = [];
      for (; left.is === "binary" && left.sign === "<<"; left = left.left) parts.unshift(left.right);
      if (/^(cout|cerr|clog)$/.test(left.name) && !this.find(left.name)) {
        const isStyle = (each) => /^(endl|fixed|flush|scientific|left|right|defaultfloat)$/.test(each.name ?? "") ||
          (each.is === "call" && /^(setw|setprecision|setfill)$/.test(each.of.name));
        const values = parts.map((each) => (isStyle(each) ? { text: each.name === "endl" ? "\n" : "" } : { ...this
          .value(each), argument: each }));
        return left.name === "cout" ? this.show(values, e.line) : number(0);
      }
    }
    this.ordered(e, [e.left, e.right]);
    return this.compute(e.sign, this.value(e.left), this.value(e.right), e);
  }
  unary(e) {
    if (e.sign === "&") {
      if (e.of.is === "index") {
        const of = this.value(e.of.of);
        if (of.p && !(of.isList && of.p.kind === "host" && !of.p.cells)) return this.moved(of, this.value(e.of.index)
          .v);
      }
      const cell = this.cell(e.of);
      return { p: { kind: "host", cells: [cell], count: 1, type: cell.type }, o: 0 };
    }
    if (e.sign === "*") return this.cell(e).x;
    if (e.sign === "++" || e.sign === "--") {
      const cell = this.cell(e.of);
      return this.add(cell, e);
    }
    const of = this.value(e.of);
    if (e.sign === "!") return of.unknown ? { ...of, t: "b" } : number(+!this.isTrue(of, e), "b");
    if (e.sign === "+" && of.v !== undefined) return of;
    if (e.sign === "-") return { ...this.compute("*", of, number(-1, RANK.indexOf(of.t) < 5 ? "i" : of.t), e), ...(of
        .per && { per: of.per }), v: fitted(-of.v, of.t) };
    if (e.sign === "~" && of.v !== undefined) return number(fitted(-of.v - 1, of.t), of.t);
    throw this.refuse(`'${e.sign}' is not understood here`, `这里的 '${e.sign}' 读不懂`, e.line);
  }
  add(cell, e) {
    const by = e.sign === "++" ? 1 : -1;
    return this.store(cell, cell.x.p ? this.moved(cell.x, by) : { ...this.compute("+", cell.x, number(by), e),
      t: cell.x.t }, e.line);
  }

  // ---- Calls ----

  launch(e) {
    const kernel = e.of.is === "name" && !this.reader.kernels.has(e.of.name) && !this.find(e.of.name) ? null : this
      .value(e.of),
      name = kernel ? kernel.kernel : e.of.name,
      line = e.line;
    if (!name) throw this.refuse("this is no kernel", "这不是核函数", line);
    const known = this.reader.kernels.get(name),
      same = (e.of.typesText ?? []).map(({ text, type }) => {
        const cell = type === "name" ? this.find(text) : null;
        return cell ? (cell.x.type ? cell.x.type.base : cell.x.v) : text;
      }).join(" ");
    if (!known && this.reader.unread.has(name)) throw this.reader.unread.get(name);
    const dims = (i, usual) => {
      let value;
      try {
        value = this.value(e.shape[i]);
      } catch (error) {
        if (!error.missing || e.shape[i].is !== "name") throw error;
        value = this.assume(error.missing, "slider", line, number(usual)).x;
      }
      const all = value.fields ? [...value.fields.values()].map((each) => each.x) : [value];
      for (const each of all)
        if (!(each.v >= 0) && !(each.v < 0)) this.none(each, e);
      return all.map((each) => fitted(each.v, "u"));
    };
    if (e.shape.length < 2) throw this.refuse("a launch has two numbers at least", "启动至少有两个数", line);
    const grid = dims(0, this.settings.blocks),
      block = dims(1, this.settings.threads);
    const shared = e.shape[2] ? this.value(e.shape[2]).v : 0,
      stream = this.stream(e.shape[3]);
    const given = e.given.flatMap((each) => {
      if (each.is === "name" && !this.find(each.name) && !(each.name in CONSTANTS) && !/^[dhp]$|^N$|^bytes$/
        .test(each.name)) this.assume(each.name, "any", line, number(0));
      const value = this.value(each);
      if (value.none !== undefined) this.none(value, each);
      return [value];
    });
    if (known && given.length !== known.parameters.length && !given.some((each) => each.pack) && !/\.\.\./.test(known
        .parameters.join()))
      if (given.length > known.parameters.length) throw this.refuse("the kernel has fewer parameters", "核函数没有这么多参数",
        line);
    return this.enqueue(known ?? { name, text: "" }, `${name}<${same}>`, grid, block, shared, stream, given, line, !
      known);
  }
  enqueue(kernel, identity, grid, block, shared, stream, given, line, isAssumed) {
    const m = this.machine,
      groups = grid.reduce((n, each) => n * each, 1),
      threads = block.reduce((n, each) => n * each, 1);
    const kind = isAssumed ? kernel.name === "hold" ? { work: 0, hold: 1e6 } : { work: /^(empty|nothing|null|noop)/i
        .test(kernel.name) ? 0 : this.settings.work } : this.kindOf(kernel, given, line);
    if (isAssumed) { // its parameters are those of its first launch
      const list = given.map((each) => (each.p ? "p" : "n")).join(""), old = this.assumed.get(kernel.name);
      if (old && old.kind === "kernel" && old.list !== list)
        throw this.refuse(`'${kernel.name}' had other arguments in line ${old.line}`, `'${kernel.name}' 在第 ` +
          `${old.line} 行的参数不同`, line);
      if (!old || old.list === undefined) this.assumed.set(kernel.name, { kind: "kernel", line, list });
    }
    const most = 4 * groups * threads,
      rooms = given.slice(0, 7).map((each) => (each.p && each.p.kind === "device" ? { room: Math.max(0, each.p.bytes
          - each.o * this.bytesOf(each.p.type ?? { base: "char", pointer: 0 })), p: each.p } : { room: 0 }));
    const data = rooms.find((each) => each.room >= 256),
      bytes = data ? rooms.reduce((sum, { room }) => sum + Math.min(room, most), 0) : 0;
    for (const { p } of given)
      if (p && p.kind !== "device" && !kind.gate) {
        if (p.kind === "host") throw this.refuse("a kernel cannot use this memory of the host", "核函数不能使用主机的这段内存",
          line);
        this.spoil(p, { text: say("what a kernel writes is not known on this page", "本页不知道核函数写了什么") });
      }
    if (!(groups > 0) || groups > 4e6)
      if (groups > 0) throw this.refuse("more blocks than this page computes: 4,000,000", "块数超过本页上限 4,000,000",
      line);
    if (m.commands.length > 20000) throw this.refuse("more launches than this page computes: 20,000",
      "启动次数超过本页上限 20,000", line);
    if (bytes && this.settings.idle < 100 && (this.slowBlocks = (this.slowBlocks ?? 0) + groups) > 200000) throw this
      .refuse("with a slow clock the page computes 200,000 blocks that are given data, and no more",
        "时钟较慢时，本页最多计算 200,000 个有数据的块", line);
    this.start();
    const isPossible = grid.every((each, i) => each > 0 && each <= (i ? 65535 : 2147483647)) && block.every((each,
      i) => each > 0 && (i < 2 || each <= 64)) && !(shared > 232448);
    if (shared > 49152) throw this.refuse("so much shared memory is not in the page's model", "本页的模型没有这么大的共享内存",
      line);
    const evicts = data && this.evicted && this.evicted !== data.p;
    if (evicts) throw this.refuse(
      "here the L2 cache has lost the kernel's data to a large buffer: this is not in the page's model",
      "这里核函数的数据已被挤出 L2 缓存：本页的模型没有它", line);
    if (data) this.evicted = data.p.bytes >= 2 * m.T.l2_kib * 1024 ? data.p : null;
    const answer = m.launch(identity, { groups: isPossible ? groups : 0, threads, bytes, stream, ...kind });
    if (answer === "cudaSuccess") Object.assign(m.commands[m.commands.length - 1], { label: kernel.name, where: this
        .where() });
    if (answer !== "cudaSuccess") this.fails(answer, line);
    return number(0);
  }
  fails(error, line) {
    this.failed.push({ line, error, where: this.where() });
    this.lastError = ERRORS[error];
    return number(ERRORS[error]);
  }
  // What a kernel's body does, as far as the page knows it: nothing; it waits for a flag of the host, by a clock, or
  // counts; else its code takes as long as the slider says.
  kindOf({ text, parameters, name }, given, line) {
    const number = (word) => {
      const i = parameters.indexOf(word),
        plain = word.replace(/[uUlL]+$/, "");
      const v = i >= 0 ? (given[i] ?? {}).v : /^[\d.e+x]+$/i.test(plain) ? Number(plain) : (this.find(word)
      ?? { x: {} }).x.v;
      if (!(v >= 0)) throw this.refuse(`how long '${name}' waits is not understood`, `读不懂 '${name}' 等多久`, line);
      return v;
    };
    if (!text.trim()) return { work: 0 };
    const kernel = this.reader.kernels.get(name), read = this.machine.T.step;
    const counts = new RegExp("^(?:if \\( threadIdx[^{;]*?== 0(?: && threadIdx \\. \\w == 0)* \\) )?for \\( " +
      "(?:unsigned |const )?" +
      "\\w+ (\\w+) = 0 ; \\1 < (\\w+) ; (?:\\1 \\+\\+|\\+\\+ \\1) \\) (?:;|\\{ \\})$").exec(text);
    if (counts) kernel.isKept = true;
    if (counts) return { work: number(counts[2]) * read };
    const spins = /while \( (.*?) \) (?:;|\{ \}|__nanosleep)/.exec(text) ?? /(?:do |\} )while \( (.*?) \) ;/.exec(
      text);
    const isClock = /globaltimer|\bclock(64)? ?\(/.test(text) || [...this.reader.kernels.values()].some((each) => !
      each.isKernel && /globaltimer|\bclock/.test(each.text) && new RegExp(`\\b${each.name}\\b`).test(text));
    if (!spins) {
      kernel.isSlider = true;
      return { work: this.settings.work };
    }
    kernel.isKept = true;
    const flag = /^(?:! ?\*? ?(\w+)|! (\w+) -> \w+|\*? ?(\w+)(?: \[ 0 \]| -> \w+)? == 0|! (\w+) \[ 0 \])$/.exec(
      spins[1].replace(/\( (volatile|const) \w+ \* \) /, "").replace(/^(.*) && .*(clock|globaltimer).*$/, "$1"));
    if (flag) {
      const p = (given[parameters.indexOf(flag[1] ?? flag[2] ?? flag[3] ?? flag[4])] ?? {}).p;
      if (p && p.kind === "pinned") return { work: 0, gate: (p.gate ??= []) };
    }
    const until = /(?:<|<=) ([\w.]+)$/.exec(spins[1]);
    if (isClock && until) {
      const isRound = /globaltimer/.test(text) || [...this.reader.kernels.values()].some((each) => !each.isKernel &&
        /globaltimer/.test(each.text) && new RegExp(`\\b${each.name}\\b`).test(text));
      return { work: 0, hold: number(until[1]) / (isRound ? 1 : 2) };
    }
    throw this.refuse(`what '${name}' waits for is not understood`, `读不懂 '${name}' 在等什么`, line);
  }
  stream(e) {
    if (!e) return null;
    const value = e.is === "name" && !this.find(e.name) && !(e.name in CONSTANTS) && !/^(stream|cudaStream\w+)$/
      .test(e.name) ? this.assume(e.name, "stream", e.line).x : this.value(e);
    if (value.v === 0 && !value.none) return null;
    if (value.stream === undefined) throw this.refuse("this is no stream", "这不是流", e.line);
    if (value.stream === null && value.name !== "0") throw this.refuse(
      `the stream '${value.name}' was never created`, `流 '${value.name}' 没有创建`, e.line);
    return value.stream;
  }
  event(e) {
    const name = e && e.is === "name" && !this.find(e.name) && !(e.name in CONSTANTS) ? e.name : null;
    if (name) return this.assume(name, "event", e.line).x.event;
    const value = e ? this.value(e) : {};
    if (value.event === undefined) throw this.refuse("this is no event", "这不是事件", e ? e.line : undefined);
    if (!value.event) throw this.refuse(`the event '${value.name}' was never created`, `事件 '${value.name}' 没有创建`, e
      .line);
    return value.event;
  }
  // Which statements are being run, from the outermost function in.
  where() {
    const found = [];
    for (let { frame } = this; frame; frame = frame.up)
      if (frame.s) found.unshift({ id: frame.id, s: frame.s });
    return found;
  }
  // The first call of CUDA starts the driver.
  start() {
    if (this.machine.started) return;
    this.machine.started = true;
    this.machine.works(this.machine.T.driver, "driver");
  }
  method(self, fn, args) {
    return this.call(fn, args.map((each) => (each && each.is ? { node: each } : each)), this.globals, self);
  }
  call(fn, given, scope = this.globals, self, types) {
    this.frame = { id: ++this.frames, s: null, up: this.frame };
    if (++this.depth > 60) throw this.refuse("a function that calls itself too often", "函数调用自己太多次");
    const names = new Map(),
      before = { result: this.result, isMain: this.isMain, line: this.machine.line };
    (fn.template ?? []).forEach((each, i) => {
      const one = (types ?? [])[i] ?? each.usual;
      if (one) names.set(each.name, each.isType ? { x: { type: one.base ? this.real(one) : one } } : { x: this
          .value(one.value ?? { is: "name", name: one.base, line: fn.line }) });
    });
    fn.parameters.forEach((each, i) => {
      const one = given[i];
      if (each.isPack) return names.set(each.name, { x: { pack: given.slice(i).map((arg) => this.given(
          arg)) } });
      if (each.name === "...") return undefined;
      if (!one && each.usual) return names.set(each.name, { x: this.as(this.value(each.usual), each.type),
        type: each.type });
      if (!one) throw this.refuse(`'${fn.name ?? "a lambda"}' has more parameters`,
        `'${fn.name ?? "lambda"}' 的参数更多`);
      if (each.type.reference && one.node) {
        const cell = this.cell(one.node);
        if (cell.x.fields) cell.x.kept = cell.x.kept ?? false;
        return names.set(each.name, cell);
      }
      const x = one.node && one.node.is === "braces" ? this.build(each.type, one.node.parts, true) : this.as(this
          .given(one), each.type),
        known = this.reader.types.get(each.type.base);
      if (known && known.is === "parameter" && x.p && x.p.type && each.type.pointer) names.set(each.type
      .base, { x: { type: { ...x.p.type } } });
      return names.set(each.name, { x, type: known && known.is === "parameter" || each.type.base === "auto" ?
          undefined : each.type });
    });
    if (given.length > fn.parameters.length && !fn.parameters.some((each) => each.isPack || each.name === "..."))
      throw this.refuse(`'${fn.name ?? "a lambda"}' has fewer parameters`, `'${fn.name ?? "lambda"}' 的参数更少`);
    this.result = fn.type;
    this.isMain = fn === this.main;
    try {
      const end = this.inside(names, () => {
        for (const { name, parts } of fn.members ?? []) {
          const cell = self.fields.get(name);
          cell.x = this.build(cell.type, parts, true);
        }
        return this.execute(fn.body);
      }, scope, self);
      if (!end || !end.value) return number(0);
      if (end.value.cell) return end.value.cell.x;
      return fn.type && fn.type.base !== "auto" && !fn.type.reference ? (end.value.isList && this.real(fn.type).base
        !== "vector" ? this.as(end.value, fn.type) : this.as(end.value, fn.type)) : end.value;
    } finally {
      this.depth--;
      this.frame = this.frame.up;
      this.result = before.result;
      this.isMain = before.isMain;
      this.machine.line = before.line;
    }
  }
  given(one) { return one.node ? this.value(one.node) : one; }
  // C++ does not say which of two arguments comes first.
  ordered(e, parts) {
    e.isOrdered ??= parts.filter((each) => this.isTimed(each, true) && each.is !== "lambda").length < 2;
    if (!e.isOrdered) throw this.refuse(
      "two of these take time, and C++ does not say which comes first: give them lines of their own",
      "其中两个都要用时，而 C++ 没有规定先后：请分成单独的行", e.line);
  }
  callOf(e) {
    this.ordered(e, e.given);
    const m = this.machine,
      { of, line } = e;
    if (of.is === "member") return this.memberCall(e);
    const own = of.is === "name" ? this.find(of.name) : { x: this.value(of) };
    const args = e.given.flatMap((each) => (each.isPack && each.is === "name" ? this.value(each).pack : each.isPack ?
      this.none({}, each) : [{ node: each }]));
    if (own) {
      if (own.x.fields && own.x.is && own.x.is.functions.has("operator()")) return this.method(own.x, own.x.is
        .functions.get("operator()"), e.given);
      if (!own.x.fn) throw this.refuse("this is no function", "这不是函数", line);
      const fn = [...(own.x.others ?? []), own.x.fn].find((each) => each.parameters.length === args.length) ?? own.x
        .fn;
      return this.call(fn, args, own.x.scope, undefined, of.types);
    }
    for (let scope = this.scope; scope; scope = scope.outer)
      if (scope.self && scope.self.is && scope.self.is.functions.has(of.name)) return this.call(scope.self.is
        .functions.get(of.name), args, this.globals, scope.self);
    if (this.reader.unread.has(of.name)) throw this.reader.unread.get(of.name);
    m.line = line;
    const act = { name: of.name, line, where: this.where(), from: m.host },
      answer = this.fromLibrary(of.name, e, args);
    if (/^cuda(Mem|Malloc|HostAlloc|Free|\w+Synchronize)|sleep/.test(of.name ?? "")) this.acts.push(Object.assign(
      act, { to: m.host }));
    if (answer) return answer;
    if (/check|safe|err|call/i.test(of.name ?? "") && e.given.length === 1 && /^cuda[A-Z]/.test((e.given[0].of ?? {})
        .name)) { // a check whose definition was not pasted
      if (!this.assumed.has(of.name)) this.note(line, say(
        `'${of.name}' is not declared: taken as one that ends the program if the call fails`,
        `'${of.name}' 没有声明：当作调用失败就结束程序`));
      this.assumed.set(of.name, { kind: "check", line });
      return this.library("simcc_checked", e, args);
    }
    throw this.refuse(
      `'${of.name ?? "..."}()' is not known on this page: take it out, or if it launches a kernel, write ` +
        `kernel<<<blocks, threads>>>() in its place to see the parts`,
      `本页不认识 '${of.name ?? "..."}()'：请去掉；它若启动核函数，请改写成 kernel<<<blocks, threads>>>()，以查看各部分`, line);
  }
  memberCall(e) {
    const { of: { of, name }, given, line } = e;
    if (/^(cout|cerr)$/.test(of.name) && /^(precision|setf|flush|width|fill)$/.test(name)) return number(0);
    const cell = this.cell(of);
    let x = cell.x;
    if (x.p && !x.isList && x.p.cells && x.p.cells[x.o] && x.p.cells[x.o].x.fields) x = x.p.cells[x.o].x;
    const arg = (i) => this.value(given[i]);
    if (x.fields && x.is && x.is.functions.has(name)) return this.method(x, x.is.functions.get(name), given);
    if (x.fields && x.fields.has(name) && x.fields.get(name).x.fn) return this.call(x.fields.get(name).x.fn, given
      .map((node) => ({ node })), x.fields.get(name).x.scope);
    if (name === "count" && x.per) return { ...x, per: undefined };
    if (name === "time_since_epoch" && x.clock !== undefined) return { ...x, clock: undefined };
    if (x.text !== undefined && /^(c_str|data)$/.test(name)) return x;
    if (x.text !== undefined && /^(size|length)$/.test(name)) return number(x.text.length, "L");
    if (x.p && (x.isList || /^(get|operator)$/.test(name))) {
      const { p } = x;
      switch (name) {
        case "size":
          return number(p.count, "L");
        case "empty":
          return number(+(p.count === 0), "b");
        case "data":
        case "begin":
        case "cbegin":
        case "get":
          return { p, o: 0 };
        case "end":
        case "cend":
          return { p, o: p.count };
        case "front":
          return this.at(x, 0).x;
        case "back":
          return this.at(x, p.count - 1).x;
        case "at":
          return this.at(x, arg(0).v).x;
        case "push_back":
        case "emplace_back": {
          const value = given.length > 1 || given[0].is === "braces" ? this.build(p.type, given.length > 1 ? given :
            given[0].parts, true) : this.as(arg(0), p.type);
          p.cells[p.count++] = { x: value, type: p.type };
          return number(0);
        }
        case "pop_back":
          p.count--;
          p.cells.length = p.count;
          return number(0);
        case "reserve":
        case "shrink_to_fit":
          return number(0);
        case "clear":
          p.count = 0;
          p.cells = [];
          return number(0);
        case "resize":
        case "assign": {
          p.count = arg(0).v;
          if (name === "assign") p.cells = Array.from({ length: p.count }, () => ({ x: this.as(arg(1), p.type),
            type: p.type }));
          else p.cells.length = Math.min(p.cells.length, p.count);
          return number(0);
        }
        case "fill":
          for (let i = 0; i < p.count; i++) this.at(x, i).x = this.as(arg(0), p.type);
          return number(0);
      }
    }
    throw this.refuse(`'.${name}()' is not known on this page`, `本页不认识 '.${name}()'`, line);
  }
  fromLibrary(name, e, args) {
    try {
      return this.library(name, e, args);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw this.refuse(`'${name}()' is not understood with these arguments`, `读不懂 '${name}()' 的参数`, e.line);
    }
  }
  // Where a pointer points to: for a call that writes there.
  target(e) {
    if (e.is === "unary" && e.sign === "&") {
      if (e.of.is === "name" && !this.find(e.of.name) && /^[dhp]$/.test(e.of.name)) return this.assume(e.of.name,
        "pointer", e.line);
      return this.cell(e.of);
    }
    if (e.is === "cast") return this.target(e.of);
    const value = this.value(e);
    if (value.p && value.p.cells) return this.at(value);
    throw this.refuse("this is no address", "这不是地址", e.line);
  }
  reading(by, v, k, extra) {
    return { v, ...extra, reads: [{ at: this.machine.host, by, k, line: this.machine.line, where: this.where() }] };
  }
  // A clock of the host, in ns since its own zero.
  clockNs(id) {
    const m = this.machine;
    m.readClock();
    const { host } = m;
    return id === 0 ? { far: 1.7e18, low: host - Math.floor(host / 4000) } : id === 4 ? { far: 0, low: host + Math
        .floor(host / 2000) + 123455000000000 } : { far: 0, low: host + 123456000000789 + (id === 7 ? 3600e9 : 0) };
  }
  fill(cell, id, isUs) {
    const { far, low } = this.clockNs(id), struct = cell.x.fields ? cell.x : (cell.x = this.blank({ base: isUs ?
        "timeval" : "timespec", pointer: 0 })), sub = low % 1e9;
    struct.fields.get("tv_sec").x = number(far / 1e9 + Math.floor(low / 1e9), "l");
    struct.fields.get(isUs ? "tv_usec" : "tv_nsec").x = this.reading("host", isUs ? Math.floor(sub / 1000) : sub,
      isUs ? 1e-3 : 1, { t: "l" });
    return number(0);
  }
  seconds() { // now() of the page
    const { low } = this.clockNs(1);
    return this.reading("host", Math.floor(low / 1e9) + (low % 1e9) * 1e-9, 1e-9, { t: "d" });
  }
  memory(kind, bytes, line, type) {
    if (!(bytes >= 0)) throw this.refuse("how many bytes is not known", "字节数未知", line);
    if (kind === "device" && bytes > 70e9) throw this.refuse("the page's GPU has no such memory", "本页的 GPU 没有这么多内存",
      line);
    return { p: { kind, cells: [], bytes, type }, o: 0 };
  }
  range(args) {
    const first = this.given(args[0]),
      end = args.length > 1 ? this.given(args[1]) : null;
    if (!first.p) throw this.refuse("this is no list", "这不是列表");
    const count = end && end.p ? end.o - first.o : NaN;
    if (!(count >= 0)) throw this.refuse("this is no list", "这不是列表");
    return Array.from({ length: count }, (_, i) => this.at(first, i));
  }
  library(name, e, args) {
    const m = this.machine,
      T = m.T,
      { given, line } = e,
      zero = number(0);
    const arg = (i) => (given[i] ? this.value(given[i]) : number(0));
    const plain = (i) => {
      const value = arg(i);
      if (value.v === undefined || value.none !== undefined || value.unknown) this.none(value, given[i] ?? e);
      return value.v;
    };
    const works = (ns) => (this.start(), m.works(ns), zero);
    const clock = /^(\w+)::now$/.exec(name ?? "");
    if (clock && /^(steady|system|high_resolution)_clock$/.test(clock[1])) {
      const id = clock[1] === "steady_clock" ? 1 : 0,
        { far, low } = this.clockNs(id);
      return this.reading("host", far + low, 1, { t: "l", per: 1, clock: clock[1], far, low });
    }
    if (MATH[name]) {
      const values = given.map((_, i) => arg(i)),
        unknown = values.find((each) => each.unknown),
        [x] = values;
      if (unknown) return { v: NaN, t: "d", unknown: unknown.unknown };
      for (const each of values)
        if (each.v === undefined || each.none !== undefined) this.none(each, e);
      const t = name === "isnan" || name === "isfinite" ? "b" : /f$/.test(name) && name !== "isinf" ? "f" : name ===
        "abs" ? (RANK.indexOf(x.t) < 5 ? "i" : x.t) : x.t === "f" && values.every((each) => each.t === "f" ||
          /[a-zA-Z]/.test(each.t) && each.t !== "d") ? "f" : "d";
      const keeps = /^(f?abs|ceil|floor|round)f?$/.test(name);
      return { v: fitted(MATH[name](...values.map((each) => each.v)), t), t, ...(keeps && scaled(x, x.v < 0 && /abs/
          .test(name) ? -1 : 1)) };
    }
    switch (name) {
      case "now":
      case "omp_get_wtime": {
        if (name === "now") this.assumed.set("now", { kind: "function", line });
        return this.seconds();
      }
      case "cpuSecond": {
        this.assumed.set("cpuSecond", { kind: "function", line });
        m.works(T.timeofday);
        const { low } = this.clockNs(0), us = Math.floor((low % 1e9) / 1000);
        return this.reading("host", 1.7e9 + Math.floor(low / 1e9) + us * 1e-6, 1e-9, { t: "d" });
      }
      case "sdkCreateTimer":
      case "cutCreateTimer": {
        if (name[0] === "c") this.assumed.set("cutCreateTimer", { kind: "function", line });
        const cell = this.target(given[0]);
        cell.x = { timer: { v: 0, t: "d" }, runs: 0 };
        return zero;
      }
      case "sdkDeleteTimer":
      case "cutDeleteTimer":
        return zero;
      case "sdkResetTimer":
      case "sdkStartTimer":
      case "sdkStopTimer":
      case "sdkGetTimerValue":
      case "sdkGetAverageTimerValue":
      case "cutResetTimer":
      case "cutStartTimer":
      case "cutStopTimer":
      case "cutGetTimerValue": {
        const x = name[0] === "s" ? this.target(given[0]).x : arg(0);
        if (!x.timer) throw this.refuse("this is no timer", "这不是计时器", line);
        const read = () => {
          const { low } = this.clockNs(1);
          return this.reading("host", low * 1e-6, 1e-6, { t: "d" });
        };
        if (/Reset/.test(name)) x.timer = { v: 0, t: "d" }, x.runs = 0;
        else if (/Start/.test(name)) x.from = read();
        else if (/Stop/.test(name)) x.timer = x.from ? computed("+", x.timer, computed("-", read(), x.from)) : this
          .none({}, e), x.runs++;
        else return { ...x.timer, ...(/Average/.test(name) && x.runs ? { ...computed("/", x.timer, number(x.runs)) }
            : {}), t: "f", v: Math.fround(/Average/.test(name) && x.runs ? x.timer.v / x.runs : x.timer.v) };
        return zero;
      }
      case "gettimeofday":
        m.works(T.timeofday);
        return this.fill(this.target(given[0]), 0, true);
      case "clock_gettime": {
        const id = plain(0);
        if (![0, 1].includes(id)) throw this.refuse("this clock is not known on this page: take CLOCK_MONOTONIC",
          "本页不认识这个时钟：请用 CLOCK_MONOTONIC", line);
        return this.fill(this.target(given[1]), id, false);
      }
      case "timespec_get":
        return this.fill(this.target(given[0]), 0, false), number(1);
      case "clock": {
        const v = m.readProcessorClock();
        return this.reading("cpu", v, 1e-3, { t: "l" });
      }
      case "time":
        return number(17e8 + Math.floor(m.host / 1e9), "l");
      case "usleep":
        return m.sleep(plain(0) * 1e3), zero;
      case "sleep":
        return m.sleep(plain(0) * 1e9), zero;
      case "sleep_for": {
        const of = arg(0);
        if (!of.per) throw this.refuse("this is no duration", "这不是 duration", line);
        return m.sleep(Math.floor(of.v * of.per)), zero;
      }
      case "nanosleep": {
        const { fields } = this.target(given[0]).x;
        return m.sleep(fields.get("tv_sec").x.v * 1e9 + fields.get("tv_nsec").x.v), zero;
      }
      case "cudaEventCreate":
      case "cudaEventCreateWithFlags": {
        const flags = given[1] ? plain(1) : 0,
          cell = given[0].is === "unary" && given[0].of.is === "name" && !this.find(given[0].of.name) ? null : this
          .target(given[0]);
        works(T.event_create);
        const made = { event: { name: given[0].of && given[0].of.name ? given[0].of.name : (cell && cell.x.name) ||
              "event", blocking: !!(flags & 1), untimed: !!(flags & 2) } };
        if (cell) cell.x = made;
        else {
          this.globals.names.set(given[0].of.name, { x: made });
          this.assumed.set(given[0].of.name, { kind: "handle", isStream: false, line });
        }
        return zero;
      }
      case "cudaEventDestroy":
        return this.event(given[0]), works(T.event_destroy);
      case "cudaStreamCreate":
      case "cudaStreamCreateWithFlags":
      case "cudaStreamCreateWithPriority": {
        const apart = !!given[1] && plain(1) === 1,
          cell = given[0].is === "unary" && given[0].of.is === "name" && !this.find(given[0].of.name) ? null : this
          .target(given[0]);
        works(T.stream_create);
        const made = { stream: { name: this.nameOf(given[0]) ?? `stream ${m.calls.length}`, apart } };
        if (cell) cell.x = made;
        else {
          this.globals.names.set(given[0].of.name, { x: made });
          this.assumed.set(given[0].of.name, { kind: "handle", isStream: true, line });
        }
        return zero;
      }
      case "cudaStreamDestroy":
        return works(T.stream_destroy);
      case "cudaEventRecord": {
        const event = this.event(given[0]),
          stream = this.stream(given[1]);
        this.start();
        m.record(event, stream);
        event.command.where = this.where();
        return zero;
      }
      case "cudaEventQuery": {
        const event = this.event(given[0]);
        works(T.query);
        return number(!event.command || m.hasHappened(event) ? 0 : 600);
      }
      case "cudaEventSynchronize": {
        const event = this.event(given[0]);
        this.start();
        return m.synchronizeEvent(event), zero;
      }
      case "cudaStreamSynchronize": {
        const stream = this.stream(given[0]);
        this.start();
        return m.synchronizeStream(stream), zero;
      }
      case "cudaStreamQuery": {
        const stream = this.stream(given[0]);
        works(T.query);
        const last = stream ? stream.last : m.last();
        return number(!last || last.end <= m.host ? 0 : 600);
      }
      case "cudaDeviceSynchronize":
        this.start();
        return m.synchronizeDevice(), zero;
      case "cudaThreadSynchronize":
        throw this.refuse("CUDA 13 has no cudaThreadSynchronize(): write cudaDeviceSynchronize()",
          "CUDA 13 没有 cudaThreadSynchronize()：请写 cudaDeviceSynchronize()", line);
      case "cudaStreamWaitEvent": {
        const stream = this.stream(given[0]),
          event = this.event(given[1]);
        this.start();
        return m.waitForEvent(stream, event), zero;
      }
      case "cudaEventElapsedTime": {
        const from = this.event(given[1]),
          to = this.event(given[2]),
          cell = this.target(given[0]);
        return this.elapsed(line, from, to, cell);
      }
      case "cudaLaunchKernel": {
        const kernel = this.value(given[0].is === "cast" ? given[0].of : given[0]),
          dims = (i) => { const x = arg(i); return x.fields ? [...x.fields.values()].map((each) => each.x.v) : [x
            .v]; };
        if (!kernel.kernel) throw this.refuse("this is no kernel", "这不是核函数", line);
        const list = arg(3),
          known = this.reader.kernels.get(kernel.kernel),
          passed = list.p ? known.parameters.map((_, i) => { const one = this.at(list, i).x; return one.p ? this.at(
              one).x : one; }) : [];
        const before = this.failed.length;
        this.enqueue(known, `${kernel.kernel}<>`, dims(1), dims(2), given[4] ? plain(4) : 0, this.stream(given[5]),
          passed, line, false);
        return number(this.failed.length > before ? ERRORS[this.failed[this.failed.length - 1].error] : 0);
      }
      case "cudaMemcpy":
      case "cudaMemcpyAsync":
        return this.copy(e, name === "cudaMemcpyAsync");
      case "cudaMemset":
      case "cudaMemsetAsync": {
        const to = arg(0),
          bytes = plain(2),
          stream = this.stream(given[3]);
        if (!to.p || to.p.kind !== "device") throw this.refuse("cudaMemset() of memory that is not the GPU's",
          "cudaMemset() 的内存不在 GPU 上", line);
        this.start();
        if (bytes > to.p.bytes - to.o * this.bytesOf(to.p.type ?? { base: "char", pointer: 0 })) return m.works(T
          .memset_call), this.fails("cudaErrorInvalidValue", line);
        this.evicted = to.p.bytes >= 2 * T.l2_kib * 1024 && bytes >= 2 * T.l2_kib * 1024 ? to.p : null;
        return m.memset(stream, bytes), zero;
      }
      case "cudaMalloc":
      case "cudaMallocHost":
      case "cudaHostAlloc": {
        const bytes = plain(1),
          cell = this.target(given[0]),
          isDevice = name === "cudaMalloc",
          type = cell.type && cell.type.pointer ? { ...cell.type, pointer: cell.type.pointer - 1 } : undefined;
        works(isDevice ? T.allocate : T.allocate_host);
        cell.x = this.memory(isDevice ? "device" : "pinned", bytes, line, type && type.base === "void" && !type
          .pointer ? { base: "char", pointer: 0 } : type);
        return zero;
      }
      case "cudaFree": {
        const x = arg(0);
        works(T.release);
        if (x.p) m.wait(null);
        return zero;
      }
      case "cudaFreeHost":
        return works(T.release), m.wait(null), zero;
      case "cudaGetLastError":
      case "cudaPeekAtLastError": {
        m.works(T.last_error);
        const v = this.lastError;
        if (name === "cudaGetLastError") this.lastError = 0;
        return number(v);
      }
      case "cudaGetDeviceProperties": {
        const cell = this.target(given[0]);
        works(T.get_device_properties);
        cell.x = this.blank({ base: "cudaDeviceProp", pointer: 0 });
        return zero;
      }
      case "cudaSetDevice":
        return plain(0) === 0 ? works(T.set_device) : this.none({}, e);
      case "cudaGetDevice":
        return works(T.ask_device), (this.target(given[0]).x = zero), zero;
      case "cudaGetDeviceCount":
        return works(0), (this.target(given[0]).x = number(1)), zero;
      case "cudaDeviceReset":
        this.start();
        return m.synchronizeDevice(), zero;
      case "cudaProfilerStart":
      case "cudaProfilerStop":
        return works(T.profiler);
      case "simcc_checked": { // checkCudaErrors() of the samples
        const { v } = arg(0);
        if (v) throw Object.assign(new Ended(), { code: 1, line });
        return zero;
      }
      case "min":
      case "max":
      case "fmin":
      case "fmax":
      case "fminf":
      case "fmaxf": {
        let values = given.map((_, i) => arg(i));
        if (values.length === 1 && values[0].isList) values = this.range([{ p: values[0].p, o: 0 }, { p: values[0].p,
          o: values[0].p.count }]).map((each) => each.x);
        const unknown = values.find((each) => each.unknown),
          t = values.map((each) => each.t).reduce((a, b) => (RANK.indexOf(a) > RANK.indexOf(b) ? a : b));
        if (unknown) return { v: NaN, t: "d", unknown: unknown.unknown };
        for (const each of values)
          if (each.v === undefined || (each.none !== undefined && !this.failed.length)) this.none(each, e);
        const best = values.reduce((a, b) => (/min/.test(name) ? (b.v < a.v ? b : a) : b.v > a.v ? b : a));
        return { ...best, v: fitted(best.v, t), t };
      }
      case "min_element":
      case "max_element": {
        const cells = this.range(args),
          values = cells.map((each) => each.x.v),
          first = this.given(args[0]);
        return this.moved(first, values.indexOf(/min/.test(name) ? Math.min(...values) : Math.max(...values)));
      }
      case "sort":
      case "nth_element":
      case "stable_sort": {
        const ends = name === "nth_element" ? [args[0], args[2]] : args,
          cells = this.range(ends),
          by = args[name === "nth_element" ? 3 : 2] ? this.given(args[name === "nth_element" ? 3 : 2]) : null;
        const sorted = cells.map((each) => each.x).sort((a, b) => (by ? (this.call(by.fn, [a, b], by.scope).v ? -1 :
          this.call(by.fn, [b, a], by.scope).v ? 1 : 0) : a.v - b.v));
        if (sorted.some((each) => each.unknown || each.none !== undefined)) throw this.refuse(
          "what is in this list is not known", "列表内容未知", line);
        cells.forEach((cell, i) => { cell.x = sorted[i]; });
        return zero;
      }
      case "qsort": {
        const list = arg(0),
          by = arg(3),
          cells = Array.from({ length: plain(1) }, (_, i) => this.at(list, i)),
          pointer = (x) => ({ p: { kind: "host", cells: [{ x }], count: 1, type: list.p.type }, o: 0 });
        const sorted = cells.map((each) => each.x).sort((a, b) => this.call(by.fn, [pointer(a), pointer(b)], by
          .scope).v);
        cells.forEach((cell, i) => { cell.x = sorted[i]; });
        return zero;
      }
      case "accumulate": {
        const begin = this.given(args[2]);
        return this.range(args).reduce((sum, { x }) => ({ ...this.compute("+", sum, x, e), ...(begin.t !== "d"
          && { t: begin.t, v: fitted(sum.v + x.v, begin.t) }) }), begin);
      }
      case "fill":
      case "iota":
        this.range(args).forEach((cell, i) => { cell.x = this.as(name === "fill" ? this.given(args[2]) : number(this
            .given(args[2]).v + i), cell.type); });
        return zero;
      case "median": { // of the page
        const list = arg(0),
          values = Array.from({ length: plain(1) }, (_, i) => this.at(list, i).x).sort((a, b) => a.v - b.v);
        this.assumed.set("median", { kind: "function", line });
        return values[values.length >> 1] ?? zero;
      }
      case "swap": {
        const [a, b] = given.map((each) => this.cell(each));
        [a.x, b.x] = [b.x, a.x];
        return zero;
      }
      case "move":
      case "forward":
      case "ref":
      case "cref":
        return arg(0);
      case "distance":
        return this.compute("-", arg(1), arg(0), e);
      case "begin":
      case "end": { const x = arg(0); return { p: x.p, o: name === "end" ? x.p.count : 0 }; }
      case "static_cast":
      case "reinterpret_cast":
      case "const_cast":
        return this.value({ is: "cast", type: e.of.types[0], of: given[0], line });
      case "duration_cast": {
        const value = arg(0),
          to = this.durationOf(this.real(e.of.types[0]));
        if (!value.per || !to) throw this.refuse("this is no duration", "这不是 duration", line);
        return this.cast(value, to);
      }
      case "to_string": { const x = arg(0); return { text: "", parts: [x], v: undefined, number: x }; }
      case "malloc":
      case "calloc":
      case "aligned_alloc": {
        const bytes = name === "malloc" ? plain(0) : name === "calloc" ? plain(0) * plain(1) : plain(1),
          made = this.memory("host", bytes, line);
        if (name === "calloc") made.p.fill = zero;
        return made;
      }
      case "make_unique":
        return this.value({ is: "new", type: e.of.types[0], count: given[0], given: [], line });
      case "free":
      case "srand":
      case "fflush":
      case "getchar":
        return given.map((_, i) => (given[i].name in CONSTANTS || !given[i] ? 0 : arg(i))), zero;
      case "memset": {
        const { p } = arg(0), v = plain(1);
        if (!p || p.kind === "device") throw this.refuse("memset() of this memory", "不能 memset() 这段内存", line);
        for (const each of p.cells)
          if (each && each.x.v !== undefined) each.x = v === 0 ? number(0, each.x.t) : { v: NaN, t: each.x.t,
            unknown: { text: "memset()" } };
        if (v === 0) p.fill = zero, p.unknown = undefined;
        else p.unknown = { text: say("what memset() wrote is not known on this page", "本页不知道 memset() 写了什么") };
        return zero;
      }
      case "memcpy": {
        const { p } = arg(0);
        if (p) this.spoil(p, { text: say("what memcpy() wrote is not known on this page", "本页不知道 memcpy() 写了什么") });
        return zero;
      }
      case "rand":
        return { v: NaN, t: "i", unknown: { text: say("a random number is not known on this page", "本页不知道随机数") } };
      case "atoi":
      case "atof":
      case "strtol":
        return arg(0), { v: NaN, t: name === "atof" ? "d" : "i", unknown: { text: say(
              "an argument of the command line is not known on this page", "本页不知道命令行参数") } };
      case "exit":
      case "_exit":
      case "abort":
        throw Object.assign(new Ended(), { code: name === "abort" ? 134 : plain(0), line });
      case "assert":
        if (!this.truth(given[0])) throw Object.assign(new Ended(), { code: 134, line });
        return zero;
      case "cudaGetErrorString":
      case "cudaGetErrorName": {
        const { v } = arg(0);
        return { text: Object.keys(ERRORS).find((each) => ERRORS[each] === v) ?? "?" };
      }
      case "printf":
        return this.print(e, given);
      case "fprintf":
        return plain(0) === 1 ? this.print(e, given.slice(1)) : zero;
      case "puts":
      case "putchar":
      case "perror":
      case "fputs":
      case "fputc":
        return zero;
    }
    return null;
  }
  nameOf(e) {
    let root = e;
    while (root.of) {
      if (root.is === "index") {
        const i = this.value(root.index).v;
        return `${this.nameOf(root.of)}[${i}]`;
      }
      root = root.of;
    }
    return root.name;
  }
  copy(e, isAsync) {
    const m = this.machine,
      { given, line } = e,
      to = this.value(given[0]),
      from = this.value(given[1]),
      bytes = this.value(given[2]).v,
      stream = isAsync ? this.stream(given[4]) : null;
    let kind = this.value(given[3] ?? this.none({}, e)).v;
    for (const each of [to, from])
      if (!each.p) this.none(each, e);
    if (!(bytes >= 0)) this.none(this.value(given[2]), e);
    const onDevice = (x) => x.p.kind === "device",
      room = (x) => (onDevice(x) ? x.p.bytes - x.o * this.bytesOf(x.p.type ?? { base: "char", pointer: 0 }) :
        Infinity);
    const own = onDevice(from) ? (onDevice(to) ? 3 : 2) : onDevice(to) ? 1 : 0;
    if (kind === 4) kind = own;
    this.start();
    if (kind !== own || room(to) < bytes || room(from) < bytes) return m.works(m.T.copy_call), this.fails(
      "cudaErrorInvalidValue", line);
    if (kind === 0) throw this.refuse("a copy from host to host is not in the page's model", "本页的模型没有主机到主机的拷贝",
    line);
    const isPinned = (x) => x.p.kind === "pinned";
    const waits = !isAsync ? kind !== 3 : kind === 2 ? !isPinned(to) : kind === 1 && !isPinned(from) && bytes >
    65536;
    if (kind === 2 && bytes) this.spoil(to.p, { text: say("what a kernel has written is not known on this page",
        "本页不知道核函数写了什么") });
    m.copy(bytes, waits, stream, kind !== 3);
    return number(0);
  }
  elapsed(line, from, to, cell) {
    const m = this.machine;
    this.start();
    m.works(m.T.elapsed);
    if (!from.command || !to.command || from.untimed || to.untimed) return Object.assign(this.fails(
      "cudaErrorInvalidResourceHandle", line), { untimed: from.untimed || to.untimed });
    if (!m.hasHappened(from) || !m.hasHappened(to)) return this.failed.push({ line, error: "cudaErrorNotReady",
      where: this.where() }), number(600);
    const span = {
      by: "device",
      from: from.command.end,
      to: to.command.end,
      first: from.command,
      last: to.command,
      lines: [from.command.line, to.command.line],
      where: [from.command.where, to.command.where],
      elapsed: this.where()
    };
    cell.x = { v: Math.fround((span.to - span.from) / 1e6), t: "f", spans: [{ span, k: 1e-6 }] };
    if (cell.type) cell.x = this.as(cell.x, cell.type);
    this.lastTime = { ...cell.x, line };
    return number(0);
  }
  print(e, [format, ...values]) {
    const first = this.value(format);
    if (first.text === undefined) throw this.refuse("this is no text", "这不是文字", e.line);
    const parts = [],
      text = first.text.replace(/\\n/g, "\n").replace(/\\t/g, "\t");
    let i = 0,
      end = 0;
    for (const m of text.matchAll(/%[-+ #0-9.*']*(?:hh?|ll?|[zjtL])?([a-zA-Z%])/g)) {
      parts.push({ text: text.slice(end, m.index) });
      end = m.index + m[0].length;
      i += (m[0].match(/\*/g) ?? []).length;
      if (m[1] === "%") parts.push({ text: "%" });
      else if (!values[i]) throw this.refuse(`'${m[0]}' has no value`, `'${m[0]}' 没有值`, e.line);
      else {
        const value = this.value(values[i++]);
        if (value.v !== undefined && /[diuxXc]/.test(m[1]) !== !/[fd]/.test(value.t ?? "") && /[diuxXeEfFgG]/.test(m[
            1])) throw this.refuse(`'${m[0]}' prints no such number`, `'${m[0]}' 不能打印这种数`, e.line);
        parts.push(/[scp]/.test(m[1]) ? { text: value.text ?? "" } : { ...value, argument: values[i - 1] });
      }
    }
    for (; i < values.length; i++) this.value(values[i]);
    return this.show([...parts, { text: text.slice(end) }], e.line);
  }
  // What a line prints: a number's unit stands behind it, or before it.
  show(parts, line) {
    parts = parts.map((part) => part.number ?? part);
    parts.forEach((part, i) => {
      if (part.v === undefined) return;
      if (part.unknown) {
        this.left = new Unknown(part.unknown.text, line);
        return this.note(line, part.unknown.text);
      }
      if (part.none !== undefined && !this.failed.length) throw this.refuse(part.none ?
        `'${part.none}' has no value here` : "this has no value here", "这里还没有值", line);
      const near = (from, by) => { // the next text that says something
        for (let k = from; parts[k] && parts[k].v === undefined; k += by)
          if ((parts[k].text ?? "").trim()) return parts[k].text;
        return "";
      };
      const texts = [near(i + 1, 1), near(i - 1, -1)];
      const k = part.spans && part.spans[0] ? Math.abs(part.spans[0].k) : 0;
      const found = new RegExp(`^\\s*[[(]?${UNIT}`, "i").exec(texts[0])
        ?? new RegExp(`\\b${UNIT}[\\])]*\\s*[:=]?\\s*$`, "i").exec(texts[1]);
      const natural = Object.keys(UNIT_NS).filter((each) => k * UNIT_NS[each] < 1.001).pop() ?? "us";
      const unit = /^\s*\w*[BFb]\w*\/s/.test(texts[0]) ? "rate" : found ? unitOf(found[1]) : natural,
        ns = UNIT_NS[unit] ?? 1;
      if (part.isRate && part.timeOf) this.lastTime = { ...part.timeOf, line };
      if (unit === "rate" || part.isRate) return;
      if (part.per) throw this.refuse("a duration is printed by its count()", "duration 请用 count() 打印", line);
      this.printed.push({
        v: part.v,
        unit,
        isGuessed: !found,
        ns: part.v * ns,
        line,
        where: this.where(),
        argument: part.argument,
        spans: part.spans && part.spans.map((each) => ({ span: each.span, weight: each.k * ns }))
      });
    });
    return number(0);
  }
  // The number that the page is about: the one that was chosen, or the first one that is a time.
  get number() {
    const times = this.printed.filter((each) => each.spans);
    return times[this.settings.chosen ?? 0] ?? times[0] ?? this.printed.find((each) => !each.isGuessed) ?? this
      .printed[0];
  }
}

// Is N the reader's own size, as in <<<N / 16, 256>>> or cudaMalloc(&d, N * 4), and not a number of launches?
function isSize(text) {
  return /(?:<<<|\bdim3\b|alloc\w*\(|cudaMem\w+\()[^;]*\bN\b|(?:^|[^\/\s])\s*\bN\s*[-+*\/]/.test(text);
}
