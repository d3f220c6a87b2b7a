// <assistance-insight>: what the engine has to say about the figures of a dashboard.
//
//   <script src="http://127.0.0.1:8080/widget.js"></script>
//   <assistance-insight query="How is my usage?">{"calls": 1200, "quota": 5000}</assistance-insight>
//
// Attributes: `query` what is asked; `engine` the engine's address, the script's by default; `session` goes on with a
// session; `user` what is known of the user. The figures are the element's own text, or its property `figures` (text or an
// object). `api-key`, or the property `key`, where the engine asks for one. It asks when it comes into the document, and
// again when an attribute or `figures` changes. Events: `insight` (detail: the whole answer), `insight-error` (detail:
// {code, message}). Style it by --insight-color, --insight-background, --insight-border, --insight-font, and ::part(text).

import { client } from "./protocol.js";

const HOME = document.currentScript ? new URL(document.currentScript.src).origin : "";
const QUERY = {
  en: "Give me an insight into the usage of my account.",
  es: "Dame una valoración del uso de mi cuenta.",
};
const WORKING = { en: "Looking at the figures…", es: "Mirando las cifras…" };
const FAILED = { en: "No insight right now.", es: "Ahora mismo no hay valoración." };

class AssistanceInsight extends HTMLElement {
  static observedAttributes = ["query", "engine", "session", "user", "api-key", "lang"];
  #figures;
  #running = null;
  #due = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(`
      :host { display: block; }
      p { margin: 0; padding: .75rem 1rem; border-radius: .5rem; white-space: pre-wrap;
          font: var(--insight-font, inherit); color: var(--insight-color, inherit);
          background: var(--insight-background, transparent); border: var(--insight-border, 1px solid currentColor); }
      p[aria-busy="true"] { opacity: .7; }
    `);
    root.adoptedStyleSheets = [style];
    this.shown = document.createElement("p");
    this.shown.setAttribute("part", "text");
    this.shown.setAttribute("aria-live", "polite");
    root.append(this.shown);
  }

  connectedCallback() {
    this.#ask();
  }

  disconnectedCallback() {
    if (this.#running) this.#running.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#ask();
  }

  get figures() {
    return this.#figures === undefined ? this.textContent.trim() : this.#figures;
  }

  set figures(value) {
    this.#figures = typeof value === "string" ? value : JSON.stringify(value);
    if (this.isConnected) this.#ask();
  }

  // Asks once for all that changes in one go, and not before the page is read: the figures may still be on their way.
  #ask() {
    if (this.#due) return;
    this.#due = true;
    const now = () => {
      this.#due = false;
      if (this.isConnected) void this.#answer();
    };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", now, { once: true });
    else queueMicrotask(now);
  }

  async #answer() {
    if (this.#running) this.#running.abort();
    const controller = (this.#running = new AbortController());
    const language = (this.lang || document.documentElement.lang || navigator.language).startsWith("es") ? "es" : "en";
    const rpc = client(this.getAttribute("engine") || HOME, () => this.key || this.getAttribute("api-key") || "");
    const request = {
      query: this.getAttribute("query") || QUERY[language],
      queryType: "PLATFORM",
      extraContext: this.figures,
      sessionId: this.getAttribute("session") || "",
      userInfo: this.getAttribute("user") || "",
    };
    let text = "";
    this.shown.textContent = WORKING[language];
    this.shown.setAttribute("aria-busy", "true");
    try {
      for await (const event of rpc.stream("AskAgentStream", request, controller.signal)) {
        if (event.textDelta !== undefined) this.shown.textContent = text += event.textDelta;
        if (event.completed) {
          this.shown.textContent = event.completed.text;
          this.dispatchEvent(new CustomEvent("insight", { detail: event.completed, bubbles: true, composed: true }));
        }
      }
    } catch (error) {
      if (controller.signal.aborted) return;
      this.shown.textContent = text || FAILED[language];
      const detail = { code: error.code || "internal", message: error.message };
      this.dispatchEvent(new CustomEvent("insight-error", { detail, bubbles: true, composed: true }));
    } finally {
      if (this.#running === controller) this.shown.setAttribute("aria-busy", "false");
    }
  }
}

if (!customElements.get("assistance-insight")) customElements.define("assistance-insight", AssistanceInsight);
