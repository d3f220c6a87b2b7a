// The engine's RPCs by Connect in JSON. Source: connectrpc.com/docs/protocol.

const SERVICE = "/engine.v1.AssistanceService/";
const END = 0x02;
const PREFIX = 5; // one byte of flags, four of length
const MOST = 64 * 1024 * 1024; // bytes of one message that are still believed

// An error of the engine, or of the way to it; `code` is Connect's, "unreachable" where nothing answers.
export class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "RpcError";
    this.code = code;
  }
}

// A client. `base` is the engine's address, "" for that of the page; `key()` gives an API key, or nothing.
export function client(base, key = () => "") {
  async function ask(verb, path, headers, body, signal) {
    const bearer = key();
    if (bearer) headers.authorization = `Bearer ${bearer}`;
    try {
      return await fetch(base + path, { method: verb, headers, body, signal, credentials: "omit" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new RpcError("unreachable", "");
    }
  }

  function post(method, type, body, signal) {
    return ask("POST", SERVICE + method, { "content-type": type, "connect-protocol-version": "1" }, body, signal);
  }

  async function refused(response) {
    const said = await response.json().catch(() => ({}));
    return new RpcError(said.code || "unknown", said.message || `HTTP ${response.status}`);
  }

  return {
    // One message for one message.
    async call(method, message, signal) {
      const response = await post(method, "application/json", JSON.stringify(message), signal);
      if (!response.ok) throw await refused(response);
      return response.json();
    },

    // A file into the index.
    async upload(file) {
      const response = await ask("PUT", `/documents/${encodeURIComponent(file.name)}`, {}, file);
      if (!response.ok) throw await refused(response);
      return response.json();
    },

    // The messages of a stream, while they come.
    async *stream(method, message, signal) {
      const payload = new TextEncoder().encode(JSON.stringify(message));
      const response = await post(method, "application/connect+json", enveloped(payload), signal);
      if (!response.ok) throw await refused(response);
      for await (const [flags, text] of envelopes(response.body.getReader())) {
        const read = JSON.parse(text);
        if (!(flags & END)) {
          yield read;
          continue;
        }
        if (read.error) throw new RpcError(read.error.code, read.error.message || "");
        return;
      }
      throw new RpcError("unreachable", "");
    },
  };
}

function enveloped(payload) {
  const body = new Uint8Array(PREFIX + payload.length);
  new DataView(body.buffer).setUint32(1, payload.length);
  body.set(payload, PREFIX);
  return body;
}

async function* envelopes(reader) {
  let held = new Uint8Array(0);
  try {
    for (;;) {
      while (held.length >= PREFIX) {
        const length = new DataView(held.buffer, held.byteOffset).getUint32(1);
        if (length > MOST) throw new RpcError("internal", "");
        if (held.length < PREFIX + length) break;
        yield [held[0], new TextDecoder().decode(held.subarray(PREFIX, PREFIX + length))];
        held = held.subarray(PREFIX + length);
      }
      const { done, value } = await more(reader);
      if (done) return;
      const joined = new Uint8Array(held.length + value.length);
      joined.set(held);
      joined.set(value, held.length);
      held = joined;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function more(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RpcError("unreachable", "");
  }
}
