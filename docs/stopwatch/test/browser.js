// SPDX-License-Identifier: MIT
// What somebody does on the page, and what it shows then: browser.py adds this to the page.
"use strict";

const shown = [];
function look(what) {
  const text = (id, part) => { const found = $(id).querySelector(part); return found && !$(id).hidden ? found.textContent : "-"; };
  const boxes = [...$("mine").querySelectorAll(".drawing rect")].filter((each) => each.getAttribute("y") === "18" && each.getAttribute("class") !== "interval").length;
  shown.push(`${what}: ${text("mine", ".number")}, ${text("mine", ".verdict b")} better ${text("better", ".number")} pinned ${text("pinned", ".number")}; band ${boxes}`);
}
const click = (id, i = -1) => (i < 0 ? $(id) : $(id).querySelectorAll("button")[i]).click();
const rowAt = (i) => $("lines").children[i];
const put = (area, value) => { area.value = value; area.dispatchEvent(new Event("input")); update(); };
const slide = (id, value) => put($(id), value);
const choose = (name) => document.querySelector(`[data-name=${name}]`).click();

look("opened");
for (const place of ["file:///suite/docs/stopwatch/index.html", "http://host/sub/docs/stopwatch/", "http://host/sub/stopwatch/",
  "https://me.github.io/suite/docs/stopwatch/", "https://me.github.io/suite/stopwatch/index.html", "https://me.github.io/docs/stopwatch/"])
  shown.push(`README.md from ${place}: ${placeOf("README.md", new URL(place))}`);
const isShown = (each) => {
  choose(each.name);
  const answer = advise(TIMES, settingsNow(), each.text), { better, number } = answer, now = (id) => $(id).querySelector(".number").textContent;
  return now("mine") === us(number.ns) && $("better").hidden === !better && $("mine").querySelectorAll(".parts li").length >= answer.sums.length;
};
shown.push(`${EXAMPLES.filter(isShown).length} of ${EXAMPLES.length} examples show their number`);
choose("host_sync");
slide("launches", 3);
rowAt(4 - 1).querySelector("input").focus();
rowAt(5 - 1).querySelector("input").click();
look("line 5 off");
rowAt(5 - 1).querySelector("input").click();
rowAt(5 - 1).querySelectorAll("button")[1].click();
look("line 5 moved down");
put(rowAt(0).querySelector("textarea"), "kernel<<<7, 33>>>();");
look("line 1 edited");
put(rowAt(0).querySelector("textarea"), "cudaEventRecord(begin);\nmy_kernel<<<grid, block>>>(x, 2);\ncudaEventRecord(end);\ncudaEventSynchronize(end);\nfloat t;\ncudaEventElapsedTime(&t, begin, end);\nprintf(\"%f ms\\n\", t);");
look("lines pasted into line 1");
shown.push(`notes: ${[...document.querySelectorAll(".note")].slice(0, 3).map((each) => each.textContent).join(" | ")}`);
for (const pasted of ["a;\nb", "a;\nb;\nc;"]) { // as a browser does it that pastes line by line
  $("lines").querySelector("textarea").value = pasted;
  $("lines").querySelector("textarea").dispatchEvent(new Event("input"));
}
update();
shown.push(`pasted line by line: ${lines.slice(0, 4).map((line) => line.text).join(" ")}`);
choose("event");
put(rowAt(3).querySelector("textarea"), "#define LAUNCH     \\\n  kernel<<<2000, 256>>>()\nLAUNCH;");
shown.push($("waves-text").textContent, [...$("better-lines").children].find((each) => /LAUNCH/.test(each.textContent)).textContent);
click("add");
put(rowAt(lines.length - 1).querySelector("textarea"), "cudaFoo(1);");
choose("event");
put(rowAt(2).querySelector("textarea"), "cudaGraphLaunch(graph, 0);");
shown.push(`refused: ${$("mine").querySelector(".verdict").textContent}; in line ${[...$("lines").children].findIndex((each) => each.className === "bad") + 1}; parts: ${$("mine").querySelector(".parts").textContent}`);
look("refused");
click("paste");
click("paste"); // it stays open
put($("area"), "double t0 = now();\nkernel<<<blocks, threads>>>();\ndouble t1 = now();\nprintf(\"%.3f us\", (t1 - t0) * 1e6);");
look("edited as text");
choose("event"); // it closes the editor, and one's own lines stay
shown.push(`the editor is closed: ${$("area").hidden}`);
click("back");
look("back to one's own");
put(rowAt(0).querySelector("textarea"), "cudaMalloc();");
look("no argument");
shown.push($("mine").querySelector(".verdict").textContent);
choose("event");
put(rowAt(7).querySelector("textarea"), 'printf("%.3f us", ms * 1000); printf("%.3f us", ms * 2000);');
look("two numbers");
$("mine").querySelector("select").selectedIndex = 1;
$("mine").querySelector("select").onchange();
look("the second one");
const stops = [...document.querySelectorAll("a[href], button, input, select, textarea")].filter((each) => each.tabIndex >= 0 && each.offsetParent);
shown.push(`the code is tab stop ${stops.indexOf(rowAt(0).querySelector("input")) + 1}; empty links: ${document.querySelectorAll("a:not([href])").length - !$("chapter").hasAttribute("href")}`);
const broken = advise;
advise = () => { throw new TypeError("broken"); };
update();
look("a fault of the page");
advise = broken;
update();
click("as-text");
click("as-text");
choose("host_no_sync");
click("take");
look("taken, which is right");
choose("host_no_sync");
shown.push(`steps: ${[...$("steps").children].map((each) => each.innerText.replace(/\s*\n\s*/g, " ")).join(" | ")}`);
click("steps", 0);
look("the first step");
shown.push($("better").querySelector(".verdict").textContent);
click("take");
look("taken");
click("pin");
slide("blocks", 400);
look("pinned, then 10,000 blocks");
shown.push($("waves-text").textContent);
click("unpin");
slide("threads", 11);
look("2,048 threads");
slide("threads", 8);
slide("blocks", 212);
$("target").value = "code";
$("target").onchange();
look("the code asked for");
shown.push($("mine").querySelector(".error").textContent);
choose("event_blocked");
shown.push([...$("mine").querySelectorAll("svg text")].map((each) => each.textContent).join(" | "));
click("language");
shown.push(`${document.documentElement.lang}: ${$("mine").querySelector(".verdict").textContent} ${document.querySelector("h1").innerText} ${$("chapter").getAttribute("href")}`);
click("language");
put(rowAt(0).querySelector("textarea"), "// nothing");
shown.push(`the address holds the lines: ${new URLSearchParams(address().slice(1)).get("text").split("\n").length}`);
let updates = 0;
for (const each of EXAMPLES) { // each line off in turn: an exception would end this script
  choose(each.name);
  lines.forEach((line) => { line.on = false; update(); line.on = true; updates++; });
}
shown.push(`${updates} lines switched off`);
const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
shown.push(`wider than the window: ${wide}`);
document.body.append(made("pre", { id: "shown", textContent: shown.join("\n") }));
