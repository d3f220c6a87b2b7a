// A streamed answer over Connect, without a library: `make run`, then `node examples/web/stream.mjs "How do I loop?"`.
import { client } from "../../engine/web/static/protocol.js";

const engine = client("http://127.0.0.1:8080", () => process.env.ENGINE_TOKEN || "");
const query = process.argv[2] || "What is addVar in AVAP?";
for await (const event of engine.stream("AskAgentStream", { query })) {
  if (event.textDelta) process.stdout.write(event.textDelta);
  if (event.completed) console.log(`\n\n${event.completed.route.type}, ${event.completed.citations.length} sources`);
}
