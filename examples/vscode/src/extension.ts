/** The extension: commands, the conversation, and code of an answer as a diff that a person may take over. */

import { join } from "node:path";
import * as vscode from "vscode";

import { around, changesCode, codeOf, questionOf, type Action } from "./actions.js";
import { EngineClient, EngineError, type Answer, type Question } from "./client.js";
import { Panel, type Done } from "./panel.js";

const KEY = "assistance.key";
const PROPOSED = "assistance-proposed";

/** Code that an answer offers in place of a selection. */
interface Proposal {
  target: vscode.Uri;
  range: vscode.Range;
  version: number;
  code: string;
}

class Conversation implements vscode.TextDocumentContentProvider {
  readonly panel: Panel;
  private session = "";
  private running: AbortController | undefined;
  private proposal: Proposal | undefined;

  constructor(private readonly context: vscode.ExtensionContext) {
    this.panel = new Panel(context.extensionUri, (done) => {
      void this.did(done);
    });
  }

  /** The file as it would be with the proposed code. */
  async provideTextDocumentContent(): Promise<string> {
    if (!this.proposal) return "";
    const { target, range, code } = this.proposal;
    const document = await vscode.workspace.openTextDocument(target);
    const text = document.getText();
    return text.slice(0, document.offsetAt(range.start)) + code.trimEnd() + text.slice(document.offsetAt(range.end));
  }

  async did(done: Done): Promise<void> {
    if (done.kind === "ask") await this.ask({ query: done.question, ...this.shownCode() }, done.question);
    if (done.kind === "stop") this.stop();
    if (done.kind === "diff") await this.diff();
  }

  async act(action: Action): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.selection.isEmpty) {
      void vscode.window.showInformationMessage("Select some code first.");
      return;
    }
    const { document, selection } = editor;
    const file = this.sendsFile() ? document.getText() : "";
    const question = questionOf(action, document.getText(selection), file, vscode.env.language);
    const answer = await this.ask(question, question.query, changesCode(action));
    const code = answer && changesCode(action) ? codeOf(answer.text) : undefined;
    if (code === undefined) return;
    const range = new vscode.Range(selection.start, selection.end);
    this.proposal = { target: document.uri, range, version: document.version, code };
    await this.diff();
  }

  stop(): void {
    this.running?.abort();
  }

  forget(): void {
    this.stop();
    this.session = "";
    this.panel.show({ kind: "forget" });
  }

  /** Puts the proposed code in place of what was selected, unless the file has changed since. */
  async takeOver(): Promise<void> {
    if (!this.proposal) return;
    const { target, range, version, code } = this.proposal;
    const document = await vscode.workspace.openTextDocument(target);
    if (document.version !== version) {
      void vscode.window.showWarningMessage("The file has changed since the question; ask again.");
      return;
    }
    const edit = new vscode.WorkspaceEdit();
    edit.replace(target, range, code.trimEnd());
    await vscode.workspace.applyEdit(edit);
    this.proposal = undefined;
  }

  private async ask(question: Question, shown: string, mayChange = false): Promise<Answer | undefined> {
    this.stop();
    await this.panel.open();
    this.panel.show({ kind: "begin", question: shown });
    const running = (this.running = new AbortController());
    const client = await this.client();
    let answer: Answer | undefined;
    try {
      for await (const event of client.ask({ ...question, session_id: this.session }, running.signal)) {
        if (event.event === "progress") this.panel.show({ kind: "stage", stage: event.progress.stage });
        if (event.event === "text_delta") this.panel.show({ kind: "text", text: event.text_delta });
        if (event.event === "completed") answer = event.completed;
      }
    } catch (error) {
      const message = error instanceof EngineError ? `${error.code}: ${error.message}` : String(error);
      this.panel.show({ kind: "error", message });
      return undefined;
    } finally {
      client.close();
      if (this.running === running) this.running = undefined;
    }
    if (!answer) {
      this.panel.show({ kind: "stopped" });
      return undefined;
    }
    this.session = answer.session_id;
    this.panel.show({ kind: "end", answer, code: mayChange && codeOf(answer.text) !== undefined });
    return answer;
  }

  private async client(): Promise<EngineClient> {
    const configured = vscode.workspace.getConfiguration("assistance");
    return new EngineClient({
      address: configured.get("address", "127.0.0.1:50051"),
      tls: configured.get("tls", false),
      key: (await this.context.secrets.get(KEY)) ?? "",
      contract: join(this.context.extensionPath, "out", "engine.proto"),
    });
  }

  private shownCode(): Partial<Question> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return {};
    const selected = editor.document.getText(editor.selection);
    const file = this.sendsFile() ? around(editor.document.getText(), selected) : "";
    return { selected_text: selected, editor_content: file };
  }

  private sendsFile(): boolean {
    return vscode.workspace.getConfiguration("assistance").get("sendFile", true);
  }

  private async diff(): Promise<void> {
    if (!this.proposal) return;
    const proposed = vscode.Uri.from({ scheme: PROPOSED, path: this.proposal.target.path, query: String(Date.now()) });
    await vscode.commands.executeCommand("vscode.diff", this.proposal.target, proposed, "Proposed by the engine");
    const taken = await vscode.window.showInformationMessage("Take the proposed code over?", "Take over");
    if (taken) await this.takeOver();
  }
}

export function activate(context: vscode.ExtensionContext): void {
  const conversation = new Conversation(context);
  const command = (name: string, work: () => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`assistance.${name}`, work);
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider("assistance.panel", conversation.panel, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.workspace.registerTextDocumentContentProvider(PROPOSED, conversation),
    command("ask", async () => {
      await conversation.panel.open();
      conversation.panel.show({ kind: "focus" });
    }),
    ...(["explain", "refactor", "problems", "document"] as const).map((action) =>
      command(action, () => conversation.act(action)),
    ),
    command("stop", () => {
      conversation.stop();
    }),
    command("forget", () => {
      conversation.forget();
    }),
    command("key", async () => {
      const key = await vscode.window.showInputBox({ prompt: "The API key; empty forgets it", password: true });
      if (key === undefined) return;
      await (key ? context.secrets.store(KEY, key) : context.secrets.delete(KEY));
    }),
  );
}
