// SPDX-License-Identifier: MIT
// Two drawings. The time line: the stopwatch's interval on top, coloured as the list of its parts, then the host, then
// the GPU's streams. And the waves of a kernel's blocks on the SMs.
"use strict";

function element(name, attributes, parent, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

const boxNames = () => ({
  launch: say("launch call", "启动调用"), load: say("loads", "加载"), driver: say("driver starts", "驱动启动"),
  wait: say("waits", "等待"), way: say("latency", "延迟"), wake: say("wakes up", "醒来"), blocks: say("kernel", "核函数"),
  clock: say("slow clock", "时钟慢"), earlier: say("earlier kernel", "之前的"), blocker: say("hold", "占住"),
  gap: say("gap", "空隙"), copy: say("copy", "拷贝"), sleep: say("sleeps", "休眠"), shell: say("prep.", "准备"),
  event: say("event", "事件"), host: say("call", "调用"),
  ofHost: { clock: say("clock", "时钟"), sync: say("sync", "同步"), record: "record" }
});

// What is drawn: from a little before the interval to the end of what was launched in it.
function lengthOf({ run, parts: { main } }) {
  const { commands, host } = run.machine, span = main ? main.span : { from: 0, to: host };
  const shift = main ? halfOf(span) : 0, low = Math.min(span.from, span.to) - shift,
    high = Math.max(span.from, span.to) - shift;
  let from = low, to = high;
  for (const c of commands) {
    if (c.queued > low && c.queued <= high && c.end > to) to = Math.min(c.end, low + 8 * (high - low));
    if (c.hold && c.end > low - 3000 && c.end <= low + 1e3) from = Math.min(from, c.end - 3000);
  }
  const room = (to - from) * 0.05 + 1;
  return { low, high, from: from - room, to: to + room, length: to - from + 2 * room };
}

// `length`: of the longest drawing beside it
function drawTime(svg, answer, length = 0) {
  const { run, parts } = answer, { main, pieces } = parts, { calls, commands } = run.machine, span = main && main.span;
  const shown = lengthOf(answer), { low, high, from } = shown;
  const to = length < 3 * shown.length ? from + length : shown.to;
  svg.replaceChildren();
  const width = Math.max(300, svg.clientWidth || 300), left = 2, right = width - 2;
  const x = (ns) => Math.min(right, Math.max(left, left + ((ns - from) / (to - from)) * (right - left)));
  const seen = commands.filter((c) => c.end >= from && c.begin <= to);
  const streams = seen.length ? [...new Set(seen.map((c) => c.stream))] : [null];
  const BAND = 18, HOST = 68, GPU = 124, HIGH = 24, gpuRow = (stream) => GPU + streams.indexOf(stream) * 64;
  const height = GPU + streams.length * 64;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const names = boxNames(), drawn = {};
  const box = (a, b, y, kind, text, title) => {
    if (b < from || a > to || (x(b) - x(a) < 1 && x(b) - (drawn[y] ?? -9) < 1)) return; // one pixel has room for one
    drawn[y] = x(b);
    const w = Math.max(x(b) - x(a) - 0.5, 0.7), g = w < 5 ? svg : element("g", {}, svg);
    element("rect", { x: x(a), y, width: w, height: HIGH, rx: Math.min(3, w / 3), style: `fill: var(--${kind})`,
      class: /blocks|earlier/.test(kind) ? "strong" : /wait|host|blocker|sleep/.test(kind) ? "" : "bright" }, g);
    if (w < 5) return;
    const room = [...(text ?? "")].reduce((sum, letter) => sum + (letter > "\u2e80" ? 12.5 : 6.6), 4); // or Chinese
    if (text && w > room) element("text", { x: x(a) + w / 2, y: y + 16.5, class: "middle" }, g, text);
    element("title", {}, g, `${title ?? text}: ${us(b - a)}`);
  };
  element("rect", { x: x(low), y: BAND, width: Math.max(1, x(high) - x(low)), height: height - BAND - 22,
    class: "interval" }, svg);
  for (const at of [low, high])
    element("line", { x1: x(at), x2: x(at), y1: BAND, y2: height - 22, class: "edge" }, svg);
  const spans = (run.number && run.number.spans) ?? [], nth = spans.indexOf(main) + 1;
  const less = spans.length > 1 && spans.find((each) => each.weight < 0);
  const minus = less && us(less.span.to - less.span.from);
  const by = main && main.weight < 0.9 && answer.cause !== "wrong_unit" ? Math.round(1 / main.weight) : 0;
  const more = less ? say(`, minus ${minus}`, `，减去 ${minus}`)
    : spans.length > 1 ? say(`, number ${nth} of ${spans.length}`, `，${spans.length} 次中的第 ${nth} 次`)
    : by ? say(`, divided by ${by}`, `，除以 ${by}`) : "";
  const rest = parts.sums.find((each) => each.kind === "rounding");
  const error = rest ? say(", plus ", "，加上") + say(...rest.words).split(/[:：]/)[0] : "";
  if (main)
    element("text", { x: left, y: 12, class: "row" }, svg, say("the interval: ", "计时区间：") + us(high - low) + more + error);
  const textOf = ({ kind, command }) => (command && command.isReset ? "memset" : names[kind]);
  for (const p of pieces) box(p.from, p.to, BAND, p.kind, textOf(p), say(...KINDS[p.kind]));

  element("text", { x: left, y: HOST - 5, class: "row" }, svg, say("host", "主机"));
  for (const { kind, from: a, to: b } of calls)
    box(a, b, HOST, HOST_KIND[kind] ?? (kind === "wait" ? kind : "host"), names.ofHost[kind] ?? names[kind], kind);

  streams.forEach((stream) => {
    const y = gpuRow(stream);
    const name = stream ? `'${stream.name}'` : say("default stream", "默认流");
    element("text", { x: left, y: y - 5, class: "row" }, svg, streams.length === 1 ? "GPU" : `GPU, ${name}`);
    element("line", { x1: left, x2: right, y1: y + HIGH, y2: y + HIGH, class: "ground" }, svg);
  });
  const onPath = new Set(pieces.filter((p) => p.kind === "way" && p.command).map((p) => p.command)), flags = [];
  for (const c of seen) {
    const y = gpuRow(c.stream);
    if (c.kind === "kernel") {
      const way = `M${x(c.queued)} ${HOST + HIGH}L${x(c.begin)} ${y}`, isOnPath = onPath.has(c);
      if (c.queued >= from && seen.length < 40)
        element("path", { d: way, class: isOnPath ? "arrow path" : "arrow" }, svg);
      const kind = span && isBlocker(c, span) ? "blocker"
        : pieces.some((p) => p.kind === "earlier" && p.command === c) ? "earlier" : "blocks";
      box(c.begin, c.codeBegin, y, "shell", names.shell, say("preparation", "准备"));
      const ms = c.codeBegin < from ? `, ${+((c.codeEnd - c.codeBegin) / 1e6).toFixed(1)} ms` : ""; // not all of it is seen
      box(c.codeBegin, c.codeEnd, y, kind, names[kind] + ms, `${c.label}<<<${c.groups}, ${c.threads}>>>`);
      box(c.codeEnd, c.end, y, "shell", "", say("drain", "排空"));
    } else if (c.kind === "event") {
      box(c.begin, c.end, y, "event", "", `${say("event", "事件")} ${c.name}`);
      const middle = x((c.begin + c.end) / 2); // the stamp
      element("line", { x1: middle, x2: middle, y1: y - 3, y2: y + HIGH + 6, class: "flag" }, svg);
      const at = Math.min(Math.max(middle, 16), right - 16);
      if (!flags.some((other) => Math.abs(other - at) < 34))
        element("text", { x: at, y: y + HIGH + 17, class: "middle quiet" }, svg, c.name);
      flags.push(at);
    } else if (c.kind === "copy") box(c.begin, c.end, y, "copy", c.isReset ? "memset" : names.copy);
  }
  for (const p of pieces.filter(({ kind }) => kind === "gap"))
    box(p.from, p.to, gpuRow(span.last.stream), "gap", names.gap, say("the GPU waits", "GPU 在等"));
  const usWide = (1000 * (right - left)) / (to - from);
  const nice = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((each) => each * usWide > 40) ?? 10000;
  const begin = right - nice * usWide;
  element("path", { d: `M${begin} ${height - 12}v5H${right - 1}v-5`, class: "scale" }, svg);
  element("text", { x: begin - 6, y: height - 4, class: "end quiet" }, svg, `${nice} us`);
  const holds = parts.sums.map((each) => `${say(...each.words)} ${us(each.ns)}`).join("; ");
  svg.setAttribute("aria-label", say(`time line of the host and the GPU; the interval holds ${holds}`,
    `主机与 GPU 的时间线；计时区间包含：${holds}`));
}

// Each wave as high as the part of the places that it fills.
function drawWaves(svg, T, { groups, threads, work }) {
  const width = Math.max(260, svg.clientWidth || 260), HIGH = 70, places = placesFor(T, threads),
    waves = Math.ceil(groups / places), shown = Math.min(waves, 30);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${HIGH + 2}`);
  svg.setAttribute("height", HIGH + 2);
  element("rect", { x: 0.5, y: 0.5, width: width - 1, height: HIGH, class: "frame" }, svg);
  for (let i = 0; i < shown; i++) {
    const blocks = i === shown - 1 ? groups - (waves - 1) * places : places, w = width / Math.max(shown, 2.5),
      h = Math.max(1.5, (HIGH * blocks) / places), g = element("g", {}, svg);
    element("rect", { x: i * w + 1, y: HIGH - h, width: w - 2, height: h, style: "fill: var(--blocks)" }, g);
    element("title", {}, g, `${blocks} / ${places}`);
  }
  const last = groups - (waves - 1) * places, percent = Math.round((100 * last) / places);
  const number = (of) => of.toLocaleString("en"), all = us(blocksTake(T, { groups, threads, work }));
  const at = number(places), count = number(groups), each = places / T.units;
  return say(`${T.units} SMs hold ${each} such blocks each, ${at} at once. ${count} blocks are ${waves === 1 ? "one wave"
    : `${waves} waves`}, and the last wave fills ${percent} % of the places. All blocks: ${all}.`,
    `${T.units} 个 SM 各容纳 ${each} 个这样的块，同时 ${at} 个。${count} 个块分 ${waves} 波，最后一波占 ${percent} %。全部块共 ${all}。`);
}
