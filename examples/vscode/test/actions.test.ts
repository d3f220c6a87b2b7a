import assert from "node:assert/strict";
import { test } from "node:test";

import { around, changesCode, codeOf, questionOf, type Action } from "../src/actions.js";

const ACTIONS: Action[] = ["explain", "refactor", "problems", "document"];

test("every action has a question in each language, with the selection and the file", () => {
  for (const language of ["en", "es-MX", "de"]) {
    const asked = new Set(ACTIONS.map((action) => questionOf(action, "x = 1", "y = 0\nx = 1", language).query));
    assert.equal(asked.size, ACTIONS.length);
  }
  const question = questionOf("explain", "x = 1", "y = 0\nx = 1", "es");
  assert.match(question.query, /Explica/);
  assert.equal(question.selected_text, "x = 1");
  assert.equal(question.editor_content, "y = 0\nx = 1");
  assert.equal(question.query_type, undefined);
});

test("only what is asked to change code may replace it", () => {
  assert.deepEqual(ACTIONS.filter(changesCode), ["refactor", "document"]);
});

test("a long file goes along as what stands around the selection", () => {
  const file = `${"a".repeat(50_000)}needle${"b".repeat(50_000)}`;
  const sent = around(file, "needle");
  assert.equal(sent.length, 32_000);
  assert.ok(sent.includes("needle"));
  assert.equal(around(file, "aaa").length, 32_000);
  assert.ok(around(`${file}end`, "end").endsWith("end"));
});

test("the code of an answer is its longest block", () => {
  assert.equal(codeOf("Use this:\n\n```py\na = 1\n```\n\nor\n\n```py\na = 1\nb = 2\n```\n"), "a = 1\nb = 2\n");
  assert.equal(codeOf("~~~\nplain\n~~~"), "plain\n");
  assert.equal(codeOf("````md\n```\ninner\n```\n````"), "```\ninner\n```\n");
});

test("words, inline code and quotations of documents are no code to be taken over", () => {
  assert.equal(codeOf("Use `addVar`."), undefined);
  assert.equal(codeOf("```\nunfinished"), undefined);
  assert.equal(codeOf("For example:\n\n```avap\naddVar(a, 1)\n```\n\n[1]"), undefined);
});
