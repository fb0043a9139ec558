// SPDX-License-Identifier: MIT
// The page's scripts without a page, for the tests: load().Runner and the like.
const fs = require("fs"), path = require("path");
const SCRIPTS = ["words", "times", "machine", "reader", "run", "parts", "examples", "advice", "program"];
exports.load = () => {
  const source = SCRIPTS.map((name) => path.join(__dirname, "..", `${name}.js`)).filter(fs.existsSync)
    .map((file) => fs.readFileSync(file, "utf8")).join("\n");
  const names = [...source.matchAll(/^(?:class|const|function) (\w+)/gm)].map((found) => found[1]);
  return new Function(`${source}\nreturn { ${names.join(", ")} };`)();
};
