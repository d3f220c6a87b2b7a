/** The side panel: a webview that shows one conversation. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

import type { Answer } from "./client.js";

/** What the panel is told. */
export type Shown =
  | { kind: "begin"; question: string }
  | { kind: "stage"; stage: string }
  | { kind: "text"; text: string }
  | { kind: "end"; answer: Answer; code: boolean }
  | { kind: "stopped" }
  | { kind: "error"; message: string }
  | { kind: "forget" }
  | { kind: "focus" };

/** What a person does in it. */
export type Done = { kind: "ask"; question: string } | { kind: "stop" } | { kind: "diff" } | { kind: "ready" };

export class Panel implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private waiting: Shown[] = [];
  private ready = false;

  constructor(
    private readonly root: vscode.Uri,
    private readonly done: (done: Done) => void,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    const media = vscode.Uri.joinPath(this.root, "media");
    this.view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [media] };
    view.webview.onDidReceiveMessage((message: Done) => {
      if (message.kind === "ready") this.flush();
      else this.done(message);
    });
    view.onDidDispose(() => {
      this.view = undefined;
      this.ready = false;
    });
    view.webview.html = page(view.webview, media);
  }

  /** Shows something, once the panel is there. */
  show(what: Shown): void {
    if (this.view && this.ready) void this.view.webview.postMessage(what);
    else this.waiting.push(what);
  }

  /** Brings the panel to the front. */
  async open(): Promise<void> {
    await vscode.commands.executeCommand("assistance.panel.focus");
  }

  private flush(): void {
    this.ready = true;
    const waiting = this.waiting;
    this.waiting = [];
    for (const one of waiting) this.show(one);
  }
}

function page(webview: vscode.Webview, media: vscode.Uri): string {
  const nonce = randomBytes(16).toString("hex");
  const uri = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<title>Assistance</title>
<link rel="stylesheet" href="${uri("panel.css")}">
<main id="answers"></main>
<form>
  <label for="question">Your question</label>
  <textarea id="question" rows="3"></textarea>
  <button type="submit">Send</button>
  <button type="button" id="stop" disabled>Stop</button>
</form>
<script nonce="${nonce}" src="${uri("panel.js")}"></script>
</html>`;
}
