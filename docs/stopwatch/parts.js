// SPDX-License-Identifier: MIT
// What a number is made of. From the end of the stopwatch's interval back to its begin: what was waited for at each
// moment? The answers follow each other without a hole, so their sum is the number, and the drawing shows them as a
// band.
"use strict";

// In the order of the list. CSS has a colour for each.
const KINDS = {
  blocks: ["the kernel: its blocks", "核函数：各线程块"],
  shell: ["the kernel: preparation before, drain of its writes after", "核函数：之前的准备，之后排空写入"],
  clock: ["more of it, while the SMs' clock climbs", "SM 时钟爬升时多用的时间"],
  earlier: ["an earlier kernel, which still ran", "之前的核函数，尚未结束"],
  gap: ["gap: the GPU waits for the host", "空隙：GPU 在等主机"], event: ["event overhead on the GPU", "GPU 上的事件开销"],
  driver: ["the driver's start: the first call of CUDA", "驱动启动：首次 CUDA 调用"],
  load: ["loading the kernel: its first launch", "加载核函数：首次启动"],
  launch: ["launch call", "启动调用"],
  way: ["launch latency: from the call's end to the kernel's begin", "启动延迟：从调用结束到核函数开始"],
  wake: ["the host wakes up from its wait", "主机从等待中醒来"], copy: ["a copy, or cudaMemset", "拷贝或 cudaMemset"],
  sleep: ["the host sleeps", "主机休眠"], blocker: ["the hold: a kernel that keeps the GPU busy", "占住 GPU 的核函数"],
  host: ["other calls of the host, and its clock", "主机的其他调用与时钟"],
  rounding: ["rounding: a type's digits, or a division", "取整：类型的位数或除法"],
};
const OF_CLOCK = { cpu: ["rounding: the clock counts whole us", "取整：时钟只计整微秒"],
  real: ["the clock's error: it is being set right, and rounding", "时钟误差：时钟正在被校正，以及取整"] };
const HOST_KIND = { driver: "driver", launch: "launch", load: "load", wake: "wake", copy: "copy", sleep: "sleep" };

// An event's cost stands half before its stamp and half behind it: so is the kernel between two halves (chapter 04).
// The sum is the same wherever the stamp stands.
const halfOf = (span) => (span.by === "device" ? (span.last.end - span.last.begin) / 2 : 0);

// A kernel that waits, and was there before the stopwatch began, holds the GPU for it.
const isBlocker = (c, span) => c.hold && span.by === "device" &&
  c.queued <= Math.min(span.first.queued, span.last.queued);

// Returns [{kind, from, to, command}], in the order of time.
function pathOf(machine, span) {
  const pieces = [], { calls } = machine, onGpu = span.by === "device", shift = halfOf(span);
  const low = Math.min(span.from, span.to) - shift, high = Math.max(span.from, span.to) - shift;
  const put = (kind, from, end, command) => {
    const to = Math.min(end, high);
    if (to > Math.max(from, low)) pieces.push({ kind, from: Math.max(from, low), to, command });
  };
  const loads = (onGpu && (machine.loads ??= calls.filter((call) => call.kind === "load").reverse()));
  let now = high, polled = null, c = onGpu ? (span.to >= span.from ? span.last : span.first) : null;
  while (now > low) {
    if (!c) { // on the host: the call that ended now
      let first = 0, last = calls.length; // calls[first - 1] is the last one that began before now
      while (first < last) {
        const middle = (first + last) >> 1;
        if (calls[middle].from < now) first = middle + 1;
        else last = middle;
      }
      const call = calls[first - 1];
      polled = call.polled ?? polled;
      if (call.kind === "wait" && call.until && call.until.end > call.from) c = call.until;
      else if (polled && polled.end > call.from) c = polled;
      if (!c || c === polled) put(HOST_KIND[call.kind] ?? "host", c ? c.end : call.from, now);
      now = c ? c.end : call.from;
      polled = c ? null : polled;
      continue;
    }
    if (c.kind === "kernel") {
      const other = isBlocker(c, span) ? "blocker" : !onGpu && c.queued <= low ? "earlier" : null;
      if (other) put(other, c.begin, c.end, c);
      else {
        put("shell", c.codeEnd, c.end, c);
        put("clock", c.codeEnd - c.slow, c.codeEnd, c);
        put("blocks", c.codeBegin, c.codeEnd - c.slow, c);
        put("shell", c.begin, c.codeBegin, c);
      }
    } else put(c.kind === "copy" ? "copy" : "event", c.begin, c.end, c);
    const before = c.before;
    if (onGpu) {
      for (const load of loads) { // the gap, and what the host does in it
        if (load.from >= c.begin || load.to <= (before ? before.end : low)) continue;
        put("gap", load.to, c.begin);
        put("load", Math.max(load.from, before ? before.end : low), load.to);
        c = { ...c, begin: Math.max(load.from, low) };
      }
      put("gap", before ? before.end : low, c.begin);
      now = before ? before.end : low;
      c = before;
    } else if (before && before.end >= c.begin) {
      now = before.end;
      c = before;
    } else {
      put("way", c.queued, c.begin, c);
      now = c.queued;
      c = null;
    }
  }
  pieces.reverse();
  return span.by === "cpu" ? awake(pieces, calls.filter((call) => call.asleep)) : pieces;
}

// clock() stands still while the host sleeps.
function awake(pieces, sleeps) {
  return pieces.flatMap((piece) => {
    const sleep = sleeps.find((each) => each.from < piece.to && each.to > piece.from);
    if (!sleep) return [piece];
    const parts = [{ ...piece, to: sleep.from }, { ...piece, from: sleep.to }].filter((each) => each.to > each.from);
    return awake(parts, sleeps.filter((each) => each !== sleep));
  });
}

// Returns {sums: [{kind, ns, count}], main, pieces}: the list, and the span that the drawing shows, with its band.
function partsOf(run) {
  const number = run.number, spans = (number && number.spans) ?? [], found = {};
  let sum = 0, main = null;
  for (const each of spans) {
    each.pieces = pathOf(run.machine, each.span);
    const sign = each.span.to < each.span.from ? -1 : 1;
    for (const piece of each.pieces) {
      const of = (found[piece.kind] ??= { kind: piece.kind, ns: 0, less: 0, commands: new Set() });
      of.ns += sign * each.weight * (piece.to - piece.from);
      if (piece.command && each.weight > 0) of.commands.add(piece.command);
      if (each.weight < 0) of.less += each.weight * (piece.from - piece.to);
      sum += sign * each.weight * (piece.to - piece.from);
    }
    const sizeOf = ({ weight, span: { from, to } }) => Math.abs(weight * (to - from));
    if (!main || sizeOf(each) >= sizeOf(main)) main = each;
  }
  const rest = number && spans.length ? number.ns - sum : 0;
  if (Math.abs(rest) > Math.max(0.6, Math.abs(sum) * 2e-7))
    found.rounding = { kind: "rounding", ns: rest, commands: new Set() };
  const least = number && Math.min(0.5, Math.abs(number.ns) / 1e3);
  const sums = Object.keys(KINDS).map((kind) => found[kind])
    .filter((each) => each && (Math.abs(each.ns) > least || (each.kind === "event" && each.less)))
    .map(({ kind, ns, less, commands }) => ({ kind, ns, less: kind === "event" && ns + less > least ? less : 0,
      count: kind === "blocks" ? commands.size : 0,
      words: (kind === "rounding" && OF_CLOCK[main.span.by]) || KINDS[kind] }));
  return { sums, main, pieces: main ? main.pieces : [] };
}

// What is asked for, of the kernel of a launch: its duration on the GPU, which Nsight Compute shows; its code, from the
// first to the last instruction; and what one more launch costs behind another one.
function askedOf(T, kernel) {
  const duration = T.fetch + T.launch + blocksTake(T, kernel) + T.drain;
  const code = blocksTake(T, kernel) - blocksTake(T, { ...kernel, work: 0 });
  return { duration, code, row: duration - T.row_saves };
}
