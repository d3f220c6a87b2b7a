// One turn on the page: the question, the answer as it grows, its sources and its receipt.

import { element } from "./elements.js";
import { feedback } from "./feedback.js";
import { rendered } from "./markdown.js";
import { receipt } from "./receipt.js";
import { texts } from "./texts.js";

let made = 0;

// What the engine does now, with the seconds that it may take where it says so.
function doing({ stage, detail }) {
  const said = texts.stages[stage] || texts.working;
  return stage === "read" && detail ? `${said} (${detail} s)` : said;
}

// Shows a turn. `correct({ turnId, type })`, or with `relation`, sends a person's label, `rate({ turnId, rating, reason })`
// what a person thinks of the answer, `layers(article)` asks every layer of the router, `again()` the same once more.
export function turnView(query, { correct, rate, layers, again }) {
  const place = `turn-${(made += 1)}`;
  const answer = element("div", { class: "answer" });
  const progress = element("p", { class: "progress" });
  const below = element("div");
  const said = element("div", { class: "said" }, answer, progress);
  const node = element(
    "article",
    { "aria-busy": "true", "aria-labelledby": `${place}-asked` },
    element("h3", {}, texts.you),
    element("p", { class: "query said", id: `${place}-asked` }, query),
    element("h3", {}, texts.engine),
    said,
    below,
  );
  let text = "";
  let passages = 0;
  let painting = false;

  function cited(citations) {
    return (number) => {
      if (!citations.some((citation) => citation.number === number)) return null;
      const open = () => {
        const shown = document.getElementById(`${place}-source-${number}`);
        shown.closest("details.sources").open = true;
        shown.open = true;
        shown.querySelector("summary").focus();
      };
      return element("button", { type: "button", class: "cite", "aria-label": texts.source(number), onclick: open }, `${number}`);
    };
  }

  function paint(citations = []) {
    answer.replaceChildren(rendered(text, cited(citations)));
  }

  function tell(words) {
    progress.textContent = [words, passages ? texts.read(passages) : ""].filter(Boolean).join(" · ");
    progress.hidden = !progress.textContent;
  }

  function problem(words) {
    const retry = element("button", { type: "button", onclick: () => again() }, texts.again);
    below.append(element("p", { class: "problem" }, words), again ? retry : "");
  }

  tell(texts.working);
  return {
    node,
    get text() {
      return text;
    },
    // An event of the stream.
    show(event) {
      if (event.progress) tell(doing(event.progress));
      if (event.sources) passages = event.sources.sources.length;
      if (event.route || event.sources) tell(texts.working);
      if (event.textDelta !== undefined) {
        text += event.textDelta;
        tell("");
        if (painting) return;
        painting = true; // once a frame, however fast the text comes
        requestAnimationFrame(() => {
          painting = false;
          if (node.getAttribute("aria-busy") === "true") paint();
        });
      }
    },
    // The whole answer, from the stream's last event or from the store.
    complete(response) {
      text = response.text;
      node.dataset.type = (response.route || response).type;
      finish();
      paint(response.citations);
      below.replaceChildren();
      if (response.outcome === "PARTIAL" || response.outcome === "FAILED") {
        below.append(element("p", { class: "ended" }, texts.outcomes[response.outcome]));
      }
      if (response.citations.length) below.append(sourcesOf(place, response.citations));
      const why = receipt(place, response, { correct, layers: () => layers(node) });
      const toType = () => {
        why.open = true;
        why.querySelector("select").focus();
      };
      below.append(feedback(response.turnId, response, { rate, correct: toType }), why);
    },
    // It ended before it was whole.
    broken(words, mayRetry) {
      finish();
      paint();
      below.replaceChildren();
      if (mayRetry) problem(words);
      else below.append(element("p", { class: "ended" }, words));
    },
  };

  function finish() {
    node.setAttribute("aria-busy", "false");
    passages = 0;
    tell("");
  }
}

function sourcesOf(place, citations) {
  const list = citations.map((citation) =>
    element(
      "details",
      { id: `${place}-source-${citation.number}` },
      element("summary", {}, `[${citation.number}] ${[citation.document, citation.heading].filter(Boolean).join(" — ")}`),
      element("p", { class: "passage" }, citation.text),
    ),
  );
  return element(
    "details",
    { class: "sources", open: true },
    element("summary", {}, `${texts.sources} (${citations.length})`),
    ...list,
  );
}
