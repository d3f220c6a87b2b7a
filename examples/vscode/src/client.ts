/** The engine's gRPC service. Knows nothing of the editor, so that it can be tested against a running engine alone. */

import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

export interface Citation {
  number: number;
  document: string;
  heading: string;
  text: string;
}

export interface Answer {
  text: string;
  session_id: string;
  turn_id: string;
  outcome: "COMPLETE" | "PARTIAL" | "FAILED" | "OUTCOME_UNSPECIFIED";
  citations: Citation[];
  searches: number;
  route: { type: string; layer: string; confidence: number; relation: string; reason: string } | null;
}

/** One event of an answer, in the names of the .proto file. */
export type AnswerEvent =
  | { event: "route"; route: NonNullable<Answer["route"]> }
  | { event: "progress"; progress: { stage: string; detail: string } }
  | { event: "sources"; sources: { sources: Citation[] } }
  | { event: "text_delta"; text_delta: string }
  | { event: "completed"; completed: Answer };

export interface Question {
  query: string;
  session_id?: string;
  editor_content?: string;
  selected_text?: string;
  query_type?: "RETRIEVAL" | "CODE_GENERATION" | "CONVERSATIONAL" | "PLATFORM";
}

export interface Options {
  address: string;
  /** Of the .proto file. */
  contract: string;
  tls?: boolean;
  /** An API key or a signed token; empty where the engine asks for none. */
  key?: string;
}

/** What a person is told of a failure: the engine's own words, which name what has to be mended. */
export class EngineError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Service extends grpc.Client {
  AskAgentStream(question: Question, metadata: grpc.Metadata): grpc.ClientReadableStream<AnswerEvent>;
}

/** One connection to an engine. */
export class EngineClient {
  private readonly service: Service;
  private readonly metadata = new grpc.Metadata();

  constructor(options: Options) {
    const definition = loadSync(options.contract, { keepCase: true, enums: String, defaults: true, oneofs: true });
    const loaded = grpc.loadPackageDefinition(definition) as unknown as {
      engine: { v1: { AssistanceService: new (address: string, credentials: grpc.ChannelCredentials) => Service } };
    };
    const credentials = options.tls ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
    this.service = new loaded.engine.v1.AssistanceService(options.address, credentials);
    if (options.key) this.metadata.set("authorization", `Bearer ${options.key}`);
  }

  /**
   * The events of one answer, as they come.
   *
   * Leaving the loop, or aborting `signal`, cancels the turn: the engine stores what was said as partial.
   *
   * @throws EngineError The engine has refused, or cannot be reached. An abort ends the events without an error.
   */
  async *ask(question: Question, signal?: AbortSignal): AsyncGenerator<AnswerEvent, void, undefined> {
    if (signal?.aborted) return;
    const call = this.service.AskAgentStream(question, this.metadata);
    const cancel = (): void => {
      call.cancel();
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      for await (const event of call) yield event as AnswerEvent;
    } catch (error) {
      if (signal?.aborted) return;
      throw told(error);
    } finally {
      signal?.removeEventListener("abort", cancel);
      call.cancel();
    }
  }

  close(): void {
    this.service.close();
  }
}

function told(error: unknown): EngineError {
  const { code, details } = error as Partial<grpc.ServiceError>;
  const name = code === undefined ? "UNKNOWN" : grpc.status[code];
  return new EngineError(name, details ?? String(error));
}
