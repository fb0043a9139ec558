// SPDX-License-Identifier: MIT
// What is wrong with a number, and the better lines. RULES is a table: the first rule whose `when` is true has the
// cause. The verdict follows the error against what is asked for: right up to 5 %, careful up to 50 %, wrong beyond,
// and wrong if the number would not be about the kernel at all. Better lines are the lines themselves with a few
// changes in their place, and they are shown only if the machine runs them and they are better: no advice is better
// than false advice.
"use strict";

const us = (ns) => `${(Math.round(ns) / 1000).toFixed(Math.abs(ns) < 1e6 ? 3 : 1)} us`; // to the ns

// ---- Changes of a text: [from, to, what stands there then] ----

function changedText(text, edits) {
  let made = text;
  for (const [from, to, what] of [...edits].reverse().sort((a, b) => b[0] - a[0] || b[1] - a[1]))
    made = made.slice(0, from) + what + made.slice(to);
  return made;
}

class Changes {
  constructor({ text }) {
    this.text = text;
    this.edits = [];
  }
  source(s) { return this.text.slice(s.from, s.to); }
  lineBegin(s) { return this.text.lastIndexOf("\n", s.from - 1) + 1; }
  indent(s) { return /^[ \t]*/.exec(this.text.slice(this.lineBegin(s)))[0]; }
  isFirst(s) { return !this.text.slice(this.lineBegin(s), s.from).trim(); }
  // What stands behind a statement in its line, if that is nothing but a comment.
  rest(s) { return /^[ \t]*(\/\/[^\n]*)?(?=\n|$)/.exec(this.text.slice(s.to)); }
  bare(line) { return line.replace(/\s*\/\/.*/, ""); }
  before(s, ...lines) {
    const isFirst = this.isFirst(s), at = isFirst ? this.lineBegin(s) : s.from;
    const made = lines.map((line) => (isFirst ? `${this.indent(s)}${line}\n` : `${this.bare(line)} `));
    this.edits.push([at, at, made.join("")]);
    return this;
  }
  after(s, ...lines) {
    const rest = this.rest(s), at = s.to + (rest ? rest[0].length : 0);
    const made = lines.map((line) => (rest ? `\n${this.indent(s)}${line}` : ` ${this.bare(line)}`));
    this.edits.push([at, at, made.join("")]);
    return this;
  }
  remove(s) {
    const rest = this.isFirst(s) && this.rest(s);
    this.edits.push(rest ? [this.lineBegin(s), s.to + rest[0].length + 1, ""] : [s.from, s.to, ""]);
    return this;
  }
  replace(s, change) {
    const old = this.source(s), now = typeof change === "string" ? change : change(old);
    this.edits.push([s.from, s.to, now]);
    return now === old ? null : this;
  }
  done() { return changedText(this.text, this.edits); }
}

// The statement in a block that holds this one, also if a macro has made it; nothing if a loop or an `if` stands
// between.
function inBlock(s) {
  for (let now = s; now && now.parent; now = now.parent)
    if (now.parent.from !== now.from) return now.parent.is === "block" ? now : null;
  return null;
}
// The outermost one, in the function's own block.
function outermost(s) {
  let found = s;
  for (let now = s; now && now.parent; now = now.parent)
    if (now.parent.is === "block" && now.parent.from !== now.from) found = now;
  return found;
}
const inner = (where) => where && where[where.length - 1].s;
const inFrame = (where, id) => (where ?? []).find((each) => each.id === id);

// The two ends of the stopwatch, as statements of one function, and what stands between them in their block.
function endsOf({ span }) {
  const [from, to] = (span && span.where) || [];
  const common = [...(from ?? [])].reverse().find((each) => inFrame(to, each.id));
  const [a, b] = common ? [common.s, inFrame(to, common.id).s].map(inBlock) : [];
  if (!a || !b || a.parent !== b.parent) return null;
  const all = a.parent.body, i = all.indexOf(a), j = all.indexOf(b);
  const outer = outermost(a), between = all.slice(i + 1, j);
  return i < j ? { a, b, between, before: all.slice(0, i), tail: all.slice(j), outer } : null;
}

const SYNC_DEVICE = "cudaDeviceSynchronize();";
const isWait = (text) => new RegExp(/^\w*\(?\s*cuda(Device|Stream|Event)Synchronize\s*\([^;]*;$/.source +
  /|^while\s*\(\s*cuda\w+Query\([^;{}]*\)\s*(;|\{\s*\})$/.source).test(text);
const declares = (text, name) => new RegExp(`\\b${name}\\b`).test(text);
const streamOf = (command) => (command && command.stream ? command.stream.name : "0");
const canHold = (f) => !declares(f.text, "hold") || (f.run.assumed.get("hold") ?? {}).kind === "kernel";
const holdCall = (stream) => `hold<<<1, 1${stream === "0" ? "" : `, 0, ${stream}`}>>>();`;

// Names for two events and a time that the text does not use for other things, and the lines that make them.
function eventsOf(f) {
  const isFree = (name) => !declares(f.text, name) || /^(event|ms)$/.test((f.run.assumed.get(name) ?? {}).kind);
  if (!f.run.isWhole && ["start", "stop", "ms"].every(isFree)) return ["start", "stop", "ms", []];
  const names = ["start", "stop", "ms"].map((name) => [name, `${name}_2`].find((each) => !declares(f.text, each)));
  const [start, stop, ms] = names;
  return names.every(Boolean) ? [...names, [`cudaEvent_t ${start}, ${stop};`, `cudaEventCreate(&${start});`,
    `cudaEventCreate(&${stop});`, `float ${ms};`]] : null;
}

// A clock of the host becomes a pair of events: its two readings and what follows from them go, with the wait in
// between.
function eventsInstead(f) {
  const ends = endsOf(f), made = eventsOf(f), c = new Changes(f), gone = new Set();
  const print = inBlock(inner(f.number.where));
  if (!ends || !made || f.alike.length > 1 || !f.kernel || !print || print.parent !== ends.a.parent) return null;
  const { a, b, between, before, tail, outer } = ends, [start, stop, ms, lines] = made, stream = streamOf(f.kernel);
  const uses = (s) => [...gone].some((name) => declares(c.source(s), name));
  const takes = (s) => { // what this reading of a clock gives a value to
    const found = /^(?:[\w:<>, ]+?[ &])?(\w+)\s*=[^=]/.exec(c.source(s)) ?? /&\s*(\w+)/.exec(c.source(s));
    if (found) gone.add(found[1]);
    return found;
  };
  if (!takes(a) || (b === print ? !uses(b) : !takes(b)) || between.some(uses)) return null;
  c.replace(a, `cudaEventRecord(${start}, ${stream});`);
  if (lines.length) c.before(outer, ...lines);
  const read = [`cudaEventRecord(${stop}, ${stream});`, `cudaEventSynchronize(${stop});`,
    `cudaEventElapsedTime(&${ms}, ${start}, ${stop});`];
  const count = f.inside.length > 1 ? ` / ${f.inside.length}` : "";
  for (const s of tail) {
    if (s === print) {
      if (s === b) c.before(s, ...read);
      c.replace(s, `printf("%.3f us\\n", ${ms} * 1000${count});`);
    } else if (s === b) c.replace(s, read.join(`\n${c.indent(s)}`));
    else if (uses(s)) {
      if (s.is !== "expression" || !takes(s)) return null;
      c.remove(s);
    }
  }
  for (const s of before.filter(uses)) { // declarations of the clocks' variables
    const found = /^(?:struct\s+)?(?:timespec|timeval|clock_t|double|auto|float|long)\s+([\w\s,]+);$/.exec(c.source(s));
    if (!found || !found[1].split(",").every((name) => gone.has(name.trim()))) return null;
    c.remove(s);
  }
  for (const s of between) if (isWait(c.source(s))) c.remove(s); // the event is waited for now
  return c.done();
}

// Behind a hold: a kernel that keeps the stream busy, so that all is queued when the GPU comes to it.
function held(f) {
  const ends = endsOf(f);
  if (!ends || f.span.by !== "device" || !canHold(f) || f.inside.length > 900 || f.acts(/./).length) return null;
  const c = new Changes(f), stream = streamOf(f.span.first);
  const call = /cudaEventRecord\w*\s*\(\s*([^,)]+)/.exec(c.source(ends.a));
  c.before(ends.outer, `${holdCall(stream)}  // load it: a first launch may wait`, SYNC_DEVICE);
  c.before(ends.a, `${holdCall(stream)}  // holds the GPU for 1 ms, while all is queued behind it`);
  c.after(ends.b, `if (cudaEventQuery(${call ? call[1].trim() : f.span.first.name}) != cudaErrorNotReady)`,
    "  exit(1);  // the host was late: the GPU has waited for it");
  return c.done();
}

// The event overhead is measured in the same way, and subtracted.
function net(f) {
  const c = new Changes(f), s = f.span.elapsed && inBlock(inner(f.span.elapsed)), stream = streamOf(f.span.first);
  const call = s && /cudaEventElapsedTime\s*\(\s*&\s*([^,]+?)\s*,\s*([^,]+?)\s*,\s*([^,;]+?)\s*\)/.exec(c.source(s));
  if (!call || !canHold(f) || declares(f.text, "overhead_ms")) return null;
  const [, ms, start, stop] = call;
  return c.after(s, "float overhead_ms = 0;", holdCall(stream), `cudaEventRecord(${start}, ${stream});`,
    `cudaEventRecord(${stop}, ${stream});  // a pair with nothing in it`,
    `if (cudaEventQuery(${start}) != cudaErrorNotReady)`, "  exit(1);", SYNC_DEVICE,
    `cudaEventElapsedTime(&overhead_ms, ${start}, ${stop});`, `${ms} -= overhead_ms;`).done();
}

// What is uploaded, reset or allocated goes before the interval, what is read back or released behind it.
function outside(f, isMoved) {
  const ends = endsOf(f), c = new Changes(f), moved = ends ? ends.between.filter((s) => isMoved.test(c.source(s))) : [];
  if (!moved.length || moved.some((s) => /[{}]/.test(c.source(s)))) return null;
  const isLast = (s) => /DeviceToHost|cudaFree/.test(c.source(s)), lines = (of) => of.map((s) => c.source(s));
  const first = lines(moved.filter((s) => !isLast(s))), last = lines(moved.filter(isLast));
  const onHost = f.span.by !== "device", rest = ends.between.filter((s) => !moved.includes(s));
  for (const s of moved) c.remove(s);
  if (first.length) c.before(ends.a, ...first, ...(onHost ? [SYNC_DEVICE] : []));
  if (onHost && !rest.some((s) => /Synchronize/.test(c.source(s)))) c.before(ends.b, SYNC_DEVICE);
  const at = f.span.elapsed ? inBlock(inner(f.span.elapsed)) : ends.b;
  if (last.length && at) c.after(at, ...last, ...(/Async/.test(last) ? [SYNC_DEVICE] : []));
  return last.length && !at ? null : c.done();
}

function warmedUp(f) {
  const ends = endsOf(f), c = new Changes(f), launch = f.kernel && f.kernel.where && c.source(inner(f.kernel.where));
  const [text] = (launch && /\w+\s*<<<[^;]*?>>>\s*\([^;]*\)(?=\s*\)*;)/.exec(launch)) || [];
  if (!ends || !text) return null;
  let depth = 0; // CHECK(kernel<<<...>>>()) has one bracket more at its end
  const end = [...text].findIndex((letter) => (depth += letter === "(" ? 1 : letter === ")" ? -1 : 0) < 0);
  return c.before(ends.outer, `${end < 0 ? text : text.slice(0, end)};  // warm up`, SYNC_DEVICE).done();
}

function waitAt(f, which) {
  const ends = endsOf(f);
  return ends && new Changes(f).before(ends[which], SYNC_DEVICE).done();
}

function inPrint(f, change) {
  const { argument } = f.number, c = new Changes(f);
  return argument && argument.to > argument.from && c.replace(argument, change) ? c.done() : null;
}

// Each of these statements, changed.
function changedAll(f, statements, change) {
  const c = new Changes(f), all = [...new Set(statements)];
  return all.every((s) => s && c.replace(s, change)) ? c.done() : null;
}

// ---- The table ----
//
// f: run, number, sums, text, kernel (of the last timed launch), inside (launches in the interval), share(kind) of the
// number, span, per (launches that the number stands for), target, error; `off`: more than 5 % of what is asked.
// `always`: the number is wrong however near it is; `structural`: careful, at least.

const hasFailed = (f, error) => f.run.failed.some((each) => each.error === error);
const isCut = (f) => f.number.v === Math.trunc(f.number.v) && f.share("rounding") > 0.05;
const launchesOf = ({ per, launches: { length: n } }) => [
  `The number is the time of ${+per.toPrecision(6)} launches, and ${n} ${n === 1 ? "is" : "are"} in it.`,
  `这个数是 ${+per.toPrecision(6)} 次启动的时间，其中有 ${n} 次启动。`];
const withEvents = { step: ["Use two events.", "用两个事件。"], better: eventsInstead };
const shortOf = ({ number: { shown, unit, v } }) => [
  `It is printed as ${shown} ${unit}: this rounding changes it by ${Math.round(100 * Math.abs(shown / v - 1))} %.`,
  `打印为 ${shown} ${unit}：取整使它改变 ${Math.round(100 * Math.abs(shown / v - 1))} %。`];
const behindHold = { step: ["Queue it behind a hold: a kernel that keeps the GPU busy until all is queued.",
  "排在一个核函数之后：它占住 GPU，直到全部排好队。"], better: held };
const RULES = [
  { cause: "not_finished", always: true, when: (f) => f.failed("cudaErrorNotReady"),
    words: ["cudaErrorNotReady: the GPU has not reached the event, and the variable keeps what it held.",
      "cudaErrorNotReady：GPU 还没有到达这个事件，变量保持原来的值。"],
    step: ["Wait for the event.", "等待事件。"],
    better: (f) => {
      const s = inBlock(inner(f.failed("cudaErrorNotReady").where)), c = new Changes(f);
      const call = s && /cudaEventElapsedTime\s*\([^,]+,[^,]+,\s*([^,;)]+)/.exec(c.source(s));
      return call && c.before(s, `cudaEventSynchronize(${call[1].trim()});`).done();
    } },
  { cause: "not_recorded", always: true, when: (f) => f.failed("cudaErrorInvalidResourceHandle"),
    words: ["An event was never recorded, or was made without timing (cudaErrorInvalidResourceHandle).",
      "有一个事件从未记录，或创建时没有计时（cudaErrorInvalidResourceHandle）。"] },
  { cause: "launch_failed", always: true,
    when: (f) => hasFailed(f, "cudaErrorInvalidConfiguration") && !f.share("blocks"),
    words: ["The launch failed, and the kernel did not run: a block has 1 to 1024 threads, and a grid at least one " +
      "block. cudaGetLastError() says so.",
    "启动失败，核函数没有运行：每块 1 到 1024 个线程，网格至少一个块。cudaGetLastError() 会报告。"] },
  { cause: "call_failed", always: true, when: (f) => hasFailed(f, "cudaErrorInvalidValue"),
    words: ({ run: { failed: [{ line, error }] } }) => [`A call failed in line ${line}: ${error}.`,
      `第 ${line} 行的调用失败：${error}。`] },
  { cause: "no_time", always: true, when: (f) => !f.span,
    words: ["This is no difference of two times.", "这个数不是两个时间之差。"] },
  { cause: "no_sum", always: true, when: (f) => f.share("rounding") > 0.9 && Math.abs(f.number.v) > 1.5,
    words: ["Most of this number is no time: something is added to it, its parts have different units, or it is too " +
      "long for its type.", "这个数大部分不是时间：加上了别的东西，各部分单位不同，或超出了类型的范围。"] },
  { cause: "exchanged", always: true, when: (f) => f.number.ns < 0,
    words: ["The number is negative: begin and end are exchanged.", "结果为负：开始与结束写反了。"],
    step: ["Put them in their order.", "恢复顺序。"],
    better: (f) => (f.span.elapsed ? changedAll(f, [inner(f.span.elapsed)], (text) => text.replace(
      /(cudaEventElapsedTime\s*\([^,]+,\s*)([^,]+?)(\s*,\s*)([^,;]+?)(\s*\))/, "$1$4$3$2$5"))
      : inPrint(f, (text) => text.replace(/([\w.]+(?:\(\))?) - ([\w.]+(?:\(\))?)/, "$2 - $1"))) },
  { cause: "cut_to_whole", structural: true, when: isCut,
    words: (f) => (/\bfloat\b/.test(f.text) && f.span.by !== "device"
      ? ["The time is cut: by an integer, or by a float, which has too few digits for a clock's value.",
        "时间的位数被截去：由于整数，或由于 float 的位数不够存放时钟的值。"]
      : ["The time is cut to a whole number of its unit: by duration_cast, by an integer variable or by a " +
        "division of integers.", "时间被截成整数：由于 duration_cast、整型变量或整数除法。"]),
    step: ["Use a duration of double.", "用 double 的 duration。"],
    better: (f) => f.text.replace(/(?:std::)?(?:chrono::)?duration_cast<[\w:]*?(nano|micro|milli|)seconds>/g,
      (all, unit) => `std::chrono::duration<double${unit && `, std::${unit}`}>`) },
  { cause: "wrong_unit", always: true, when: (f) => f.unitFactor && f.share("blocks"),
    words: (f) => [`The unit is wrong by a factor of ${f.unitFactor.toLocaleString("en")}: the number is in ` +
      `${f.rightUnit ?? "another unit"}.`, `单位差了 ${f.unitFactor} 倍：这个数的单位是 ${f.rightUnit ?? "别的"}。`],
    step: ["Print the right unit.", "打印正确的单位。"],
    better: (f) => f.rightUnit && changedAll(f, [inner(f.number.where)], (text) => text.replace(
      new RegExp(`((?:%[.\\d]*l?[fgd]|<<\\s*")[ \\[(]*)${f.number.unit}\\b`), `$1${f.rightUnit}`)) },
  { cause: "wrong_stream", always: true, when: (f) => f.span.by === "device" && !f.share("blocks") && f.elsewhere,
    words: (f) => [`The kernel runs in '${f.elsewhere.stream.name}', made with cudaStreamNonBlocking: the events' ` +
      "stream does not wait for it.", `数里没有核函数。它在 cudaStreamNonBlocking 创建的 '${f.elsewhere.stream.name}' 中运行，事件所在的流不会等它。`],
    step: ["Record both events in the kernel's stream.", "把两个事件都记录到核函数的流中。"],
    better: (f) => changedAll(f, [f.span.first, f.span.last].map((each) => inner(each.where)), (text) =>
      text.replace(/(cudaEventRecord\s*\(\s*[^,()]+?)\s*(?:,[^()]*)?\)/, `$1, ${f.elsewhere.stream.name})`)) },
  { cause: "host_asleep", structural: true, when: (f) => f.span.by === "cpu" &&
    f.run.machine.calls.some((call) => call.asleep && call.to > f.span.from && call.from < f.span.to),
    words: ["clock() counts the processor time of the host's program, and the host sleeps meanwhile: a kernel that " +
      "runs then is not in the number.", "clock() 计的是主机程序的处理器时间，而主机在此期间休眠：这时运行的核函数不在数里。"],
    ...withEvents },
  { cause: "sleep_inside", when: (f) => f.share("sleep") > 0.001 || (f.off && f.acts(/sleep/).length),
    words: ["A sleep of the host is in the number.", "数里有主机的休眠。"],
    step: ["Take the sleep out.", "去掉休眠。"],
    better: (f) => {
      const c = new Changes(f);
      for (const s of new Set(f.acts(/sleep/).map((each) => inner(each.where))))
        if (/^[\w:\s]*sleep\w*\s*\([^;]*\);$/.test(c.source(s)) && inBlock(s)) c.remove(s);
      return c.edits.length ? c.done() : null;
    } },
  { cause: "no_wait", always: true, when: (f) => f.span.by !== "device" && !f.share("blocks") && f.inside.length &&
    !f.isHidden,
    words: (f) => (f.waits.length
      ? ["The wait is for another stream, or for an event before the kernel: this is the time of the host's calls.",
        "等待的是别的流，或核函数之前的事件：数里没有核函数，只有主机调用的时间。"]
      : f.share("copy") > 0.5 ? ["Nobody waited for the kernel, and most of the number is a copy.",
        "没有等待核函数，这个数大部分是拷贝。"]
      : ["Nobody waited. A launch returns before the kernel has run, so this is the time of the launch call.",
        "没有等待。启动调用在核函数运行之前就返回，所以这是启动调用的时间。"]),
    step: ["Wait before the second reading.", "第二次读时钟之前等待核函数。"], better: (f) => waitAt(f, "b") },
  { cause: "kernel_outside", always: true, when: (f) => !f.share("blocks") && !f.share("earlier") && !f.isHidden,
    words: (f) => (f.kernel
      ? ["The kernel is not in the number: it does not run between the two.", "数里没有核函数：它没有在两者之间运行。"]
      : ["These lines launch no kernel that the page can see.", "这些行没有启动本页能看到的核函数。"]) },
  { cause: "earlier_work", structural: true, when: (f) => f.share("earlier") > 0.01,
    words: (f) => (f.inside.length ? ["An earlier kernel still runs when the stopwatch starts, and is in the number.",
      "开始计时的时候之前的核函数还在运行，也算进了这个数。"]
      : ["The kernel was launched before the stopwatch starts.", "核函数在开始计时之前就已启动。"]),
    step: ["Wait before the first reading, too.", "第一次读时钟之前也等待。"],
    better: (f) => f.inside.length && waitAt(f, "a") },
  { cause: "first_launch", structural: true, when: (f) => f.share("load") + f.share("driver") > 0.001,
    words: (f) => (f.share("driver") > 0.001
      ? ["The first call of CUDA, which starts the driver, and the first launch, which loads the kernel, are in it.",
        "数里有 CUDA 的首次调用，它要启动驱动；还有首次启动，它要加载核函数。"]
      : ["The first launch is in the number: it loads the kernel.", "数里有首次启动，它要加载核函数。"]),
    step: ["Warm up: launch the kernel once before, and wait.", "预热：先启动一次并等待。"], better: warmedUp },
  { cause: "clock_climbs", structural: true, when: (f) => f.share("clock") > 0.01,
    words: ["The GPU was idle before: its clock has fallen, and climbs only while the GPU works.",
      "之前 GPU 空闲，时钟已降低，GPU 工作时才逐渐爬升。"],
    step: ["Warm up for longer: until the clock is full.", "预热更久：直到时钟满速。"],
    better: (f) => {
      const ends = endsOf(f);
      return ends && canHold(f) && new Changes(f).before(ends.outer, "for (int i = 0; i < 80; i++)",
        "  hold<<<1, 1>>>();  // 80 ms: until its clock is full", SYNC_DEVICE).done();
    } },
  { cause: "allocation_inside", structural: true, when: (f) => f.off && f.acts(/^cuda(Malloc|HostAlloc|Free)/).length,
    words: ["An allocation or a release of memory is in the number.", "数里有内存的分配或释放。"],
    step: ["Allocate before, release after.", "之前分配，之后释放。"],
    better: (f) => outside(f, /cuda(Malloc|HostAlloc|Free)\w*\s*\(/) },
  { cause: "reset_inside", structural: true, when: (f) => f.resets && f.share("copy") > 0.001,
    words: ["A reset is in the number: cudaMemset is work of the GPU, too. It belongs before the start, in each " +
      "iteration.", "数里有清零：cudaMemset 也是 GPU 的工作。它应在每次迭代开始计时之前。"],
    step: ["Reset before the start.", "开始计时之前清零。"], better: (f) => outside(f, /cudaMem(set|cpy)/) },
  { cause: "copy_inside", structural: true, when: (f) => f.share("copy") > 0.001,
    words: ["A copy is in the number.", "数里有拷贝。"],
    step: ["Copy outside.", "拷贝移到外面。"], better: (f) => outside(f, /cudaMemcpy/) },
  { cause: "host_work", when: (f) => f.isHidden || (f.off && f.span.by !== "device" && f.share("host") > 0.3),
    words: ["Other work of the host is in the number.", "数里有主机的其他工作。"], ...withEvents },
  { cause: "two_kernels", structural: true, when: (f) => f.isMixed,
    words: (f) => (f.isTogether
      ? [`The number holds ${f.launches.length} launches of different kernels or sizes, and the error is against ` +
        "their sum. To time one of them, put the stopwatch around it alone.",
      `这个数包含不同核函数或大小的 ${f.launches.length} 次启动，误差相对于它们之和。要测其中一个，请只给它计时。`]
      : [`${f.launches.length} launches, of different kernels or in different streams, share this number: none ` +
        "has a time of its own.", `${f.launches.length} 次启动（不同核函数或不同流）共用一个数：分不出各自的时间。`]) },
  { cause: "not_divided", structural: true, when: (f) => f.per > 1.03, words: launchesOf,
    step: ["Divide by the launches.", "除以启动次数。"], better: (f) => f.launches.length > 1 && inPrint(f, (text) =>
      (/[^\w.\[\]() ]/.test(text) ? `(${text})` : text) + ` / ${+f.per.toFixed(3)}`) },
  { cause: "divided_too_often", structural: true, when: (f) => f.per < 0.97 && f.launches.length, words: launchesOf },
  { cause: "wait_inside", when: (f) => f.off && f.share("blocks") && (f.span.by === "device" ? f.waits.length
    : f.inside.length > 1 && f.waits.length > f.inside.length / 2),
    words: (f) => (f.inside.length > 1
      ? ["The host waits in each round. So each launch comes to an idle GPU: latency, wake-up or gap count each time.",
        "主机每轮都等待。所以每次启动时 GPU 都空闲，每次都含延迟、唤醒或空隙。"]
      : ["The host waits between the two events: meanwhile the GPU has nothing to do, and this is in the number.",
        "主机在两个事件之间等待：这时 GPU 无事可做，这段时间也在数里。"]),
    step: ["Wait once, behind all of it.", "最后只等待一次。"],
    better: (f) => {
      const c = new Changes(f), ends = endsOf(f), all = [...new Set(f.waits.map((each) => inBlock(inner(each.where))))];
      const waits = all.filter((s) => s && isWait(c.source(s)));
      for (const s of waits) c.remove(s);
      if (!ends || !waits.length) return null;
      return (f.span.by === "device" ? c : c.before(ends.b, SYNC_DEVICE)).done();
    } },
  { cause: "launch_bound", when: (f) => f.inside.length > 1 && f.share("launch") + f.share("gap") > 0.3,
    words: ["The kernels are shorter than the host's launch calls, and the GPU waits each time (launch-bound).",
      "核函数比主机的启动调用还短，GPU 每次都要等待：这其实是启动调用的开销。"],
    step: (f) => (f.span.by === "device" ? behindHold : withEvents).step,
    better: (f) => (f.span.by === "device" ? held : eventsInstead)(f) },
  { cause: "processor_time", when: (f) => f.span.by === "cpu" && f.off,
    words: ["clock() counts the processor time of the host's program, in whole us here. It holds the kernel only " +
      "because the host waits busily.", "clock() 计的是主机程序的处理器时间，这里只计整微秒。因为主机忙等，核函数才在数里。"], ...withEvents },
  { cause: "way", when: (f) => f.span.by !== "device" && f.off,
    words: ({ error }) => [`The launch call, the launch latency and the host's wake-up are in the number: ${us(error)} ` +
      `too much. From a kernel of ${us(Math.abs(20 * error))} on it is right within 5 %.`,
    `数里有启动调用、启动延迟和主机的唤醒，多出 ${us(error)}。核函数从 ${us(Math.abs(20 * error))} 起误差在 5 % 以内。`],
    step: ["Use two events: no latency, no wake-up.", "用两个事件：没有延迟和唤醒。"], better: eventsInstead },
  { cause: "gap", when: (f) => f.off && f.share("gap") > f.share("event"),
    words: (f) => ["The GPU does the start event at once, and then waits until the launch has come from the host. " +
      `This gap, ${f.ofKind("gap")}, and the event overhead, ${f.ofKind("event")}, are in the number.${f.isRepeated
        ? " Repeating removes neither: they are in the median and the mean of many runs, too." : ""}`,
    `GPU 立刻执行 start 事件，然后等主机的启动到达。这段空隙 ${f.ofKind("gap")} 和事件开销 ${f.ofKind("event")} 都在数里。${
      f.isRepeated ? "多次运行的中位数和平均值也都包含它们。" : ""}`],
    ...behindHold },
  { cause: "event_overhead", when: (f) => f.share("event") > 0 && f.off,
    words: ["The events' own cost is in the number.", "数里有事件本身的开销。"],
    step: ["Subtract the event overhead: time an empty pair in the same way.", "减去事件开销：用同样的方法测一对空事件。"],
    better: net },
  { cause: "not_the_code", when: (f) => f.off && f.target === "code",
    words: ["This is the kernel's duration on the GPU. To get its code alone, subtract the time of an empty kernel " +
      "(chapter 04, three_times).", "这是核函数在 GPU 上的持续时间。只要代码部分，请减去空核函数的时间（第 04 章 three_times）。"] },
  { cause: "other", when: (f) => f.off, words: ["It is some way off.", "有一定偏差。"] },
  { cause: "few_digits", structural: true, when: (f) => f.isShort, words: shortOf,
    step: ["Print more digits.", "多打印几位。"],
    better: (f) => changedAll(f, [inner(f.number.where)], (text) => text.replace(/%(\.\d*)?(l?[feg])/g, "%.9$2")) },
  { cause: "none", when: () => true,
    words: (f) => {
      // Many launches that are not all queued when the GPU begins: the host's calls must be the shorter ones.
      const isHeld = f.span.by === "device" && f.span.last.queued <= f.span.first.begin;
      const isMany = f.inside.length > 1 && !isHeld;
      const least = us(Math.max(20 * Math.abs(f.error), isMany ? f.run.machine.T.launch_call : 0));
      if (isMany) return [`This is right for kernels of ${least} and more: a shorter one is over before the host's ` +
        "next launch call, and the GPU waits.", `核函数不短于 ${least} 时正确：更短的会在主机下一次启动调用之前结束，GPU 就要等待。`];
      return f.share("blocks") + f.share("shell") > 0.99
        ? ["It is the kernel alone, however long the kernel is.", "只有核函数，与核函数的长短无关。"]
        : [`Besides the kernel it holds little, and is right for kernels of ${least} and more.`,
          `除核函数外所含不多。核函数不短于 ${least} 时正确。`];
    } },
];

// The one of the sliders.
const kernelOf = ({ blocks, threads, work }) => ({ groups: blocks, threads: Math.min(1024, threads), work });

function factsOf(times, settings, text, run, target) {
  const { number, machine: { commands } } = run, parts = partsOf(run), { main, sums } = parts, span = main && main.span;
  const kernels = commands.filter((c) => c.kind === "kernel");
  const limitsOf = (of) => (of.by === "device" ? [of.first.queued, of.last.queued] : [of.from, of.to])
    .sort((a, b) => a - b);
  const held = ({ span: of }, list = kernels) => { // they stand in the order of their calls
    const [low, high] = limitsOf(of), found = [];
    let first = 0, end = list.length;
    while (first < end) {
      const middle = (first + end) >> 1;
      if (list[middle].queued > low) end = middle;
      else first = middle + 1;
    }
    for (; end < list.length && list[end].queued <= high; end++) found.push(list[end]);
    return found;
  };
  // In the interval that is drawn; and in all intervals, if the number is their sum.
  const inside = main ? held(main) : [];
  const alike = main ? number.spans.filter((each) => each.weight * main.weight > 0) : [];
  const all = alike.map((each) => [each, held(each)]), launches = all.flatMap(([, list]) => list);
  const kernel = inside[inside.length - 1] ?? kernels[kernels.length - 1], weight = main ? Math.abs(main.weight) : 0;
  // What is subtracted counts, too, if it is the same kernel.
  const isSame = (c) => kernel && c.name === kernel.name && c.groups === kernel.groups && c.threads === kernel.threads;
  const per = (main ? number.spans : []).reduce((sum, each) => sum + Math.abs(each.weight) *
    (alike.includes(each) ? held(each).length : -held(each).filter(isSame).length), 0);
  // Is the number 1,000 times too large or too small? Not if it is what the clock says, of one launch or of many.
  const isOne = (of) => Math.abs(of - 1) < 1e-3, counts = [1, launches.length, inside.length].filter((n) => n > 0);
  const isPlain = isOne(per) || counts.some((n) => isOne(weight * n));
  const factor = !isPlain && !number.isGuessed &&
    [1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9].find((each) => counts.some((n) => isOne((weight * n) / each)));
  // Different kernels in one stream are one thing together, unless the unit is wrong.
  const differ = (of) => new Set(launches.map(of)).size > 1, streams = differ((c) => c.stream);
  const isMixed = differ((c) => `${c.name} ${c.groups} ${c.threads}`) || streams;
  const isTogether = isMixed && !streams && !factor;
  const asked = isTogether ? launches.reduce((sum, c) => sum + askedOf(times, c)[target], 0) * weight
    : askedOf(times, kernel ?? kernelOf(settings))[target];
  const error = number.spans ? number.ns - asked : NaN;
  const nsOf = (kind) => sums.reduce((sum, each) => sum + (each.kind === kind ? each.ns : 0), 0);
  const acts = (name) => {
    const [low, high] = span ? limitsOf(span) : [0, -1];
    return run.acts.filter((each) => name.test(each.name) && each.from >= low && each.to <= high);
  };
  return {
    run, number, parts, sums, text, span, inside, kernel, target, asked, error, alike, acts, per, launches, isMixed,
    isTogether, waits: acts(/Synchronize/), off: Math.abs(error) > 0.05 * asked,
    isHidden: span && span.by !== "device" && inside.length && inside.every((c) => c.end <= span.to) &&
      !sums.some((each) => /blocks|earlier/.test(each.kind)),
    resets: main && held(main, commands).some((c) => c.isReset),
    share: (kind) => Math.abs(nsOf(kind) / number.ns),
    ofKind: (kind) => us(nsOf(kind)),
    failed: (name) => (number.spans ? undefined : run.failed.find((each) => each.error === name)),
    isShort: Math.abs(number.shown / number.v - 1) > 0.05,
    isRepeated: inside.length === 1 && kernels.filter((c) => c.line === kernel.line).length > 1,
    unitFactor: factor && Math.round(Math.max(factor, 1 / factor)),
    rightUnit: factor && Object.keys(UNIT_NS).find((each) => isOne((UNIT_NS[each] * factor) / UNIT_NS[number.unit])),
    elsewhere: kernels.find((c) => c.stream && c.stream.apart && span && span.by === "device" && c.queued > span.first
      .queued && c.queued <= span.last.queued)
  };
}

// Returns {verdict, cause, words, error, asked, text: the lines}, and what the page shows. If the lines can be better:
// `step`, what to do, and `better`, the answer for the better lines; which may have better ones, `steps` in all.
function advise(times, settings, text, target = "duration", steps = 7) {
  const run = new Runner(times, settings, text).run(), { ended } = run, last = run.failed[run.failed.length - 1];
  if (!run.number) {
    if (run.left) throw run.left;
    const because = last ? `: ${last.error}, ${say("line", "行")} ${last.line}` : "";
    if (ended && ended.code) throw new Unknown(say(`the program ends here with ${ended.code}, and prints no number`,
      `程序在这里以 ${ended.code} 结束，没有打印数字`) + because, ended.line);
    throw new Unknown(say('these lines print no time: printf("%.3f us", ...)', '这些行没有打印时间：printf("%.3f us", ...)'),
      text.split("\n").length);
  }
  const f = factsOf(times, settings, text, run, target), rule = RULES.find((each) => each.when(f));
  const off = Math.abs(f.error) / f.asked, isOnlyMixed = f.isTogether && rule.cause === "two_kernels";
  const isNear = off <= 0.05 && (!rule.structural || isOnlyMixed);
  const verdict = rule.always || !f.share("blocks") || !(off <= 0.5) ? "wrong" : isNear ? "right" : "careful";
  const saidBy = (said) => say(...(typeof said === "function" ? said(f) : said));
  const isLast = rule.cause === "few_digits";
  const words = saidBy(rule.words) + (f.isShort && !isLast ? say(" ", "") + saidBy(shortOf) : "");
  const answer = { ...f, lastError: f.error, verdict, cause: rule.cause, words };
  try {
    const lines = steps && rule.better && rule.better(f);
    if (!lines || lines === text) return answer;
    const better = advise(times, settings, lines, target, steps - 1), { lastError } = better;
    const isSame = better.verdict === "wrong" && better.cause === rule.cause;
    const isBetter = (rule.always && !isSame) || (rule.cause === "few_digits" && !better.isShort) || Math.abs(lastError) < 0.8 * Math.abs(f.error);
    return isBetter && better.span && !better.run.stopped && !(better.run.ended && better.run.ended.code)
      ? { ...answer, lastError, step: saidBy(rule.step), better } : answer;
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    return answer;
  }
}
