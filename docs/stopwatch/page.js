// SPDX-License-Identifier: MIT
// The page: lines that can be edited, switched off and moved, sliders, and what follows from them.
"use strict";

const $ = (id) => document.getElementById(id);
const N_OF = [1, 2, 5, 10, 20, 50, 100, 200];
const SCALES = { work: (v) => 2 * Math.round(10 ** (v / 100) / 2), blocks: (v) => Math.round(10 ** (v / 100)), threads: (v) => 2 ** v, launches: (v) => N_OF[v] };
const START = { work: 400, blocks: 212, threads: 8, launches: 3 };
const TARGETS = { duration: ["the kernel's duration on the GPU, as Nsight Compute shows it", "核函数在 GPU 上的持续时间（Nsight Compute 所示）"],
  code: ["the kernel's code alone, first to last instruction", "核函数的代码：第一条到最后一条指令"], row: ["the cost of one more launch, back-to-back", "连续启动时再加一次的开销"] };
const TRUTHS = { duration: ["the kernel takes", "核函数用时"], code: ["its code takes", "其代码用时"], row: ["one more launch costs", "再启动一次的开销是"] };
const VERDICTS = { wrong: ["Wrong.", "错误。"], careful: ["Careful.", "当心。"], right: ["Right.", "正确。"] };
let lines = [], example = null, pinned = null;

const ofSliders = (value) => Object.fromEntries(Object.keys(SCALES).map((name) => [name, value(name)]));
const settingsNow = () => ({ bytes: 100000, ...ofSliders((name) => SCALES[name](Number($(name).value))) });
const textNow = () => lines.map((line) => (line.on ? line.text : "")).join("\n");
const asText = () => lines.map((line) => (line.on ? "" : "//- ") + line.text).join("\n");
const fromText = (text) => hostLines(text).split("\n").map((each) => ({ on: !each.startsWith("//- "), text: each.replace(/^\/\/- /, "") }));

function made(name, properties, ...children) {
  const one = Object.assign(document.createElement(name), properties);
  one.append(...children);
  return one;
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
    const box = made("input", { type: "checkbox", checked: line.on, onchange: () => { line.on = box.checked; changed(i, "input"); } });
    box.setAttribute("aria-label", say(`line ${i + 1} is in the program`, `第 ${i + 1} 行在程序中`));
    const code = made("textarea", { rows: 1, value: line.text, spellcheck: false, oninput: () => {
      const parts = hostLines(code.value).split("\n");
      line.text = parts[0];
      if (parts.length > 1) { // the key Enter, or pasted lines
        lines.splice(i + 1, 0, ...parts.slice(1).map((text) => ({ on: true, text })));
        changed(i + parts.length - 1);
      } else {
        example = null;
        later();
      }
    } });
    code.setAttribute("aria-label", say(`line ${i + 1}`, `第 ${i + 1} 行`));
    const move = (by, sign, words) => made("button", { className: by < 0 ? "up" : "down", textContent: sign, title: words, ariaLabel: words, disabled: !lines[i + by], onclick: () => {
      lines.splice(i + by, 0, lines.splice(i, 1)[0]);
      changed(i + by, lines[i + 2 * by] ? (by < 0 ? ".up" : ".down") : "button:not([disabled])");
    } });
    const arrows = made("span", {}, move(-1, "↑", say(`line ${i + 1} earlier`, `第 ${i + 1} 行上移`)),
      move(1, "↓", say(`line ${i + 1} later`, `第 ${i + 1} 行下移`)));
    return made("li", { className: line.on ? "" : "off" }, box, code, arrows);
  }));
  if (focus >= 0) $("lines").children[focus].querySelector(what).focus();
}

function changed(...focus) {
  example = null;
  showLines(...focus);
  update();
}

function setText(text, of = null) {
  lines = fromText(text).filter((line) => line.text.trim());
  example = of;
  showLines();
  update();
}

// ---- The answer ----

function showAnswer(card, answer, measured = []) {
  const { number, asked, verdict, words, parts } = answer, error = Math.round(answer.error), percent = Math.round((100 * error) / asked);
  const sign = (of) => (of > 0 ? "+" : of < 0 ? "−" : "±");
  card.querySelector(".answer").replaceChildren(
    made("div", { className: "figures" }, made("span", { className: "number", textContent: Number.isFinite(number.ns) ? us(number.ns) : say("no number", "没有数") }),
      made("span", { className: `error ${verdict}`, textContent: Number.isFinite(error) ? `${sign(error)}${us(Math.abs(error))} (${sign(percent)}${Math.abs(percent)} %)` : "" }),
      made("span", { className: "model", textContent: (number.unit === "us" || !Number.isFinite(number.v) ? "" : say("printed as ", "打印为 ") + `${Number(number.v.toPrecision(5))} ${number.unit}${say("; ", "；")}`) +
        say(`${TRUTHS[answer.target][0]} ${us(asked)}. A model of an H200; nothing was measured.`, `${TRUTHS[answer.target][1]} ${us(asked)}。H200 的模型，并非测得。`) })),
    ...(measured.length ? [made("p", { className: "measured", title: measured.map((each) => each.slice(0, 2).join(", ")).join("; "), textContent:
      (measured[0][2] === "spin_10us" ? say("Measured around a spin of 10 us: ", "在 10 us 的自旋核函数上测得：") : say(`Measured, of a vector_add that takes ${measured[0][2]} us: `, `在耗时 ${measured[0][2]} us 的 vector_add 上测得：`))
      + measured.map(([device, , , median, least, most]) => `${device.split(" ")[1]} ${median.toFixed(2)} us (${least.toFixed(2)} – ${most.toFixed(2)})`).join(", ") })] : []),
    made("p", { className: `verdict ${verdict}` }, made("b", { textContent: say(...VERDICTS[verdict]) }), made("span", { textContent: words })));
  drawTime(card.querySelector(".drawing"), answer);
  const row = (kind, words, ns) => made("li", { className: kind }, made("i", { className: `k-${kind}` }), made("span", { textContent: words }), made("b", { textContent: us(ns) }));
  const rows = parts.sums.map(({ kind, count, ns }) => row(kind, say(...KINDS[kind]) + (count > 1 ? say(`, of ${count} launches`, `，${count} 次启动`) : ""), ns));
  if (rows.length) rows.push(row("sum", say("the number", "这个数"), number.ns));
  if (rows.length && !parts.sums.some((each) => each.kind === "blocks")) rows.push(made("li", { className: "none", textContent: say("The kernel is not in it.", "其中没有核函数。") }));
  card.querySelector(".parts").replaceChildren(...rows);
}

function update() {
  const settings = settingsNow(), text = textNow(), target = $("target").value;
  for (const name of Object.keys(SCALES)) $(`${name}-out`).textContent = name === "work" ? us(settings.work) : settings[name].toLocaleString("en");
  for (const each of $("examples").children) each.setAttribute("aria-pressed", !!example && each.dataset.name === example.name);
  $("chapter").textContent = example ? say(`chapter 0${example.chapter}`, `第 0${example.chapter} 章`) + (example.isOurs ? "" : `: ${example.name}`) : "";
  if (example) $("chapter").href = `../../${CHAPTERS[example.chapter]}/README${language.chinese ? ".zh" : ""}.md`;
  for (const small of $("lines").querySelectorAll("small")) small.remove();
  for (const row of $("lines").children) row.classList.remove("bad");
  const noteAt = (line, words, isBad) => {
    const row = $("lines").children[line - 1];
    if (row) row.append(made("small", { textContent: words }));
    if (row && isBad) row.classList.add("bad");
  };
  let answer = null;
  try {
    answer = advise(TIMES, settings, text, target);
    for (const note of answer.run.notes) noteAt(note.line, note.text);
    showAnswer($("mine"), answer, example && (settings.work === 10000 || example.chapter === 6) ? MEASURED[example.name] : []);
  } catch (error) {
    if (!(error instanceof Unknown || error instanceof Stopped)) throw error;
    noteAt(error.line, error.message, true);
    $("mine").querySelector(".answer").replaceChildren(made("p", { className: "verdict wrong", role: "status" },
      made("b", { textContent: say(`Line ${error.line}:`, `第 ${error.line} 行：`) }), made("span", { textContent: error.message })));
  }
  $("mine").classList.toggle("broken", !answer);
  const better = answer && answer.better;
  $("better").hidden = !better;
  if (better) {
    $("better-title").textContent = { right: say("The right lines:", "正确的写法："), careful: say("Better lines:", "更好的写法："), wrong: say("Better lines, but still wrong:", "更好但仍不对的写法：") }[better.verdict];
    showAnswer($("better"), better);
    const fixed = better.text.split("\n").filter((each) => each.trim()), trimmed = (all) => all.map((each) => each.trim());
    const isNew = newLines(trimmed(text.split("\n")), trimmed(fixed));
    $("better-lines").replaceChildren(...fixed.map((line, i) => made("div", { className: isNew[i] ? "new" : "", textContent: line })));
    $("take").onclick = () => setText(better.text);
  }
  $("pinned").hidden = !pinned;
  if (pinned) {
    const { settings } = pinned;
    $("pinned-settings").textContent = `${us(settings.work)}, <<<${settings.blocks}, ${settings.threads}>>>, N = ${settings.launches}`;
    showAnswer($("pinned"), advise(TIMES, settings, pinned.text, target, false));
  }
  $("pin").disabled = $("download").disabled = !answer;
  $("waves-text").textContent = drawWaves($("waves"), TIMES, { groups: settings.blocks, threads: Math.min(1024, settings.threads), work: settings.work });
  fit();
  clearTimeout(addressing);
  addressing = setTimeout(() => history.replaceState(null, "", address()), 400); // browsers refuse a hundred of these in a row
}

// What a link to this stopwatch ends with.
let addressing = 0;
const address = () => "#" + (example ? example.name : new URLSearchParams({ text: asText(), ...ofSliders((name) => $(name).value) }));

let waiting = 0;
function later() { // once for each picture, however often a slider moves
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(update);
}

// ---- The beginning ----

function speak() {
  document.documentElement.lang = language.chinese ? "zh" : "en";
  $("language").textContent = language.chinese ? "English" : "中文";
  document.title = say("What is in my number?", "我测得的数里有什么？");
  $("examples").setAttribute("aria-label", say("stopwatches of the chapters", "各章的计时方法"));
  $("area").setAttribute("aria-label", say("the program as text", "程序文本"));
  [...$("examples").children].forEach((each, i) => { each.textContent = say(...EXAMPLES[i].words); });
  [...$("target").options].forEach((each) => { each.textContent = say(...TARGETS[each.value]); });
  showLines();
  update();
}

function showExample(of) {
  if (of.settings) $("launches").value = N_OF.indexOf(of.settings.launches);
  setText(of.text, of);
}

function begin() {
  const asked = new URLSearchParams(location.hash.slice(1)), first = EXAMPLES.find((each) => "#" + each.name === location.hash) ?? EXAMPLES[0];
  $("examples").append(...EXAMPLES.map((each) => made("button", { title: each.name, onclick: () => showExample(each) })));
  EXAMPLES.forEach((each, i) => { $("examples").children[i].dataset.name = each.name; });
  $("target").append(...Object.keys(TARGETS).map((value) => made("option", { value })));
  for (const name of Object.keys(SCALES)) {
    $(name).value = asked.get(name) ?? START[name];
    $(name).oninput = later;
  }
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
  $("area").oninput = () => { lines = fromText($("area").value); example = null; showLines(); later(); };
  $("pin").onclick = () => { pinned = { text: textNow(), settings: settingsNow() }; update(); };
  $("unpin").onclick = () => { pinned = null; update(); };
  $("download").onclick = () => {
    const link = made("a", { href: URL.createObjectURL(new Blob([wholeProgram(textNow(), settingsNow())], { type: "text/plain" })), download: "stopwatch.cu" });
    link.click();
  };
  language.chinese = /^zh/.test(navigator.language || "");
  if (asked.get("text")) lines = fromText(asked.get("text"));
  else {
    if (first.settings) $("launches").value = N_OF.indexOf(first.settings.launches);
    lines = fromText(first.text);
    example = first;
  }
  speak();
  const chosen = $("examples").querySelector("[aria-pressed=true]");
  if (chosen) chosen.scrollIntoView({ block: "nearest", inline: "center" });
  addEventListener("resize", later);
  addEventListener("hashchange", () => location.reload()); // a link to another stopwatch
}
begin();
