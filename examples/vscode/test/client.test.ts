/** Against an engine that runs: TEST_ENGINE_ADDRESS is its gRPC address; without it these are skipped. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { EngineClient, EngineError, type Answer, type AnswerEvent, type Question } from "../src/client.js";

const address = process.env["TEST_ENGINE_ADDRESS"] ?? "";
const options = { skip: address ? false : "set TEST_ENGINE_ADDRESS to the gRPC address of a running engine", timeout: 90_000 };
const contract = join(__dirname, "..", "engine.proto");

async function using<T>(work: (client: EngineClient) => Promise<T>, at = address): Promise<T> {
  const client = new EngineClient({ address: at, contract });
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

async function whole(client: EngineClient, question: Question): Promise<{ answer: Answer; events: AnswerEvent[] }> {
  const events: AnswerEvent[] = [];
  for await (const event of client.ask(question)) events.push(event);
  const last = events.at(-1);
  assert.ok(last?.event === "completed");
  return { answer: last.completed, events };
}

test("an answer streams, and its deltas are its text", options, async () => {
  const { answer, events } = await using((client) => whole(client, { query: "What is addVar in AVAP?" }));
  const said = events.map((event) => (event.event === "text_delta" ? event.text_delta : "")).join("");
  assert.equal(said, answer.text);
  assert.ok(events.some((event) => event.event === "route"));
  assert.ok(events.some((event) => event.event === "text_delta"));
  assert.equal(answer.outcome, "COMPLETE");
  assert.equal(answer.route?.type, "RETRIEVAL");
  const [first] = answer.citations;
  assert.equal(first?.number, 1);
  assert.match(first.document, /variables\.md$/);
  assert.match(first.text, /addVar/);
});

test("a session remembers, and what is selected goes along", options, async () => {
  await using(async (client) => {
    const selected = "addVar(total, 0)\naddResult(total)";
    const { answer } = await whole(client, { query: "Explain the selected code.", selected_text: selected });
    assert.match(answer.text, /addVar|total/);
    const next = await whole(client, { query: "in fewer words", session_id: answer.session_id });
    assert.equal(next.answer.session_id, answer.session_id);
    assert.equal(next.answer.route?.type, "CONVERSATIONAL");
  });
});

test("an abort ends the events without an error, and the client goes on", options, async () => {
  await using(async (client) => {
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const event of client.ask({ query: "What is addParam in AVAP?" }, stop.signal)) {
      seen.push(event.event);
      stop.abort();
    }
    assert.ok(seen.length >= 1);
    assert.ok(!seen.includes("completed"));
    const { answer } = await whole(client, { query: "What is addVar in AVAP?" });
    assert.equal(answer.outcome, "COMPLETE");
  });
});

test("an abort before the question asks nothing", options, async () => {
  const events = await using(async (client) => {
    const found: AnswerEvent[] = [];
    for await (const event of client.ask({ query: "hi" }, AbortSignal.abort())) found.push(event);
    return found;
  });
  assert.deepEqual(events, []);
});

test("a refusal has the engine's code and words", options, async () => {
  await assert.rejects(
    using((client) => whole(client, { query: " " })),
    (error) => error instanceof EngineError && error.code === "INVALID_ARGUMENT" && error.message.startsWith("query: is empty"),
  );
});

test("an engine that does not run is told as such", { timeout: 90_000 }, async () => {
  await assert.rejects(
    using((client) => whole(client, { query: "hi" }), "127.0.0.1:1"),
    (error) => error instanceof EngineError && error.code === "UNAVAILABLE",
  );
});
