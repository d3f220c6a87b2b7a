// Code in colours, by speed-highlight (github.com/speed-highlight/core, 2.1.0, CC0-1.0), whose files are in highlight/ as
// they are published. It tells tokens; here they become elements, so that nothing is read as HTML.

import { element } from "./elements.js";
import bash from "./highlight/bash.js";
import js from "./highlight/js.js";
import json from "./highlight/json.js";
import py from "./highlight/py.js";
import sql from "./highlight/sql.js";
import { tokenizeWith } from "./highlight/tokenize.js";
import ts from "./highlight/ts.js";

const languages = { bash, js, json, py, sql, ts };
const MOST = 20_000; // characters that are coloured
// AVAP has the comments, strings and calls of JavaScript.
const NAMES = { avap: "js", javascript: "js", jsx: "js", typescript: "ts", tsx: "ts", python: "py", sh: "bash", shell: "bash" };

// Puts `code` into a node, coloured where its language is known.
export function highlight(node, code, language) {
  const grammar = languages[NAMES[language] || language];
  if (!grammar || code.length > MOST) return;
  const parts = [];
  tokenizeWith(code, grammar, (text, type) => parts.push(type ? element("span", { class: `code-${type}` }, text) : text), { languages });
  node.replaceChildren(...parts);
}
