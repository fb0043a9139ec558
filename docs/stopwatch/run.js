// SPDX-License-Identifier: MIT
// Runs what reader.js has read on the machine of machine.js. A number knows which times it was computed from, so that
// parts.js can say what is in it.
//
// A value is {v} with, besides: `reading`, of a clock: v grows by k for each ns; or `spans`, from one time to another:
// v is the sum of k times each span's length in ns. Memory, events, streams, lists and texts are values, too.
"use strict";

class Ended extends Error {}

const UNIT_NS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const UNIT = /(ns|nanosec\w*|[uµ]s|usec\w*|microsec\w*|ms|msec\w*|millisec\w*|s|secs?|seconds?)\b(?!\/)/i.source;
const unitOf = (text) => (/^n/i.test(text) ? "ns" : /^([uµ]|mic)/i.test(text) ? "us" : /^m/i.test(text) ? "ms" : "s");
const PERIOD_NS = { nano: 1, micro: 1e3, milli: 1e6, nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9 };
const TIMED_CALL = /^(cuda\w+|now|chrono_now|clock\w*|gettimeofday|omp_get_wtime|\w*sleep\w*|printf|\w*push_back|synchronize|record|sdk\w+)$/;

const PLAIN = { "%": (x, y) => x % y, "<<": (x, y) => x * 2 ** y, ">>": (x, y) => Math.floor(x / 2 ** y), "&": (x, y) => x & y, "|": (x, y) => x | y,
  "^": (x, y) => x ^ y, "<": (x, y) => +(x < y), ">": (x, y) => +(x > y), "<=": (x, y) => +(x <= y), ">=": (x, y) => +(x >= y), "==": (x, y) => +(x === y),
  "!=": (x, y) => +(x !== y), "&&": (x, y) => +!!(x && y), "||": (x, y) => +!!(x || y) };

function computed(sign, a, b) {
  const x = a.v, y = b.v;
  const scaled = (of, by) => ({
    ...(of.reading && { reading: { ...of.reading, k: of.reading.k * by } }),
    ...(of.spans && { spans: of.spans.map((each) => ({ ...each, k: each.k * by })) }) });
  if (sign === "*") return { v: x * y, isRate: a.isRate || b.isRate, ...(b.spans || b.reading ? scaled(b, x) : scaled(a, y)) };
  if (sign === "/") return b.spans ? { v: x / y, isRate: !a.spans } : { v: x / y, isRate: a.isRate, ...scaled(a, 1 / y) };
  if (sign in PLAIN) return { v: PLAIN[sign](x, y) };
  const s = sign === "+" ? 1 : -1, v = x + s * y, from = b.reading, to = a.reading;
  if (s < 0 && from && to && Math.abs(to.k / from.k - 1) < 1e-9)
    return { v, spans: [{ span: { by: to.clock, from: from.at, to: to.at, lines: [from.line, to.line] }, k: to.k }] };
  if (a.spans || b.spans) return { v, spans: [...(a.spans ?? []), ...(scaled(b, s).spans ?? [])] };
  return { v, ...(to && !from ? { reading: to } : from && !to && s > 0 ? { reading: from } : {}) };
}

class Runner {
  // settings: blocks, threads, launches, work (ns) and idle (%) of the sliders, and bytes
  constructor(times, settings, text) {
    this.machine = new Machine(times, settings.idle);
    this.settings = settings;
    this.printed = []; // {v, unit, ns, spans, line}
    this.failed = []; // {line, error}: what a call returned
    this.notes = []; // {line, text}: what was taken for what
    this.starts = []; // the lines where a statement begins that is in no other one
    this.steps = 0;
    this.names = new Map(Object.entries({
      blocks: { v: settings.blocks }, threads: { v: settings.threads }, N: { v: settings.launches }, bytes: { v: settings.bytes },
      argc: { v: 1 }, malloc: { list: [] }, ms: { v: NaN }, each: { list: [] }, gate: { gate: [], memory: "pinned" },
      d: { memory: "device" }, h: { memory: "host" }, p: { memory: "pinned" },
      start: { event: true, name: "start" }, stop: { event: true, name: "stop" }, stream: { stream: true, name: "stream", apart: true },
    }));
    if (isSize(text)) this.names.delete("N");
    this.text = text;
  }
  run() {
    try {
      for (const reader = new Reader(this.text); reader.now.type !== "end"; ) {
        this.starts.push(reader.now.line);
        this.execute(reader.statement());
      }
    } catch (error) {
      if (error instanceof Unknown && this.printed.some((each) => each.spans))
        this.note(error.line, say(`not run from here on: ${error.message}`, `从这里起不再运行：${error.message}`));
      else if (!(error instanceof Ended)) throw Object.assign(error, { line: error.line ?? this.machine.line });
    }
    if (!this.printed.some((each) => each.spans) && this.lastTime) { // only a rate is printed, or nothing
      this.note(this.lastTime.line, say("nothing prints this time: here it is", "没有打印这个时间：就是它"));
      this.show([this.lastTime], this.lastTime.line);
    }
    return this;
  }
  note(line, text) {
    if (!this.notes.some((each) => each.line === line && each.text === text)) this.notes.push({ line, text });
  }
  execute(s) {
    if (++this.steps > 40000) throw new Unknown(say("this loop has too many rounds for the page", "循环次数太多"), s.line);
    this.machine.line = s.line;
    if (s.is === "block") for (const each of s.body) this.execute(each);
    else if (s.is === "return") throw new Ended();
    else if (s.is === "expression") this.value((this.statement = s.made));
    else if (s.is === "if") {
      if (this.value(s.test).v) this.execute(s.body);
      else if (s.otherwise) this.execute(s.otherwise);
    } else {
      // A loop that calls nothing of the machine takes no time there: a thousand rounds of it are enough.
      s.isTimed ??= isTimed(s);
      if (s.first) this.value(s.first);
      const goesOn = (i) => !s.test || this.unlessUnknown(() => this.value(s.test).v, (error) => {
        if (!error.missing) throw error;
        if (s.isTimed) this.names.set(error.missing, { v: this.settings.launches });
        return s.isTimed && this.settings.launches > 0;
      }, s.isTimed ? say("the slider's N", "采用滑块的 N") : say("the host's own work is left out", "略去主机自己的计算"), s.line);
      const rounds = () => {
        for (let i = 0; goesOn(i) && (s.isTimed || (i < 1000 && this.steps < 20000)); i++) {
          this.execute(s.body);
          if (s.step) this.value(s.step);
        }
      };
      if (s.isTimed) rounds();
      else this.unlessUnknown(rounds, null, say("the host's own work is left out", "略去主机自己的计算"), s.line);
    }
  }
  known(e) {
    if (this.names.has(e.name)) return this.names.get(e.name);
    if (/^(cudaSuccess|NULL|nullptr|false)$/.test(e.name)) return { v: 0 };
    if (/^(cuda|CLOCK_|RAND_MAX|true)/.test(e.name) && e.name !== "CLOCKS_PER_SEC") return { v: e.name === "cudaErrorNotReady" ? 600 : 1, constant: e.name };
    if (e.name === "CLOCKS_PER_SEC") return { v: 1e6 };
    throw Object.assign(new Unknown(say(`'${e.name}' is not declared`, `'${e.name}' 没有声明`), e.line), { isName: true, missing: e.name });
  }
  // A value, or another one if a name in it is not declared, which a note says.
  unlessUnknown(value, otherwise, words, line) {
    try {
      return value();
    } catch (error) {
      if (!error.isName) throw error;
      if (words) this.note(line, `${error.message}: ${words}`);
      return typeof otherwise === "function" ? otherwise(error) : otherwise;
    }
  }
  // A name that the pasted lines do not declare, where it is clear what it is.
  knownAs(e, made, words) {
    const of = e && e.is === "unary" ? e.of : e;
    if (of && of.is === "name" && !this.names.has(of.name) && !/^(cuda\w+|NULL|nullptr)$/.test(of.name)) {
      this.names.set(of.name, { ...made, name: of.name });
      this.note(e.line, say(`'${of.name}' is not declared: taken as ${words[0]}`, `'${of.name}' 没有声明：当作${words[1]}`));
    }
    return e ? this.value(e) : { v: 0 };
  }
  event(e) {
    const event = this.knownAs(e, { event: true }, ["an event", "一个事件"]);
    if (!event || !event.event) throw new Unknown(say("this is no event", "这不是事件"), e ? e.line : this.machine.line);
    return event;
  }
  stream(e) {
    if (!e) return null;
    const stream = this.knownAs(e, { stream: true }, ["a stream of cudaStreamCreate()", "cudaStreamCreate() 的流"]);
    return stream && stream.stream ? stream : null;
  }
  store(to, value) {
    if (value.spans) this.lastTime = { ...value, line: to.line };
    if (to.is === "unary") return this.store(to.of, value);
    if (to.is === "name") this.names.set(to.name, value);
    else if (to.is === "index") {
      const of = this.value(to.of);
      if (of.list) of.list[this.value(to.index).v] = value;
    } else if (to.is === "member") {
      const of = this.value(to.of);
      if (of.memory !== "pinned") return;
      of.gate ??= []; // the host and a kernel both see it
      if (value.v) this.machine.calls.push({ kind: "gate", from: this.machine.host, to: this.machine.host, line: to.line });
      of.gate.push({ at: this.machine.host, open: !!value.v });
    }
  }
  value(e) {
    switch (e.is) {
      case "number": return { v: e.value };
      case "text": return { text: e.value };
      case "name": return this.known(e);
      case "list": return e.parts.map((part) => this.value(part)).pop() ?? { v: 0 };
      case "declare": return this.declare(e);
      case "assign": {
        let value = this.value(e.from);
        if (e.sign !== "=") value = computed(e.sign[0], this.knownAs(e.to, { v: 0 }, ["a sum that begins at 0", "从 0 开始的和"]), value);
        this.store(e.to, value);
        return value;
      }
      case "choose": return this.value(e.test).v ? this.value(e.yes) : this.value(e.no);
      case "binary": {
        if (e.sign === "<<") {
          const parts = [];
          let left = e;
          for (; left.is === "binary" && left.sign === "<<"; left = left.left) parts.unshift(left.right);
          if (left.name === "cerr") return { v: 0 };
          const isStyle = (each) => /^(endl|fixed|flush|setw|setprecision)$/.test(each.name ?? "");
          if (left.name === "cout") return this.show(parts.map((each) => (isStyle(each) ? { text: "" } : this.part(each))), e.line);
        }
        const of = computed(e.sign, this.value(e.left), this.value(e.right));
        const isInteger = (each) => (each.is === "number" ? Number.isInteger(each.value)
          : each.is === "binary" ? isInteger(each.left) && isInteger(each.right) : (this.names.get(each.name) ?? {}).isInteger);
        return e.sign === "/" && !of.spans && isInteger(e.left) && isInteger(e.right) ? { v: Math.floor(of.v) } : of;
      }
      case "unary": {
        if (e.sign === "&" || e.sign === "*") return this.value(e.of);
        const of = this.value(e.of);
        if (e.sign === "-") return computed("*", of, { v: -1 });
        if (e.sign === "!") return { v: of.v ? 0 : 1 };
        if (e.sign === "~" || e.sign === "+") return of;
        return this.add(e, of);
      }
      case "after": {
        const of = this.value(e.of);
        this.add(e, of);
        return of;
      }
      case "index": return (this.value(e.of).list ?? [])[this.value(e.index).v] ?? { v: 0 };
      case "member": return this.member(this.value(e.of), e);
      case "launch": return this.launch(e);
      default: return this.call(e);
    }
  }
  add(e, of) {
    const more = { v: of.v + (e.sign === "++" ? 1 : -1), isInteger: of.isInteger };
    this.store(e.of, more);
    return more;
  }
  member(of, e) {
    if (of.dim) return { v: of.dim["xyz".indexOf(e.name)] ?? 1, isInteger: true };
    if (of.reading && e.name === "tv_sec") return { v: 0 };
    if (of.reading && e.name === "tv_usec") return { v: Math.floor(of.v / 1000), reading: { ...of.reading, k: 1e-3 } };
    return e.name === "open" || e.name === "gave_up" ? { v: 0 } : of;
  }
  declare(e) {
    return this.unlessUnknown(() => this.declared(e), { v: NaN }, say(`'${e.name.name}' is not known, either`, `'${e.name.name}' 也不知道`), e.line);
  }
  declared(e) {
    let made = e.isList || (/\blist\b/.test(e.type) && !e.from) ? { list: [] } : /cudaEvent_t|CUDAEvent/.test(e.type) ? { event: true, name: e.name.name }
      : /cudaStream_t/.test(e.type) ? { stream: true, name: e.name.name } : e.isPointer ? { memory: "host" } : { v: NaN };
    if (e.from && !e.isList) {
      const value = this.value(e.from);
      made = e.isPointer && !value.memory ? made : value;
    } else if (e.made && /dim3/.test(e.type)) made = this.dim3(e.made);
    else if (e.made && !made.event && e.made.length === 1 && !/\blist\b/.test(e.type)) made = this.value(e.made[0]);
    if (/\b(int|long|unsigned|size_t|u?int\d+_t)\b/.test(e.type) && made.v !== undefined && !made.spans && !made.reading)
      made = { ...made, v: Math.floor(made.v), isInteger: true };
    this.names.set(e.name.name, made);
    if (made.spans) this.lastTime = { ...made, line: e.line };
    return made;
  }
  dim3(parts) {
    const dim = parts.map((each) => this.value(each).v);
    return { dim, v: dim.reduce((x, y) => x * y, 1) };
  }
  launch(e) {
    const part = (i, fallback, words) => {
      const v = e.shape[i] ? this.unlessUnknown(() => this.value(e.shape[i]).v, fallback, words, e.line) : fallback;
      return Number.isFinite(v) ? Math.floor(v) : fallback;
    };
    const groups = part(0, this.settings.blocks, say("the slider's blocks", "采用滑块的块数"));
    const threads = part(1, this.settings.threads, say("the slider's threads", "采用滑块的线程数"));
    const passed = e.arguments.map((each) => {
      const of = each.is === "unary" ? each.of : each;
      return of.is === "name" && this.names.has(of.name) ? this.names.get(of.name) : {};
    });
    const rooms = passed.map((each) => (each.memory === "device" ? each.bytes ?? 0 : 0)), gate = passed.find((each) => each.gate);
    const bytes = rooms.some((room) => room >= 256) ? rooms.reduce((sum, room) => sum + Math.min(room, 4 * groups * threads), 0) : 0;
    const answer = this.machine.launch(e.name, { groups, threads, bytes, stream: this.stream(e.shape[3]), gate: gate && gate.gate,
      work: gate || /^(empty|nothing|null|noop)/i.test(e.name) ? 0 : this.settings.work });
    if (answer !== "cudaSuccess") this.failed.push({ line: e.line, error: answer });
    return { v: 0 };
  }
  call(e) {
    const m = this.machine, T = m.T, { name } = e;
    const arg = (i) => (e.arguments[i] ? this.value(e.arguments[i]) : { v: 0 });
    const works = (ns) => (m.works(ns), { v: 0 });
    const bytesOf = (i) => {
      const { v } = this.unlessUnknown(() => arg(i), {}, say("100,000 bytes", "100,000 字节"), e.line);
      return Number.isFinite(v) ? v : this.settings.bytes;
    };
    const reading = (k, v) => ({ v: v ?? m.readClock() * k, reading: { k, at: m.host, line: e.line, clock: "host" } });
    const [, action, period] = /^(cast|to|sleep)_(\w+)$/.exec(name ?? "") ?? [];
    if (period in PERIOD_NS) {
      const of = computed(action === "sleep" ? "*" : "/", arg(0), { v: PERIOD_NS[period] });
      return action === "cast" ? { ...of, v: Math.trunc(of.v + 1e-7) } : of;
    }
    const of = e.of && this.names.get(e.of.name);
    if (of && of.event) { // the event of PyTorch
      if (name === "record") return m.record(of, this.stream(e.arguments[0])), { v: 0 };
      if (name === "synchronize") return m.synchronizeEvent(of), { v: 0 };
      if (name === "elapsed_time") return this.elapsed(e.line, of, this.event(e.arguments[0]));
    }
    switch (name) {
      case "now": case "omp_get_wtime": return reading(1e-9);
      case "sdkCreateTimer": case "sdkResetTimer": return this.store(e.arguments[0], { v: 0 }), { v: 0 };
      case "sdkStartTimer": return this.store(e.arguments[0], reading(1)), { v: 0 };
      case "sdkStopTimer": return this.store(e.arguments[0], computed("-", reading(1), arg(0))), { v: 0 };
      case "sdkGetTimerValue": return computed("*", arg(0), { v: 1e-6 });
      case "chrono_now": return reading(1);
      case "gettimeofday":
        works(T.timeofday);
        return this.store(e.arguments[0], reading(1)), { v: 0 };
      case "clock_gettime": {
        const { constant = "" } = arg(0);
        if (/CPUTIME/.test(constant)) throw new Unknown(say(`${constant} is not known on this page: clock()`, `本页不认识 ${constant}：请用 clock()`), e.line);
        if (constant !== "CLOCK_MONOTONIC") this.note(e.line, say("taken as CLOCK_MONOTONIC", "当作 CLOCK_MONOTONIC"));
        return this.store(e.arguments[1], reading(1)), { v: 0 };
      }
      case "clock": {
        const v = m.readProcessorClock(), of = reading(1e-3, v);
        return { v, reading: { ...of.reading, clock: "cpu" } };
      }
      case "usleep": return m.sleep(arg(0).v * 1e3), { v: 0 };
      case "sleep": return m.sleep(arg(0).v * 1e9), { v: 0 };
      case "sleep_for": return m.sleep(arg(0).v), { v: 0 };
      case "cudaEventCreate": case "cudaEventCreateWithFlags": {
        works(T.event_create);
        const to = e.arguments[0].of ?? e.arguments[0], flag = e.arguments[1] ? arg(1).constant : "";
        return this.store(to, { event: true, name: to.name ?? "event", blocking: flag === "cudaEventBlockingSync" }), { v: 0 };
      }
      case "cudaEventDestroy": return works(T.event_destroy);
      case "cudaStreamCreate": case "cudaStreamCreateWithFlags": {
        works(T.stream_create);
        const to = e.arguments[0].of ?? e.arguments[0], apart = !!e.arguments[1] && arg(1).constant === "cudaStreamNonBlocking";
        return this.store(to, { stream: true, name: to.name ?? `stream ${m.calls.length}`, apart }), { v: 0 };
      }
      case "cudaStreamDestroy": return works(T.stream_destroy);
      case "cudaEventRecord": return m.record(this.event(e.arguments[0]), this.stream(e.arguments[1])), { v: 0 };
      case "cudaEventQuery": {
        const event = this.event(e.arguments[0]);
        works(T.query);
        return { v: !event.command || m.hasHappened(event) ? 0 : 600 };
      }
      case "cudaEventSynchronize": return m.synchronizeEvent(this.event(e.arguments[0])), { v: 0 };
      case "cudaStreamSynchronize": return m.synchronizeStream(this.stream(e.arguments[0])), { v: 0 };
      case "cudaDeviceSynchronize": case "cudaThreadSynchronize": case "synchronize": return m.synchronizeDevice(), { v: 0 };
      case "cudaStreamWaitEvent": return m.waitForEvent(this.stream(e.arguments[0]), this.event(e.arguments[1])), { v: 0 };
      case "cudaEventElapsedTime": {
        const ms = this.elapsed(e.line, this.event(e.arguments[1]), this.event(e.arguments[2]));
        return ms.failed ? ms : this.store(e.arguments[0], ms), { v: 0 };
      }
      case "cudaLaunchKernel": {
        const [kernel, groups, threads, , shared, stream] = e.arguments;
        return this.launch({ name: kernel.name, shape: [groups, threads, shared, stream], arguments: [], line: e.line });
      }
      case "cudaMemcpy": case "cudaMemcpyAsync": {
        const ways = /(Host|Device)To(Host|Device)/.exec(e.arguments[3] ? e.arguments[3].name : ""), isAsync = name === "cudaMemcpyAsync";
        if (!ways) throw new Unknown(say("which way does it copy? cudaMemcpyDeviceToHost, for example", "复制方向？例如 cudaMemcpyDeviceToHost"), e.line);
        const to = e.arguments[0].is === "name" ? this.names.get(e.arguments[0].name) ?? {} : {};
        const size = bytesOf(2);
        const from = e.arguments[1].is === "name" ? this.names.get(e.arguments[1].name) ?? {} : {}, isPinned = (x) => x.memory === "pinned";
        const waits = !isAsync ? ways[0] !== "DeviceToDevice" : ways[0] === "DeviceToHost" ? !isPinned(to)
          : ways[0] === "HostToDevice" && !isPinned(from) && size > 65536;
        return m.copy(size, waits, isAsync ? this.stream(e.arguments[4]) : null, ways[1] !== ways[2]), { v: 0 };
      }
      case "cudaMemset": case "cudaMemsetAsync": return m.memset(this.stream(e.arguments[3]), bytesOf(2)), { v: 0 };
      case "cudaMalloc": return this.store(e.arguments[0], { memory: "device", bytes: bytesOf(1) }), works(T.allocate);
      case "cudaMallocHost": case "cudaHostAlloc": return this.store(e.arguments[0], { memory: "pinned", bytes: bytesOf(1) }), works(T.allocate_host);
      case "cudaFree": case "cudaFreeHost": return works(T.release), m.wait(null), { v: 0 };
      case "cudaGetLastError": case "cudaPeekAtLastError": return works(T.last_error);
      case "cudaGetDeviceProperties": return works(T.get_device_properties);
      case "cudaSetDevice": return works(T.set_device);
      case "median": case "mean": case "min": case "max": case "sort": return this.statistic(name, e);
      case "push_back": case "emplace_back": return this.value(e.of).list.push(arg(0)), { v: 0 };
      case "size": return { v: (this.value(e.of).list ?? []).length || this.settings.launches, isInteger: true };
      case "count": case "data": case "get": case "begin": case "end": return this.value(e.of);
      case "malloc": case "calloc": return { memory: "host" };
      case "dim3": return this.dim3(e.arguments);
      case "float": case "double": return arg(0);
      case "int": case "unsigned": case "size_t": return { v: Math.floor(arg(0).v), isInteger: true };
      case "free": case "srand": case "fflush": case "puts": case "getCurrentCUDAStream": case "sdkDeleteTimer": case "exit": case "cudaGetErrorString": case "cudaGetErrorName":
      case "swap": case "fill": case "memset": case "iota": return { v: 0 };
      case "rand": return { v: 4 };
      case "abs": case "fabs": case "fabsf": case "sqrt": case "sqrtf": case "ceil": case "floor": return arg(0);
      case "printf": return this.print(e, e.arguments);
      case "fprintf": return e.arguments[0] && e.arguments[0].name === "stdout" ? this.print(e, e.arguments.slice(1)) : { v: 0 };
    }
    if (!e.arguments.length && !e.of && /second|time|clock|wtick/i.test(name)) {
      this.note(e.line, say(`${name}() is taken as a clock, in seconds`, `${name}() 当作时钟，单位秒`));
      return reading(1e-9);
    }
    const inner = e.arguments.filter((each) => ["call", "launch"].includes(each.is)); // CHECK(cudaEventRecord(...))
    if (inner.length) return inner.map((each) => this.value(each)).pop();
    const clocks = e.arguments.map((each) => (each.is === "name" && this.names.get(each.name)) || {});
    if (clocks.length === 2 && clocks.every((each) => each.reading)) {
      this.note(e.line, say(`${name}() is taken as the time between the two`, `${name}() 当作两者之间的时间`));
      return computed("-", ...(clocks[0].reading.at > clocks[1].reading.at ? clocks : clocks.reverse()));
    }
    // A function that is called for its value launches nothing, as far as one can see.
    this.unknownCall = new Unknown(say(`'${name ?? "..."}()' is not known on this page: take it out, or if it launches a kernel, write kernel<<<blocks, threads>>>() in its place to see the parts`, `本页不认识 '${name ?? "..."}()'：请去掉；它若启动核函数，请改写成 kernel<<<blocks, threads>>>()，以查看各部分`), e.line);
    throw Object.assign(this.unknownCall, { isName: e !== this.statement });
  }
  elapsed(line, from, to) {
    const m = this.machine;
    m.works(m.T.elapsed);
    const fails = (error, v) => (this.failed.push({ line, error }), { v, failed: true });
    if (!from.command || !to.command) return fails("cudaErrorInvalidResourceHandle", 400);
    if (!m.hasHappened(from) || !m.hasHappened(to)) return fails("cudaErrorNotReady", 600);
    const span = { by: "device", from: from.command.end, to: to.command.end, first: from.command, last: to.command,
      lines: [from.command.line, to.command.line], elapsed: line };
    return { v: Math.fround((span.to - span.from) / 1e6), spans: [{ span, k: 1e-6 }] };
  }
  statistic(name, e) {
    const given = e.arguments.length ? this.value(e.arguments[0]) : {};
    if (!given.list) {
      const [a, b] = e.arguments.map((each) => this.value(each));
      return (name === "min") === a.v < b.v ? a : b;
    }
    const sorted = Array.from(given.list, (each) => each ?? { v: 0 }).sort((a, b) => a.v - b.v);
    if (!sorted.length) return { v: 0 };
    if (name === "sort") return given.list.splice(0, Infinity, ...sorted), { v: 0 };
    if (name === "mean") return computed("/", sorted.reduce((sum, each) => computed("+", sum, each)), { v: sorted.length });
    return sorted[name === "min" ? 0 : name === "max" ? sorted.length - 1 : Math.floor(sorted.length / 2)];
  }
  part(e) {
    return this.unlessUnknown(() => this.value(e), (error) => ((this.left = error), { text: "?" }), say("not printed here", "这里不打印"), e.line);
  }
  print(e, [format, ...values]) {
    if (!format || format.is !== "text") return { v: 0 };
    const parts = [];
    let i = 0, end = 0;
    for (const m of format.value.matchAll(/%[-+ #0-9.*]*(?:l{0,2}|z|h)([a-zA-Z%])/g)) {
      parts.push({ text: format.value.slice(end, m.index) });
      end = m.index + m[0].length;
      if (m[1] === "s" || m[1] === "c" || m[1] === "p") i++;
      else if (m[1] !== "%" && values[i]) parts.push(this.part(values[i++]));
    }
    return this.show([...parts, { text: format.value.slice(end) }], e.line);
  }
  // What a line prints: a number's unit stands behind it, or before it.
  show(parts, line) {
    parts.forEach((part, i) => {
      if (part.v === undefined) return;
      const texts = [parts[i + 1], parts[i - 1]].map((each) => (each && each.text) || "");
      const k = part.spans && part.spans[0] ? Math.abs(part.spans[0].k) : 0;
      const found = new RegExp(`^\\s*[[(]?${UNIT}`, "i").exec(texts[0]) ??
        new RegExp(`\\b${UNIT}[\\])]*\\s*[:=]?\\s*$`, "i").exec(texts[1]);
      const natural = Object.keys(UNIT_NS).filter((each) => k * UNIT_NS[each] < 1.001).pop() ?? "us";
      const unit = /^\s*\w*[BFb]\w*\/s/.test(texts[0]) ? "rate" : found ? unitOf(found[1]) : natural, ns = UNIT_NS[unit] ?? 1;
      if (unit === "rate" || part.isRate) return;
      this.printed.push({ v: part.v, unit, isGuessed: !found, ns: part.v * ns, line,
        spans: part.spans && part.spans.map((each) => ({ span: each.span, weight: each.k * ns })) });
    });
    return { v: 0 };
  }
  // The number that the page is about: the first one that is a time, or else the first one.
  get number() {
    return this.printed.find((each) => each.spans) ?? this.printed.find((each) => !each.isGuessed) ?? this.printed[0];
  }
}

// Is N the reader's own size, as in <<<N / 16, 256>>> or cudaMalloc(&d, N * 4), and not a number of launches?
function isSize(text) {
  return /(?:<<<|\bdim3\b|alloc\w*\(|cudaMem\w+\()[^;]*\bN\b|(?:^|[^\/\s])\s*\bN\s*[-+*\/]/.test(text);
}

function isTimed(node) {
  if (!node || typeof node !== "object") return false;
  if (node.is === "launch" || node.name === "cout" || (node.is === "call" && TIMED_CALL.test(node.name ?? ""))) return true;
  return Object.values(node).some((each) => (Array.isArray(each) ? each.some(isTimed) : isTimed(each)));
}
