// SPDX-License-Identifier: MIT
// The rules of the simulated machine: simulator/machine.c and cuda.c, written a second time for
// kernels whose blocks all take as long. All times are in ns. test/agree.py compares both, to the nanosecond.
//
// The C machine runs host and GPU in turns. Here a command gets its begin and its end as soon as it is queued: they
// follow from the commands before it.
"use strict";

class Machine {
  // idle: what the SMs have of their clock when they wake up, in percent
  constructor(times, idle = 100) {
    const T = (this.T = times);
    this.phases = [
      [T.idle, idle], [T.climb, Math.floor((idle + 100) / 2)], [Infinity, 100]
    ];
    this.moves = idle < 100;
    this.known = new Map(); // how long blocks take, at the full clock
    this.woke = -Infinity; // when the first phase began
    this.codeBegin = 0; // of the kernel that runs
    this.host = 0; // now, for the host
    this.cpu = 0; // what clock() counts: the host's time without its sleep
    this.line = 0; // of the program
    this.calls = []; // what the host did: {kind, from, to, line}, each from the end of the one before
    this.commands = []; // of the GPU, in the order of the calls
    this.queue = []; // those of the default stream, and of the streams that wait for it
    this.apart = []; // those of streams made with cudaStreamNonBlocking that have not begun for the host
    this.held = new Map(); // of each stream, those that have not ended for the host, and take a place in its queue
    this.done = 0; // so many of the queue are done: the GPU does them in their order, also those of other streams
    this.lastDefault = this.lastOrdinary = this.latest = null; // commands
    this.loaded = new Set(); // kernels
    this.linkEnd = 0; // when the last copy on the link ended
  }

  // ---- The host ----

  works(ns, kind = "host") {
    const from = this.host;
    this.host += ns;
    this.cpu += ns;
    this.calls.push({ kind, from, to: this.host, line: this.line });
  }

  readClock() {
    this.works(this.T.now, "clock");
    return this.host;
  }

  readProcessorClock() { // in whole microseconds
    this.works(this.T.clock, "clock");
    return Math.floor(this.cpu / 1000);
  }

  sleep(ns) {
    this.works(this.T.sleep_call, "sleep");
    const from = this.host;
    this.host += ns + this.T.oversleep;
    this.calls.push({ kind: "sleep", from, to: this.host, line: this.line, asleep: true });
  }

  // What the GPU has done by now. A command ends when its time has come, and those that it needs are done.
  settle() {
    while (this.done < this.queue.length && this.queue[this.done].end <= this.host) this.done++;
    return this.done;
  }
  isOver(c) { return c.needs <= this.settle() && c.end <= this.host; }
  get isIdle() { return !this.latest || (this.settle() === this.queue.length && this.latest.end <= this.host); }

  // simulated_wait() of machine.c: waits for this command, or without one for all of them.
  wait(command, busily = true) {
    const T = this.T, forAll = !command, from = this.host;
    const isEmpty = this.settle() === this.queue.length;
    const isStarted = (c) => c.ready <= this.host && c.needs <= this.done;
    this.apart = this.apart.filter((c) => !isStarted(c));
    const until = forAll ? this.latest : command;
    if (isEmpty && !(until && !(until.end <= this.host)) && (!this.apart.length || (!forAll && isStarted(command))))
      return this.works(T.no_wait, "wait");
    const end = Math.max(from, until.end);
    if (busily) this.cpu += end - from;
    this.host = end;
    this.done = Math.max(this.done, forAll ? this.queue.length : command.needs);
    this.calls.push({ kind: "wait", from, to: end, line: this.line, until, asleep: !busily });
    this.works(T.wake + (busily ? 0 : T.asleep), "wake");
  }

  // ---- The GPU ----

  enqueue(command) {
    const { line } = this, stream = command.stream ?? null, held = this.held.get(stream) ?? [];
    const isApart = stream && stream.apart, { queue } = this;
    while (held.length && (isApart ? this.isOver(held[0]) : held[0].needs <= this.settle())) held.shift();
    if (held.length >= this.T.queue_holds) this.wait(held[0]); // for a place
    const { host } = this;
    const needs = isApart ? Math.max(...[stream.last, command.after].map((each) => (each ? each.needs : 0)))
      : queue.length + 1;
    const c = { ns: 0, stream, ...command, needs, queued: host, submit: host + this.T.submit, line };
    this.commands.push(c);
    this.held.set(stream, held);
    held.push(c);
    if (stream) stream.last = c;
    (isApart ? this.apart : queue).push(c);
    return isApart ? this.runApart(c) : this.runQueued(c);
  }

  // The default stream waits for all others and they for it; and a stream waits for an event.
  runQueued(c) {
    const later = (a, b) => (!a || (b && b.end > a.end) ? b : a), { stream, after } = c;
    const own = later(this.lastDefault, stream ? stream.ended : this.lastOrdinary);
    c.before = later(own, after);
    c.ready = c.submit + this.T.latency;
    this.wake(c.ready);
    const free = c.before ? c.before.end : 0;
    this.run(c, Math.max(free, c.ready), this.afterKernel && c.ready <= free);
    this.afterKernel = c.kind === "kernel";
    if (stream) this.lastOrdinary = later(this.lastOrdinary, c);
    else this.lastDefault = later(this.lastDefault, c);
    return c;
  }

  runApart(c) {
    const { stream, after } = c;
    c.before = after && !(stream.ended && stream.ended.end > after.end) ? after : stream.ended;
    c.ready = Math.max(c.submit + this.T.latency, c.before ? c.before.end : 0);
    this.wake(c.ready);
    return this.run(c, c.ready, false);
  }

  // In a row: it was there before the kernel in front of it had ended.
  run(c, begin, inARow) {
    const T = this.T;
    let at = begin + T.fetch;
    if (c.kind === "kernel") {
      c.codeBegin = at + T.launch - (inARow ? T.row_saves : 0);
      const code = (this.codeBegin = c.codeBegin);
      if (c.hold) c.work = this.holdOf(c.hold, code);
      const shape = [c.groups, c.threads, c.work, c.bytes].join();
      const fast = this.known.get(shape) ?? blocksTake(T, c); // with the full clock
      this.known.set(shape, fast);
      c.codeEnd = this.timeOf(code + (c.bytes && this.moves ? blocksTake(T, c, code, this) : fast));
      c.slow = c.codeEnd - c.codeBegin - fast;
      at = c.codeEnd + T.drain;
    }
    c.begin = begin;
    if (c.onLink) at = Math.max(at, this.linkEnd);
    c.end = at + c.ns;
    if (c.onLink) this.linkEnd = c.end;
    if (c.stream) c.stream.ended = c;
    if (!this.latest || c.end > this.latest.end) this.latest = c;
    return c;
  }

  // The SMs' clock. A kernel's code has a time of its own, that of a clock which is always full; it begins as the GPU's
  // time, and stays so unless the clock is slow: since a command came behind a pause, for a while, and then less so.
  moved(time, toCode) {
    let left = time - this.codeBegin, at = this.codeBegin, before = at - this.woke; // of this phase, before the code
    if (!(left > 0 && before < Infinity)) return time;
    for (const [length, percent] of this.phases) {
      const room = length - before;
      before = Math.max(0, -room);
      if (room <= 0) continue;
      const inPhase = Math.floor((room * percent) / 100); // of the code's time
      if (left <= (toCode ? room : inPhase))
        return at + (toCode ? Math.floor((left * percent) / 100) : Math.ceil((100 * left) / percent));
      left -= toCode ? room : inPhase;
      at += toCode ? inPhase : room;
    }
  }
  codeOf(ns) { return this.moved(ns, true); }
  timeOf(code) { return this.moved(code, false); } // the first time that has this codeOf()

  // A command is about to begin: the first one of all, or one behind a pause?
  wake(ready) {
    if (!this.latest || ready > this.latest.end + this.T.pause) this.woke = ready;
  }

  // How long a kernel runs that reads the GPU's time, or its SM's clock, until so much has passed since its first
  // reading: it ends at a whole reading.
  holdOf({ ns, bySm }, code) {
    const { T } = this, timeOf = (at) => (bySm ? at : this.timeOf(at)), until = timeOf(code + T.read) + ns;
    let readings = Math.floor(((bySm ? until : this.codeOf(until)) - code) / T.read);
    while (timeOf(code + readings * T.read) < until) readings++;
    return readings * T.read;
  }

  // ---- CUDA ----

  // kernel<<<groups, threads>>>() whose code takes `work` ns in each block; `bytes`: of the data that it is given.
  launch(name, kernel) {
    const T = this.T, isNew = !this.loaded.has(name), { groups, threads } = kernel;
    if (isNew) this.wait(null);
    if (isNew) this.works(T.load + (this.loaded.size ? 0 : T.load_first + T.load_lazy), "load");
    this.works(T.launch_call, "launch");
    this.loaded.add(name);
    if (!(groups > 0 && threads > 0 && threads <= 1024)) return "cudaErrorInvalidConfiguration";
    this.enqueue({ kind: "kernel", name, ...kernel });
    return "cudaSuccess";
  }

  record(event, stream) {
    this.works(this.T.record, "record");
    event.command = this.enqueue({ kind: "event", name: event.name, stream, ns: this.T.event });
  }

  synchronizeEvent(event) {
    this.works(this.T.sync_event, "sync");
    if (event.command) this.wait(event.command, !event.blocking);
  }

  synchronizeStream(stream) {
    this.works(this.T.sync, "sync");
    if (!stream || stream.last) this.wait(stream ? stream.last : null);
  }

  synchronizeDevice() {
    this.works(this.T.sync, "sync");
    this.wait(null);
  }

  waitForEvent(stream, event) {
    this.works(this.T.record, "record");
    this.enqueue({ kind: "wait", stream, after: event.command });
  }

  // onLink: to or from the host, one at a time; but the copies of a non-blocking stream wait for no other stream's.
  copy(bytes, waits, stream, onLink) {
    this.works(this.T.copy_call, "copy");
    if (bytes === 0) return;
    const { T } = this, onDevice = T.device_copy + Math.floor((bytes * T.device_copy_1000000) / 1e6);
    const ns = onLink ? Math.floor((bytes * T.copy_1000) / 1000) : onDevice;
    const c = this.enqueue({ kind: "copy", stream, onLink: onLink && !(stream && stream.apart), ns });
    if (waits) this.wait(c);
  }

  memset(stream, bytes) {
    const { T } = this;
    this.works(T.memset_call, "copy");
    this.enqueue({ kind: "copy", isReset: true, stream, ns: T.memset + Math.floor((bytes * T.memset_1000000) / 1e6) });
  }
}

// A clock of the SMs that is always full.
const FULL = { timeOf: (code) => code, codeOf: (ns) => ns };

// How many blocks the whole GPU holds at once.
function placesFor(T, threads) {
  return T.units * Math.max(1, Math.min(Math.floor(T.threads_a_unit / threads), T.blocks_a_unit));
}

// From a kernel's first block to the end of its last one. Block b starts when it is dispatched, 0.68 ns after the block
// before it, and when block b - places has ended, whose place it takes: all take as long, so they end in their order.
// In code time; memory keeps to the GPU's time: `begin` is the kernel's, and `clock` says which time this is.
function blocksTake(T, { groups, threads, work, bytes }, begin = 0, clock = FULL) {
  const places = placesFor(T, threads), shell = T.block + T.warp * Math.ceil(threads / 32), each = work + shell;
  const dispatched = (b) => Math.floor((b * T.dispatch_100) / 100);
  if (!bytes) { // a block waits for j blocks before it, one behind the other, the first of which was just dispatched
    let start = 0;
    for (let j = 0, b = groups - 1; b >= 0; j++, b -= places) start = Math.max(start, dispatched(b) + j * each);
    return start + each;
  }
  // The blocks get their data one after the other, as fast as memory, or the L2 cache, can.
  const ps = Math.floor(Math.floor((bytes * (2 * bytes <= T.l2_kib * 1024 ? T.l2_1000000 : T.memory_1000000)) / 1000) /
    groups);
  const end = new Float64Array(groups);
  for (let b = 0, data = 0; b < groups; b++) {
    const start = begin + Math.max(dispatched(b), b < places ? 0 : end[b - places]);
    data = Math.max(1000 * (clock.timeOf(start) + T.memory), data) + ps;
    end[b] = Math.max(start + work, clock.codeOf(Math.floor(data / 1000))) + shell - begin;
  }
  return end[groups - 1];
}
