// SPDX-License-Identifier: MIT
// What is wrong with a number, and the better lines. RULES is a table: the first rule whose `when` is true has the cause.
// The verdict follows the error against what is asked for: right up to 5 %, careful up to 50 %, wrong beyond, and wrong if
// the number would not be about the kernel at all.
"use strict";

const us = (ns) => `${(Math.round(ns) / 1000).toFixed(Math.abs(ns) < 1e6 ? 3 : 1)} us`; // to the ns

// ---- Better lines: each returns the text, or nothing ----

const before = (lines, line, what) => [...lines.slice(0, line - 1), what, ...lines.slice(line - 1)].join("\n");
const replaced = (lines, line, change) => lines.map((each, i) => (i === line - 1 ? change(each) : each)).join("\n");
const indentOf = (line) => /^\s*/.exec(line)[0];
const bare = (line) => line.trim().replace(/\s*\/\/.*/, "");

// The lines before the stopwatch that declare and allocate.
const opening = ({ lines, launchLine, span }) => lines.slice(0, Math.min(launchLine, span ? span.lines[0] : 1e9) - 1)
  .filter((each) => each.trim() && !/<<<|cudaEventRecord|Synchronize|now\(|clock|gate|block_stream|cudaMemcpy|for \(|[{}]|sleep|cudaMemset|total_ms/.test(each)).map((each) => each + "\n").join("");
// The last timed launch, which may stand in several lines.
const launchText = (f) => /[\w:]+\s*(?:<[^<>]*>)?\s*<<<[^;]*|cudaLaunchKernel[^;]*?\)(?=\)?;)/.exec(f.lines.slice(f.launchLine - 1).map(bare).join(" "))[0] + ";";
const countOf = (f) => (/<\s*N\s*;/.test(f.text) && (f.run.names.get("N") ?? {}).v === f.launches.length ? "N" : f.launches.length);
// All in the kernel's stream; what resets its result stands behind the warm-up.
function blockedLines(f, end) {
  if (!f.kernel) return null;
  const { stream } = f.kernel, resets = [...new Set(f.lines.slice(0, f.launchLine).join("\n").match(/(?:\w+\()?cudaMemset[^;]*;/g))].map((each) => each + "\n").join("");
  const lines = opening(f) + (f.text.includes(WARM_LONG) ? WARM_LONG : "") + BLOCKED(launchText(f), "", resets) + end;
  return !stream ? lines : lines.replace(/(cudaEventRecord\(\w+, )0\);/g, `$1${stream.name});`).replace(/block_stream<<<1, 1>>>/g, `block_stream<<<1, 1, 0, ${stream.name}>>>`);
}

// A host's clock becomes a pair of events: the two readings, the line that prints, and no wait between. `each`: a pair in
// each iteration, around the launch alone.
function eventsInstead(f, each = false) {
  if (f.run.number.spans.length > 1) return null;
  const [t0, t1] = f.span.lines, count = f.inside.length > 1 ? ` / ${countOf(f)}` : "";
  const stream = f.kernel.stream ? f.kernel.stream.name : "0", launch = f.launchLine - 1, launchEnd = f.lines.findIndex((line, i) => i >= launch && /;/.test(bare(line)));
  const begin = [`cudaEventRecord(start, ${stream});`], end = [`cudaEventRecord(stop, ${stream});`, "cudaEventSynchronize(stop);", "cudaEventElapsedTime(&ms, start, stop);"];
  return f.lines.flatMap((line, i) => {
    const put = (texts) => texts.map((text) => indentOf(line) + text), isAfter = i >= t1;
    if (i === t0 - 1) return put(each ? ["float total_ms = 0;"] : begin);
    const print = i === f.run.number.line - 1 ? put([`printf("%.3f us", ${each ? "total_ms" : "ms"} * 1000${count});`]) : [];
    if (i === t1 - 1) return [...(each ? [] : put(end)), ...print];
    if (print.length) return print;
    if (i > t0 - 1 && !isAfter && /cuda(Device|Stream)Synchronize/.test(line)) return [];
    if (each && i >= launch && i <= launchEnd) return [...(i === launch ? put(begin) : []), line, ...(i === launchEnd ? put([...end, "total_ms += ms;"]) : [])];
    return isAfter && (each ? /duration|elapsed|diff|cudaEvent(Synch|Elaps)/i : /duration|elapsed|diff/).test(line) ? [] : [line];
  }).join("\n");
}

// What is uploaded or reset goes before the interval, what is read back behind all.
function copyOutside({ lines, span }) {
  const isInside = (line, i) => i >= span.lines[0] && i < span.lines[1] - 1, isMoved = (line, i) => isInside(line, i) && /cudaMem(cpy|set)/.test(line), isFirst = (line) => /HostToDevice|cudaMemset/.test(line);
  const copies = lines.filter(isMoved).map((line) => line.trim()), rest = lines.map((line, i) => (isMoved(line, i) ? null : line));
  const first = copies.filter(isFirst).map((line) => indentOf(lines[span.lines[0] - 1]) + line), last = copies.filter((line) => !isFirst(line));
  if (span.by !== "device" && !rest.some((line, i) => line && isInside(line, i) && /Synchronize/.test(line))) rest.splice(span.lines[1] - 1, 0, "cudaDeviceSynchronize();");
  rest.splice(span.lines[0] - 1, 0, ...first, ...(first.length && span.by !== "device" ? ["cudaDeviceSynchronize();"] : []));
  return [...rest.filter((line) => line !== null), ...last].join("\n");
}

// ---- The table ----
//
// f: run, number, sums, text, lines, kernel (of the last timed launch), launchLine, inside (launches in the interval),
// share(kind) of the number, span, per (launches that the number stands for), target, error.

const RULES = [
  { cause: "not_finished", always: true, when: (f) => f.failed("cudaErrorNotReady"),
    words: () => say("cudaEventElapsedTime() returned cudaErrorNotReady: the GPU has not reached the event. So the variable keeps what it held before.",
      "cudaEventElapsedTime() 返回 cudaErrorNotReady：GPU 还没有到达这个事件，变量保持原来的值。"),
    step: ["Wait for the event.", "等待事件。"],
    better: (f) => before(f.lines, f.failed("cudaErrorNotReady").line, `cudaEventSynchronize(${(/(\w+)\s*\)/.exec(f.lines[f.failed("cudaErrorNotReady").line - 1]) ?? [])[1] ?? "stop"});`) },
  { cause: "not_recorded", always: true, when: (f) => f.failed("cudaErrorInvalidResourceHandle"),
    words: () => say("An event was never recorded: cudaErrorInvalidResourceHandle.", "有一个事件从未记录：cudaErrorInvalidResourceHandle。") },
  { cause: "launch_failed", always: true, when: (f) => f.failed("cudaErrorInvalidConfiguration"),
    words: () => say("The launch failed, and the kernel did not run: a block has 1 to 1024 threads, and a grid at least one block. cudaGetLastError() says so.",
      "启动失败，核函数没有运行：每块 1 到 1024 个线程，网格至少一个块。cudaGetLastError() 会报告。") },
  { cause: "no_time", always: true, when: (f) => !f.span,
    words: () => say("This number is no difference of two times.", "这个数不是两个时间之差。") },
  { cause: "exchanged", always: true, when: (f) => f.number.ns < 0,
    words: () => say("The number is negative: begin and end are exchanged.", "结果为负：开始与结束写反了。"), step: ["Put them in their order.", "恢复顺序。"],
    better: (f) => replaced(f.lines, f.span.elapsed ?? f.number.line, (line) => line.replace(/(&\s*\w+\s*,\s*)(\w+)(\s*,\s*)(\w+)/, "$1$4$3$2").replace(/\((\w+) - (\w+)\)/, "($2 - $1)")) },
  { cause: "wrong_unit", always: true, when: (f) => f.unitFactor && f.share("blocks"),
    words: (f) => say(`The unit is wrong by a factor of ${f.unitFactor}: cudaEventElapsedTime() gives milliseconds, and a clock of C++ what its cast says.`,
      `单位差了 ${f.unitFactor} 倍：cudaEventElapsedTime() 给出毫秒。`), step: ["Print the right unit.", "打印正确的单位。"],
    better: (f) => replaced(f.lines, f.number.line, (line) => line.replace(new RegExp(`(%[.\\d]*l?f\\s*)${f.number.unit}\\b`), `$1${f.rightUnit}`)) },
  { cause: "wrong_stream", always: true, when: (f) => f.span.by === "device" && !f.share("blocks") && f.elsewhere,
    words: (f) => say(`The kernel is not in the number. It runs in '${f.elsewhere.stream.name}', made with cudaStreamNonBlocking: the default stream, in which the events stand, does not wait for it.`,
      `数里没有核函数。它在 cudaStreamNonBlocking 创建的 '${f.elsewhere.stream.name}' 中运行，事件所在的默认流不会等它。`),
    step: ["Record both events in the kernel's stream.", "把两个事件都记录到核函数的流中。"],
    better: (f) => f.text.replace(/(cudaEventRecord\s*\(\s*\w+)\s*(,\s*\w+)?\s*\)/g, `$1, ${f.elsewhere.stream.name})`) },
  { cause: "sleep_inside", when: (f) => f.share("sleep") > 0.001,
    words: () => say("A sleep of the host is in the number.", "数里有主机的休眠。"),
    step: ["Sleep outside.", "休眠移到外面。"],
    better: (f) => f.lines.filter((line, i) => !(i >= f.span.lines[0] && i < f.span.lines[1] && /sleep/.test(line))).join("\n") },
  { cause: "host_asleep", when: (f) => f.span.by === "cpu" && f.run.machine.calls.some((call) => call.kind === "wait" && call.asleep && call.to > f.span.from && call.from < f.span.to),
    words: () => say("clock() counts the processor time of the host's program, and the host sleeps while it waits: the kernel is not in the number.",
      "clock() 计的是主机程序的处理器时间，而主机在等待时休眠：核函数不在数里。"), step: ["Use two events.", "用两个事件。"],
    better: (f) => eventsInstead(f) },
  { cause: "cast_to_whole", structural: true, when: (f) => f.span.by === "host" && f.share("rounding") > 0.05,
    words: () => say("duration_cast cuts the time to a whole number of its unit.", "duration_cast 把时间截成整数。"),
    step: ["Use a duration of double.", "用 double 的 duration。"],
    better: (f) => f.text.replace(/(?:std::)?(?:chrono::)?duration_cast<[\w:]*?(nano|micro|milli|)seconds>/g, (all, unit) => `std::chrono::duration<double${unit && `, std::${unit}`}>`) },
  { cause: "no_wait", always: true, when: (f) => f.span.by !== "device" && !f.share("blocks") && f.inside.length,
    words: () => say("Nobody waited. A launch returns before the kernel has run, so this is the launch overhead: the time of the host's call.",
      "没有等待。启动调用在核函数运行之前就返回，所以这是启动调用的时间。"),
    step: ["Wait before the second reading.", "第二次读时钟之前等待核函数。"],
    better: (f) => before(f.lines, f.span.lines[1], `${indentOf(f.lines[f.span.lines[1] - 1])}cudaDeviceSynchronize();`) },
  { cause: "kernel_outside", always: true, when: (f) => !f.share("blocks"),
    words: (f) => f.kernel ? say("The kernel is not in the number: it does not run between the two.", "数里没有核函数：它没有在两者之间运行。")
      : say("These lines launch no kernel that the page can see.", "这些行没有启动本页能看到的核函数。") },
  { cause: "earlier_work", structural: true, when: (f) => f.share("earlier") > 0.01,
    words: () => say("An earlier kernel still runs when the stopwatch starts, and is in the number.",
      "开始计时的时候之前的核函数还在运行，也算进了这个数。"),
    step: ["Wait before the first reading, too.", "第一次读时钟之前也等待。"],
    better: (f) => before(f.lines, f.span.lines[0], "cudaDeviceSynchronize();") },
  { cause: "first_launch", structural: true, when: (f) => f.share("load") > 0.001,
    words: () => say("The first launch is in the number. It loads the kernel's code.",
      "数里有首次启动，它要加载核函数。"),
    step: ["Warm up: launch the kernel once before, and wait.", "预热：先启动一次并等待。"],
    better: (f) => before(f.lines, f.run.starts.filter((line) => line <= f.span.lines[0] && !/cudaMemset/.test(f.lines[line - 2])).pop(), `${launchText(f)}  // warm up\ncudaDeviceSynchronize();`) },
  { cause: "clock_climbs", structural: true, when: (f) => f.share("clock") > 0.01,
    words: () => say("The GPU was idle before. Its clock has fallen, and climbs again while the GPU works: here the kernel still runs slowly.",
      "之前 GPU 空闲，时钟已降低，GPU 工作时才逐渐爬升：这里核函数还运行得慢。"), step: ["Warm up for longer: until the clock is full.", "预热更久：直到时钟满速。"],
    better: (f) => before(f.lines, f.span.lines[0], WARM_LONG.trim()) },
  { cause: "reset_inside", structural: true, when: (f) => f.resets.length && f.share("copy") > 0.001,
    words: () => say("A reset is in the number: cudaMemset is work of the GPU, too. It belongs before the start, in each iteration.",
      "数里有清零：cudaMemset 也是 GPU 的工作。它应在每次迭代开始计时之前。"), step: ["Reset before the start.", "开始计时之前清零。"],
    better: (f) => f.lines.some((line) => /<<<|cudaMemset/.test(line) && /[;{}].*[;{}]/.test(bare(line))) ? blockedLines(f, PRINT) // they share a line
      : new Set(f.resets).size < f.resets.length ? eventsInstead(f, true) : copyOutside(f) },
  { cause: "copy_inside", structural: true, when: (f) => f.share("copy") > 0.001,
    words: () => say("A copy is in the number.", "数里有拷贝。"), step: ["Copy outside.", "拷贝移到外面。"],
    better: copyOutside },
  { cause: "two_kernels", structural: true, when: (f) => f.isMixed,
    words: (f) => f.isTogether ? say(`The number holds ${f.launches.length} launches of different kernels, and the error is against their sum. To time one of them, put the stopwatch around it alone.`,
        `这个数包含不同核函数的 ${f.launches.length} 次启动，误差相对于它们之和。要测其中一个，请只给它计时。`)
      : say(`${f.launches.length} launches, of different kernels or in different streams, share this number: none of them has a time of its own in it.`,
        `${f.launches.length} 次启动（不同核函数或不同流）共用一个数：分不出各自的时间。`) },
  { cause: "not_divided", structural: true, when: (f) => f.per > 1.5,
    words: (f) => say(`The number holds ${f.launches.length} launches.`, `这个数包含 ${f.launches.length} 次启动。`), step: ["Divide by the launches.", "除以启动次数。"],
    better: (f) => replaced(f.lines, f.number.line, (line) => line.replace(/,\s*(.*)\)\s*;/, `, ($1) / ${countOf(f)});`)) },
  { cause: "divided_too_often", structural: true, when: (f) => f.per < 0.67 && f.launches.length >= 1,
    words: (f) => say(`The number is divided by more launches than the ${f.launches.length} that are in it.`, `除数大于其中的启动次数 ${f.launches.length}。`) },
  { cause: "launch_bound", when: (f) => f.inside.length > 1 && (f.share("launch") + f.share("gap") > 0.3),
    words: () => say("The kernels are shorter than the host's launch calls, so the GPU waits again and again: this is the launch overhead (launch-bound).",
      "核函数比主机的启动调用还短，GPU 一再等待：这其实是启动调用的开销。"),
    step: ["Queue the launches behind a blocker.", "把各次启动排在阻塞核函数之后。"],
    better: (f) => blockedLines(f, PRINT) && blockedLines(f, PRINT.replace("1000", `1000 / ${countOf(f)}`)).replace(/(start, \w+\);\n)(.*)\n/, `$1for (int i = 0; i < ${countOf(f)}; i++)\n  $2\n`) },
  { cause: "processor_time", when: (f) => f.span.by === "cpu" && f.off,
    words: () => say("clock() counts the processor time of the host's program, in whole us here. It holds the kernel only because the host waits busily; a host that sleeps would not be counted.",
      "clock() 计的是主机程序的处理器时间，这里只计整微秒。因为主机忙等，核函数才在数里；主机若休眠则不计。"),
    step: ["Use two events.", "用两个事件。"],
    better: (f) => eventsInstead(f) },
  { cause: "way", when: (f) => f.span.by !== "device" && f.off,
    words: () => say("The launch overhead, the launch latency and the host's wake-up are in the number. For a long kernel they do not matter; here they do.",
      "数里有启动调用、启动延迟和主机的唤醒。核函数很长就无所谓，这里则不行。"), step: ["Use two events: no latency, no wake-up.", "用两个事件：没有延迟和唤醒。"],
    better: (f) => eventsInstead(f) ?? blockedLines(f, PRINT) },
  { cause: "gap", when: (f) => f.share("gap") > 0 && f.off,
    words: (f) => say("The GPU does the start event at once, and then waits until the launch has come from the host: the gap.",
      "GPU 立刻执行 start 事件，然后等主机的启动到达：空隙。") +
      (f.isRepeated ? say(" Repeating does not remove it: the median and the mean of many runs hold it, too.", "重复测量不能去掉它：多次运行的中位数和平均值也都包含它。") : ""),
    step: ["Queue it behind a blocker: a kernel that holds the GPU until all is queued.", "排在阻塞核函数之后：它占住 GPU，直到全部排好队。"],
    better: (f) => blockedLines(f, PRINT) },
  { cause: "event_overhead", when: (f) => f.share("event") > 0 && f.off,
    words: () => say("The events' own cost is in the number.", "数里有事件本身的开销。"),
    step: ["Subtract the event overhead: time an empty pair in the same way.", "减去事件开销：用同样的方法测一对空事件。"],
    better: (f) => blockedLines(f, FLOOR) },
  { cause: "not_the_code", when: (f) => f.off && f.target === "code",
    words: () => say("This is the kernel's duration on the GPU. To get its code alone, subtract the time of an empty kernel (chapter 04, three_times).",
      "这是核函数在 GPU 上的持续时间。只要代码部分，请减去空核函数的时间（第 04 章 three_times）。") },
  { cause: "other", when: (f) => f.off, words: () => say("It is some way off.", "有一定偏差。") },
  { cause: "none", when: () => true,
    words: (f) => say(f.share("blocks") + f.share("shell") > 0.99 ? "It is the kernel alone." : "Besides the kernel it holds little; for a shorter kernel that would be much.",
      f.share("blocks") + f.share("shell") > 0.99 ? "只有核函数。" : "除核函数外所含不多；核函数更短时则影响很大。") },
];

function factsOf(times, settings, text, run, target) {
  const number = run.number, parts = partsOf(run), { main, sums } = parts, span = main && main.span, weight = main ? Math.abs(main.weight) : 0;
  const kernels = run.machine.commands.filter((c) => c.kind === "kernel" && !c.gate);
  const held = ({ span }, commands = kernels) => {
    const limits = span.by === "device" ? [span.first.queued, span.last.queued] : [span.from, span.to];
    return commands.filter((c) => c.queued > Math.min(...limits) && c.queued <= Math.max(...limits));
  };
  // In the interval that is drawn; and in all intervals, if the number is their sum.
  const inside = main ? held(main) : [], resets = main ? held(main, run.machine.commands).filter((c) => c.isReset).map((c) => c.line) : [];
  const alike = main ? number.spans.filter((each) => each.weight * main.weight > 0) : [], launches = alike.flatMap((each) => held(each));
  const per = alike.reduce((sum, each) => sum + held(each).length * Math.abs(each.weight), 0);
  const kernel = inside[inside.length - 1] ?? kernels[kernels.length - 1];
  const ofSliders = { groups: settings.blocks, threads: Math.min(1024, settings.threads), work: settings.work };
  // A number that is 1,000 times too large or too small, perhaps of many launches.
  const counts = [1, settings.launches, inside.length].filter((n) => n > 0), isOne = (of) => Math.abs(of - 1) < 1e-3;
  const factor = !isOne(per) && [1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9].find((each) => counts.some((n) => isOne((weight * n) / each)));
  // Different kernels in one stream are one thing together, unless the unit is wrong.
  const differ = (of) => new Set(launches.map(of)).size > 1, isMixed = differ((c) => c.name) || differ((c) => c.stream), isTogether = isMixed && !differ((c) => c.stream) && !factor;
  const asked = isTogether ? launches.reduce((sum, c) => sum + askedOf(times, c)[target], 0) * Math.abs(main.weight) : askedOf(times, kernel ?? ofSliders)[target];
  const error = number && number.spans ? number.ns - asked : NaN;
  const ofKind = (kind) => sums.reduce((sum, each) => sum + (each.kind === kind ? each.ns : 0), 0);
  return { run, number, parts, sums, text, lines: text.split("\n"), span, inside, kernel, launchLine: kernel ? kernel.line : 0, target, asked, error,
    off: Math.abs(error) > 0.05 * asked, per, launches, resets, isMixed, isTogether, share: (kind) => Math.abs(ofKind(kind) / number.ns),
    failed: (name) => run.failed.find((each) => each.error === name && !(number && number.spans && name === "cudaErrorNotReady")),
    isRepeated: inside.length === 1 && kernels.filter((c) => c.line === kernel.line).length > 1,
    unitFactor: factor && (factor > 1 ? factor : Math.round(1 / factor)),
    rightUnit: factor && Object.keys(UNIT_NS).find((each) => Math.abs((UNIT_NS[each] * factor) / UNIT_NS[number.unit] - 1) < 1e-9),
    elsewhere: kernels.find((c) => c.stream && c.stream.apart && span && span.by === "device" && c.queued > span.first.queued) };
}

// Returns {verdict, cause, words, error, asked, text: the lines}, and what the page shows. If the lines can be better:
// `step`, what to do, and `better`, the answer for the better lines; which may have better ones, `steps` in all.
function advise(times, settings, text, target = "duration", steps = 6) {
  const run = new Runner(times, settings, text).run();
  if (!run.number) throw run.left ?? new Unknown(say('these lines print no number: printf("%.3f us", ...)', '这些行没有打印数字：printf("%.3f us", ...)'), text.split("\n").length);
  if (run.unknownCall && !run.machine.loaded.size) throw run.unknownCall; // it may be what launches
  const f = factsOf(times, settings, text, run, target), rule = RULES.find((each) => each.when(f)), off = Math.abs(f.error) / f.asked;
  const verdict = rule.always || !(off <= 0.5) ? "wrong" : off > 0.05 || (rule.structural && !(f.isTogether && rule.cause === "two_kernels")) ? "careful" : "right";
  const answer = { ...f, lastError: f.error, verdict, cause: rule.cause, words: rule.words(f) }, lines = steps && rule.better && rule.better(f);
  if (!lines || lines === text) return answer;
  try {
    const better = advise(times, settings, lines, target, steps - 1);
    const isBetter = rule.always ? better.verdict !== "wrong" || better.cause !== rule.cause : Math.abs(better.lastError) < Math.abs(f.error);
    return isBetter ? { ...answer, lastError: better.lastError, step: say(...rule.step), better } : answer;
  } catch (error) {
    if (!(error instanceof Unknown || error instanceof Stopped)) throw error;
    return answer;
  }
}
