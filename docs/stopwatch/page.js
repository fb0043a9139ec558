// SPDX-License-Identifier: MIT
// The page: lines that can be edited, switched off and moved, sliders, and what follows from them.
"use strict";

const $ = (id) => document.getElementById(id);
const N_OF = [1, 2, 5, 10, 20, 50, 100, 200];
const SCALES = { work: (v) => 2 * Math.round(10 ** (v / 100) / 2), blocks: (v) => Math.round(10 ** (v / 100)),
  threads: (v) => 2 ** v, launches: (v) => N_OF[v], idle: (v) => v };
const START = { work: 400, blocks: 212, threads: 8, launches: 3, idle: 100 };
const TARGETS = {
  duration: ["the kernel duration, as Nsight Compute shows it", "核函数的持续时间（Nsight Compute 所示）"],
  code: ["the kernel's code alone, first to last instruction", "核函数的代码：第一条到最后一条指令"],
  row: ["the cost of one more launch, back-to-back", "连续启动时再加一次的开销"]
};
const TRUTHS = {
  duration: ["with all blocks, preparation and drain, the kernel takes", "加上所有块、准备和排空，核函数用时"],
  code: ["the code of all blocks takes", "所有块的代码用时"], row: ["one more launch costs", "再启动一次的开销是"],
  together: ["the kernels together take", "各核函数合计"]
};
const VERDICTS = { wrong: ["Wrong.", "错误。"], careful: ["Careful.", "当心。"], right: ["Right.", "正确。"] };
let own = null; // one's own lines, while an example is shown
let chosen = 0; // which of the printed times is judged
let step = Infinity; // on the way to the right lines: the last one, or which one?
let lines = [], example = null, pinned = null;

const ofSliders = (value) => Object.fromEntries(Object.keys(SCALES).map((name) => [name, value(name)]));
const settingsNow = () => ({ bytes: 100000, chosen, ...ofSliders((name) => SCALES[name](Number($(name).value))) });
const textNow = () => lines.map((line) => (line.on ? line.text : "")).join("\n");
const asText = () => lines.map((line) => (line.on ? "" : "//- ") + line.text).join("\n");
const fromText = (text) => hostLines(text).split("\n")
  .map((each) => ({ on: !each.startsWith("//- "), text: each.replace(/^\/\/- /, "") }));

function made(name, properties, ...children) {
  const one = Object.assign(document.createElement(name), properties);
  one.append(...children);
  return one;
}

// A file outside of docs/: on disk it stands beside it, GitHub shows it, and a host that has docs/ alone has none.
function placeOf(name, { hostname, pathname }) {
  const owner = /^(.*)\.github\.io$/.exec(hostname), of = pathname.replace(/(\/docs)?\/stopwatch\/[^/]*$/, "").slice(1);
  return owner ? `https://github.com/${owner[1]}/${of || hostname}/blob/HEAD/${name}`
    : /\/docs\/stopwatch\/[^/]*$/.test(pathname) ? `../../${name}` : null;
}

function link(a, name) {
  const place = name && placeOf(name, location);
  if (place) a.href = place;
  else a.removeAttribute("href");
  a.title = name || "";
}

// ---- The editor ----

// Each line as high as its text: first all are measured, then all are set.
function fit() {
  const areas = [...$("lines").querySelectorAll("textarea")];
  for (const area of areas) area.style.height = "auto";
  const heights = areas.map((area) => area.scrollHeight);
  areas.forEach((area, i) => { area.style.height = `${heights[i]}px`; });
}

// `focus`: the line and what in it has the focus then.
function showLines(focus = -1, what = "textarea") {
  $("lines").replaceChildren(...lines.map((line, i) => {
    const box = made("input", { type: "checkbox", checked: line.on,
      onchange: () => { line.on = box.checked; changed(i, "input"); } });
    box.setAttribute("aria-label", say(`line ${i + 1} is in the program`, `第 ${i + 1} 行在程序中`));
    const code = made("textarea", {
      rows: 1, value: line.text, spellcheck: false,
      oninput: () => {
        [line.text, example] = [hostLines(code.value), null];
        later();
      }
    });
    code.setAttribute("aria-label", say(`line ${i + 1}`, `第 ${i + 1} 行`));
    const move = (by, sign, words) => made("button", {
      className: by < 0 ? "up" : "down", textContent: sign, title: words, ariaLabel: words, disabled: !lines[i + by],
      onclick: () => {
        lines.splice(i + by, 0, lines.splice(i, 1)[0]);
        changed(i + by, lines[i + 2 * by] ? (by < 0 ? ".up" : ".down") : "button:not([disabled])");
      }
    });
    const arrows = made("span", {}, move(-1, "↑", say(`line ${i + 1} earlier`, `第 ${i + 1} 行上移`)),
      move(1, "↓", say(`line ${i + 1} later`, `第 ${i + 1} 行下移`)));
    return made("li", { className: line.on ? "" : "off" }, box, code, arrows);
  }));
  if (focus >= 0) $("lines").children[focus].querySelector(what).focus();
}

function changed(...focus) {
  [example, chosen, step] = [null, 0, Infinity];
  showLines(...focus);
  update();
}

// The key Enter, or pasted lines; a browser may paste them one by one, so this comes when all are there.
function split() {
  const i = lines.findIndex((line) => line.text.includes("\n"));
  if (i < 0) return;
  const parts = lines[i].text.split("\n").map((text) => ({ on: lines[i].on, text }));
  lines.splice(i, 1, ...parts);
  [chosen, step] = [0, Infinity];
  showLines(i + parts.length - 1);
}

function setText(text, of = null) {
  lines = fromText(text).filter((line) => line.text.trim());
  [example, chosen, step] = [of, 0, Infinity];
  showLines();
  update();
}

// ---- The answer ----

// "62 % too short", or nothing
function errorOf({ number, asked, error }) {
  const percent = Math.round((100 * Math.abs(error)) / asked), times = Number((number.ns / asked).toPrecision(2));
  if (!(number.ns > 0) || percent === 0) return "";
  if (times > 3) return say(`${times} times as long`, `是其 ${times} 倍`);
  return error > 0 ? say(`${percent} % too long`, `长了 ${percent} %`)
    : say(`${percent} % too short`, `短了 ${percent} %`);
}

// What GPUs took for these lines, if a record has them.
function measuredOf({ text, run: { settings: { work, idle } }, asked }) {
  const same = EXAMPLES.find((each) => each.text === text);
  const isLikeThat = idle === 100 && same && (same.chapter === 6 || (work === 10000 && asked < 12000));
  return ((isLikeThat && MEASURED[same.name]) || []).map(([device, date, kernel, ...found]) => {
    const [median, least, greatest] = found.map((each) => each.toFixed(2)), of = kernel === "spin_10us"
      ? say("a spin of 10 us", "10 us 的自旋核函数") : say(`a vector_add of ${kernel} us`, `${kernel} us 的 vector_add`);
    return made("p", { className: "measured", title: `${device}, ${date}` }, say("Measured: ", "测得：") +
      `${device.split(" ")[1]}, ${of}: ${median} (${least}–${greatest}) us`);
  });
}

// Several times are printed: which one is judged?
function choiceOf(card, { run }) {
  const times = run.printed.filter((each) => each.spans);
  if (card !== $("mine") || times.length < 2) return [];
  const choose = () => {
    [chosen, step] = [select.selectedIndex, Infinity];
    update();
    $("mine").querySelector("select").focus();
  };
  const select = made("select", { onchange: choose }, ...times.slice(0, 50).map((each, i) =>
    made("option", { selected: i === chosen }, say(
      `number ${i + 1} of ${times.length}, line ${each.line}: ${us(each.ns)}`,
      `第 ${i + 1}/${times.length} 个数，第 ${each.line} 行：${us(each.ns)}`))));
  select.setAttribute("aria-label", say("which printed number", "哪个打印的数"));
  return [select];
}

// What was taken for what: it stands with the number.
function notesOf({ notes }) {
  const named = notes.filter((each) => each.name), others = notes.filter((each) => !each.name)
    .map(({ line, text }) => say(`Line ${line}: ${text}.`, `第 ${line} 行：${text}。`));
  const kinds = [...new Set(named.map((each) => each.text))].map((text) => `${named.filter((each) => each.text === text)
    .map((each) => each.name).join(", ")} (${text})`);
  if (named.length) others.unshift(`${say("Not in these lines, so the page's: ", "这些行里没有，由本页提供：")}${kinds.join("; ")}.`);
  return others.map((each) => made("p", { className: "measured note" }, each));
}

function showAnswer(card, answer) {
  const { number, asked, verdict, words, parts } = answer, error = Math.round(answer.error), off = errorOf(answer);
  const signed = error ? ` (${error > 0 ? "+" : "−"}${us(Math.abs(error))})` : "";
  const isStep = card === $("better") && verdict !== "right" && off, code = us(answer.run.settings.work);
  const truth = TRUTHS[answer.isTogether ? "together" : answer.target];
  const printed = number.unit === "us" || !Number.isFinite(number.v) ? ""
    : `${say("printed as ", "打印为 ")}${number.shown} ${number.unit}${say("; ", "；")}`;
  card.querySelector(".answer").replaceChildren(
    made("div", { className: "figures" },
      made("span", { className: "number" }, Number.isFinite(number.ns) ? us(number.ns) : say("no number", "没有数")),
      made("span", { className: `error ${verdict}` }, off + signed),
      made("span", { className: "model" }, printed + say(
        `Computed by a model of an H200. A block's code takes ${code}; ${truth[0]} ${us(asked)}.`,
        `由 H200 的模型算得。每块的代码用时 ${code}；${truth[1]} ${us(asked)}。`))),
    ...choiceOf(card, answer), ...measuredOf(answer),
    made("p", { className: `verdict ${verdict}` },
      made("b", {}, isStep ? say(`On the way: ${off}.`, `途中：${off}。`) : say(...VERDICTS[verdict])),
      made("span", {}, words)), ...notesOf(answer.run));
  const row = (kind, words, ns) => made("li", { className: kind }, made("i", { style: `background: var(--${kind})` }),
    made("span", {}, words), made("b", {}, us(ns)));
  const rows = parts.sums.map(({ kind, count, ns, less, words: of }) => row(kind, say(...of) +
    (less ? say(`, ${us(less)} subtracted`, `，已减去 ${us(less)}`) : "") +
    (count > 1 ? say(`, of ${count} launches`, `，${count} 次启动`) : ""), ns));
  if (rows.length) rows.push(row("sum", say("the number", "这个数"), number.ns));
  if (rows.length && !parts.sums.some((each) => each.kind === "blocks"))
    rows.push(made("li", { className: "none" }, say("The kernel is not in it.", "其中没有核函数。")));
  card.querySelector(".parts").replaceChildren(...rows);
}

function update() {
  split();
  const settings = settingsNow(), text = textNow(), target = $("target").value;
  for (const name of Object.keys(SCALES)) $(`${name}-out`).textContent = name === "work" ? us(settings.work) :
    settings[name].toLocaleString("en") + (name === "idle" ? " %" : "");
  for (const each of examples())
    each.setAttribute("aria-pressed", !!example && each.dataset.name === example.name);
  oneStop();
  $("back").hidden = !own || !example;
  $("chapter").textContent = example ? say(`chapter 0${example.chapter}`, `第 0${example.chapter} 章`) +
    (example.isOurs ? "" : `: ${example.name}`) : "";
  link($("chapter"), example && `${CHAPTERS[example.chapter]}/README${language.chinese ? ".zh" : ""}.md`);
  for (const small of $("lines").querySelectorAll("small")) small.remove();
  for (const row of $("lines").children) row.classList.remove("bad");
  let answer = null;
  try {
    answer = advise(TIMES, settings, text, target);
    showAnswer($("mine"), answer);
  } catch (error) {
    // Whatever happened, no old number stays beside the new text.
    const isOurs = error instanceof Unknown, line = (isOurs && error.line) || 1;
    const words = isOurs ? error.message : say(
      `this page has a fault (${error.message}): take simulator/simcc`, `本页出错（${error.message}）：请用 simulator/simcc`);
    const row = $("lines").children[line - 1];
    if (row) row.append(made("small", {}, words));
    if (row) row.classList.add("bad");
    answer = null;
    $("mine").querySelector(".answer").replaceChildren(made("p", { className: "verdict wrong", role: "status" },
      made("b", {}, say(`Line ${line}:`, `第 ${line} 行：`)), made("span", {}, words)));
    for (const part of [".drawing", ".parts"]) $("mine").querySelector(part).replaceChildren();
  }
  const steps = [], drawn = new Map(answer ? [["mine", answer]] : []);
  for (let now = answer && answer.better; now; now = now.better) steps.push(now);
  const better = steps[Math.min(step, steps.length - 1)];
  $("better").hidden = !better;
  if (better) {
    const last = steps[steps.length - 1], isRight = last.verdict === "right";
    $("better-title").textContent =
      (isRight ? say("To the right number", "走向正确的数") : say("To a better number", "走向更好的数")) +
      (steps.length > 1 ? say(`, in ${steps.length} steps`, `，分 ${steps.length} 步`) : "");
    const choose = (i) => {
      step = i;
      update();
      $("steps").children[i].firstChild.focus();
    };
    $("steps").replaceChildren(...steps.map((each, i) => {
      const off = each.verdict === "right" ? say("right", "正确") : errorOf(each);
      const button = made("button", { onclick: () => choose(i) },
        made("span", {}, `${i + 1}. ${(i ? steps[i - 1] : answer).step}`), made("b", {}, us(each.number.ns)),
        made("span", { className: each.verdict }, off));
      button.setAttribute("aria-pressed", each === better);
      return made("li", {}, button);
    }));
    showAnswer($("better"), better);
    drawn.set("better", better);
    const old = text.split("\n").map((each) => each.trim());
    const isOld = (line) => old.includes(line) && !!old.splice(old.indexOf(line), 1);
    $("better-lines").replaceChildren(...better.text.split("\n").filter((each) => each.trim())
      .map((line) => made("div", { className: isOld(line.trim()) ? "" : "new" }, line.replace(/\s+\\$/, " \\"))));
    $("take").onclick = () => setText(better.text);
    const jump = isRight ? say("To the right lines: ", "看正确的写法：") : say("To better lines: ", "看更好的写法：");
    $("mine").querySelector(".verdict").append(made("button",
      { className: "jump", onclick: () => $("better").scrollIntoView() }, `${jump}${us(last.number.ns)} ↓`));
  }
  $("pinned").hidden = !pinned;
  if (pinned) {
    const { settings } = pinned;
    $("pinned-settings").textContent =
      `${us(settings.work)}, <<<${settings.blocks}, ${settings.threads}>>>, N = ${settings.launches}`;
    drawn.set("pinned", advise(TIMES, settings, pinned.text, target, 0)); // it was understood when it was pinned
    showAnswer($("pinned"), drawn.get("pinned"));
  }
  // Drawings that stand side by side have one scale, unless one of them would be small then.
  const longest = Math.max(...[...drawn.values()].map((each) => lengthOf(each).length));
  for (const [card, each] of drawn) drawTime($(card).querySelector(".drawing"), each, longest);
  $("pin").disabled = $("download").disabled = !answer;
  $("waves-text").textContent = drawWaves($("waves"), TIMES,
    (answer && answer.kernel) ?? kernelOf(settings));
  fit();
  clearTimeout(addressing);
  addressing = setTimeout(() => history.replaceState(null, "", address()), 400); // browsers refuse a hundred in a row
}

// What a link to this stopwatch ends with.
let addressing = 0;
const address = () => "#" + (example ? example.name
  : new URLSearchParams({ text: asText(), ...ofSliders((name) => $(name).value) }));

let waiting = 0;

function later() { // once for each picture, however often a slider moves
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(update);
}

// ---- The beginning ----

const examples = () => [...$("examples").querySelectorAll("button")];

function speak() {
  document.documentElement.lang = language.chinese ? "zh" : "en";
  $("language").textContent = language.chinese ? "English" : "中文";
  document.title = say("What is in my number?", "我测得的数字里有什么？");
  $("area").setAttribute("aria-label", say("the program as text", "程序文本"));
  examples().forEach((each, i) => { each.textContent = say(...EXAMPLES[i].words); });
  EXAMPLES.filter((each) => each.group).forEach((each, i) => {
    $("examples").children[i].firstChild.textContent = say(...each.group);
    $("examples").children[i].setAttribute("aria-label", say(...each.group));
  });
  [...$("target").options].forEach((each) => { each.textContent = say(...TARGETS[each.value]); });
  showLines();
  update();
}

function setSliders({ settings = {} }) {
  if (settings.launches) $("launches").value = N_OF.indexOf(settings.launches);
  $("idle").value = settings.idle ?? 100;
}

function showExample(of) {
  if (!example && asText().trim()) own = { text: asText(), sliders: ofSliders((name) => $(name).value) };
  $("area").hidden = true;
  $("lines").hidden = false;
  setSliders(of);
  setText(of.text, of);
}

// The arrows move among the examples, so that they are one stop of the key Tab.
function oneStop() {
  const all = examples(), now = all.find((each) => each.getAttribute("aria-pressed") === "true") ?? all[0];
  for (const each of all) each.tabIndex = each === now ? 0 : -1;
}

function moveAmong(event) {
  const all = examples(), by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  all[(all.indexOf(document.activeElement) + by + all.length) % all.length].focus();
}

function begin() {
  const asked = new URLSearchParams(location.hash.slice(1)),
    first = EXAMPLES.find((each) => "#" + each.name === location.hash) ?? EXAMPLES[0];
  for (const each of EXAMPLES) {
    if (each.group) $("examples").append(made("div", { role: "group" }, made("span")));
    const button = made("button", { title: each.name, onclick: () => showExample(each) });
    button.dataset.name = each.name;
    $("examples").lastChild.append(button);
  }
  for (const a of document.querySelectorAll('[href^="../../"]')) link(a, a.getAttribute("href").slice(6));
  $("target").append(...Object.keys(TARGETS).map((value) => made("option", { value })));
  for (const name of Object.keys(SCALES)) {
    $(name).value = asked.get(name) ?? START[name];
    $(name).oninput = later;
  }
  $("examples").onkeydown = moveAmong;
  $("back").onclick = () => {
    for (const [name, value] of Object.entries(own.sliders)) $(name).value = value;
    setText(own.text);
  };
  $("target").onchange = update;
  $("language").onclick = () => { language.chinese = !language.chinese; speak(); };
  $("add").onclick = () => { lines.push({ on: true, text: "" }); changed(lines.length - 1); };
  $("as-text").onclick = () => {
    const open = $("area").hidden;
    $("area").hidden = !open;
    $("lines").hidden = open;
    if (open) $("area").value = asText();
    if (open) $("area").select(); // so that what is pasted takes its place
    else fit();
  };
  $("paste").onclick = () => {
    if ($("area").hidden) $("as-text").click();
    $("area").scrollIntoView({ block: "center" });
  };
  const look = () => $("mine").querySelector(".answer").scrollIntoView({ block: "nearest" });
  $("mine").onpaste = () => setTimeout(look, 100); // when it is there
  $("area").oninput = () => {
    [lines, example] = [fromText($("area").value), null];
    showLines();
    later();
  };
  $("pin").onclick = () => { pinned = { text: textNow(), settings: settingsNow() }; update(); };
  $("unpin").onclick = () => { pinned = null; update(); };
  $("download").onclick = () => {
    const file = new Blob([wholeProgram(textNow(), settingsNow())], { type: "text/plain" });
    made("a", { href: URL.createObjectURL(file), download: "stopwatch.cu" }).click();
  };
  language.chinese = /^zh/.test(navigator.language || "");
  if (asked.get("text")) lines = fromText(asked.get("text"));
  else {
    setSliders(first);
    lines = fromText(first.text);
    example = first;
  }
  speak();
  const chosen = $("examples").querySelector("[aria-pressed=true]");
  if (chosen) chosen.scrollIntoView({ block: "nearest", inline: "nearest" });
  addEventListener("resize", later);
  addEventListener("hashchange", () => location.reload()); // a link to another stopwatch
}
begin();
