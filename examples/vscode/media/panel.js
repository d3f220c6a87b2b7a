// The panel: shows what the extension sends, as text and never as HTML, and sends back what a person does.
const editor = acquireVsCodeApi();
const answers = document.querySelector("#answers");
const form = document.querySelector("form");
const question = document.querySelector("textarea");
const stop = document.querySelector("#stop");
let shown;

function part(kind, text, tag = "div") {
  const node = document.createElement(tag);
  node.className = kind;
  node.textContent = text;
  return node;
}

function begin(text) {
  shown = { box: part("answer", "", "article"), stage: part("stage", ""), text: part("text", "") };
  shown.text.setAttribute("aria-live", "polite");
  shown.box.append(part("question", text), shown.stage, shown.text);
  answers.append(shown.box);
}

function end(answer, code) {
  shown.stage.remove();
  shown.text.textContent = answer.text;
  for (const citation of answer.citations) {
    const source = part("source", "", "details");
    const where = citation.heading ? `${citation.document} — ${citation.heading}` : citation.document;
    source.append(part("", `[${citation.number}] ${where}`, "summary"), part("passage", citation.text));
    shown.box.append(source);
  }
  if (code) {
    const show = part("", "Show as a diff", "button");
    show.addEventListener("click", () => editor.postMessage({ kind: "diff" }));
    shown.box.append(show);
  }
  const route = answer.route;
  if (route) shown.box.append(part("receipt", `${route.type} · ${route.layer.toLowerCase()} ${Math.round(100 * route.confidence)} %`));
}

window.addEventListener("message", ({ data }) => {
  if (data.kind === "begin") begin(data.question);
  if (data.kind === "stage" && shown) shown.stage.textContent = `${data.stage} …`;
  if (data.kind === "text" && shown) shown.text.textContent += data.text;
  if (data.kind === "end") end(data.answer, data.code);
  if (data.kind === "stopped" && shown) shown.stage.textContent = "Stopped.";
  if (data.kind === "error" && shown) shown.stage.replaceWith(part("error", data.message));
  if (data.kind === "forget") answers.replaceChildren();
  if (data.kind === "focus") question.focus();
  stop.disabled = !["begin", "stage", "text"].includes(data.kind);
  answers.lastElementChild?.scrollIntoView({ block: "end" });
});

function send() {
  const text = question.value.trim();
  if (!text) return;
  question.value = "";
  editor.postMessage({ kind: "ask", question: text });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
question.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    send();
  }
  if (event.key === "Escape") editor.postMessage({ kind: "stop" });
});
stop.addEventListener("click", () => editor.postMessage({ kind: "stop" }));
editor.postMessage({ kind: "ready" });
