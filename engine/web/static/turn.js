// One turn on the page: the question, the answer as it grows, its sources and its receipt.

import { element } from "./elements.js";
import { feedback } from "./feedback.js";
import { rendered } from "./markdown.js";
import { texts } from "./texts.js";

const TYPES = ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"];
const RELATIONS = ["HISTORY_RECALL", "CONTEXTUAL_FOLLOW_UP", "NEW_TOPIC_PROCEDURAL", "NEW_TOPIC_INFORMATIONAL"];
let made = 0;

// What the engine does now, with the seconds that it may take where it says so.
function doing({ stage, detail }) {
  const said = texts.stages[stage] || texts.working;
  return stage === "read" && detail ? `${said} (${detail} s)` : said;
}

// Shows a turn. `correct({ turnId, type })`, or with `relation`, sends a person's label, `rate({ turnId, rating, reason })`
// what a person thinks of the answer, `again()` asks the same once more.
export function turnView(query, { correct, rate, again }) {
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
      finish();
      paint(response.citations);
      below.replaceChildren();
      if (response.outcome === "PARTIAL" || response.outcome === "FAILED") {
        below.append(element("p", { class: "progress" }, texts.outcomes[response.outcome]));
      }
      if (response.citations.length) below.append(sourcesOf(place, response.citations));
      const why = receipt(place, response, correct);
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
      else below.append(element("p", { class: "progress" }, words));
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

// The receipt of an answer, or of a stored turn, which knows less.
function receipt(place, response, correct) {
  const route = response.route || response;
  const layer = texts.by[route.layer] || route.layer;
  const percent = route.confidence ? ` ${Math.round(route.confidence * 100)} %` : "";
  const line = [
    `${response.correctedType && TYPES.includes(response.correctedType) ? response.correctedType : route.type}`,
    `${layer}${percent}`,
    response.searches === undefined ? "" : texts.searches(response.searches),
    route.model,
    response.timings && response.timings.total ? `${Math.round(response.timings.total)} ms` : "",
  ];
  return element(
    "details",
    { class: "receipt" },
    element("summary", {}, line.filter(Boolean).join(" · ")),
    element("h3", {}, texts.receipt),
    facts(route, response),
    correction(`${place}-type`, TYPES, route.type, texts.correct, (type) => correct({ turnId: response.turnId, type })),
    correction(`${place}-relation`, RELATIONS, route.relation, texts.correctRelation, (relation) =>
      correct({ turnId: response.turnId, relation }),
    ),
  );
}

function facts(route, response) {
  const rows = [];
  const row = (name, value) => value && rows.push(element("dt", {}, name), element("dd", {}, value));
  const named = (value) => (value && !value.endsWith("UNSPECIFIED") ? value : "");
  for (const opinion of route.opinions || []) {
    const type = named(opinion.type) || texts.abstained;
    const figures = `${(opinion.confidence * 100).toFixed(0)} %, ${opinion.reason}, ${opinion.milliseconds.toFixed(1)} ms`;
    row(`${texts.layer}: ${texts.by[opinion.layer] || opinion.layer}`, `${type} (${figures})`);
  }
  const runnerUp = named(route.runnerUp);
  row(texts.runnerUp, runnerUp && `${runnerUp} ${Math.round(route.runnerUpConfidence * 100)} %`);
  const sure = route.relationConfidence ? ` ${Math.round(route.relationConfidence * 100)} %, ${route.relationReason}` : "";
  row(texts.relation, named(route.relation) && `${route.relation}${sure}`);
  row(texts.action, named(route.action));
  row(texts.query, route.searchQuery);
  const subqueries = route.plan ? route.plan.subqueries.map((one) => `${one.tool}: ${one.query}`) : [];
  row(texts.plan, subqueries.join("; "));
  row(texts.tools, (response.toolCalls || []).map((call) => `${call.tool} ${call.milliseconds.toFixed(0)} ms ${call.error}`).join("; "));
  const stages = Object.entries(response.timings || {}).sort((one, other) => one[1] - other[1]);
  row(texts.milliseconds, stages.map(([stage, spent]) => `${stage} ${spent.toFixed(1)}`).join(", "));
  return element("dl", {}, ...rows);
}

// One of `names` to choose, `given` before all others, and the button that sends it.
function correction(id, names, given, label, send) {
  const chosen = element("select", { id });
  for (const name of names) {
    const option = element("option", {}, name);
    option.selected = name === given;
    chosen.append(option);
  }
  const told = element("p", { role: "status" });
  const tell = async () => {
    told.textContent = await send(chosen.value);
  };
  return element(
    "div",
    {},
    element("label", { for: id }, label),
    chosen,
    element("button", { type: "button", onclick: tell }, label),
    told,
  );
}
