// SPDX-License-Identifier: MIT
// The page's two languages: say("in English", "中文") gives one of them. What stands in index.html stands there twice.
"use strict";

const language = { chinese: false };
function say(english, chinese) {
  return language.chinese ? chinese : english;
}
