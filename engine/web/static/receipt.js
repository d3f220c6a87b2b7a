// The receipt of an answer: why it has its type, what was done for it, and what a person corrects of that.

import { element, facts } from "./elements.js";
import { bars } from "./plots.js";
import { texts } from "./texts.js";

const TYPES = ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"];
const RELATIONS = ["HISTORY_RECALL", "CONTEXTUAL_FOLLOW_UP", "NEW_TOPIC_PROCEDURAL", "NEW_TOPIC_INFORMATIONAL"];

const named = (value) => (value && !value.endsWith("UNSPECIFIED") ? value : "");
const percent = (share) => `${Math.round(share * 100)} %`;

// Of a whole answer, or of a stored turn, which knows less. `layers()` asks every layer of the router when it is opened.
export function receipt(place, response, { correct, layers }) {
  const route = response.route || response;
  const line = [
    named(response.correctedType) || route.type,
    `${texts.by[route.layer] || route.layer}${route.confidence ? ` ${percent(route.confidence)}` : ""}`,
    response.searches === undefined ? "" : texts.searches(response.searches),
    route.model,
    response.timings && response.timings.total ? `${Math.round(response.timings.total)} ms` : "",
  ];
  const said = element("div", { class: "opinions" }, opinions(route.opinions || []));
  const folded = element(
    "details",
    { class: "receipt" },
    element("summary", {}, line.filter(Boolean).join(" · ")),
    element("h3", {}, texts.receipt),
    said,
    done(route, response),
    timeline(response.timings),
    correction(`${place}-type`, TYPES, route.type, texts.correct, (type) => correct({ turnId: response.turnId, type })),
    correction(`${place}-relation`, RELATIONS, route.relation, texts.correctRelation, (relation) =>
      correct({ turnId: response.turnId, relation }),
    ),
  );
  // Those after the one that decided were not asked for the answer; they are for the reader.
  const ask = async () => {
    const every = await layers();
    if (every) said.replaceChildren(opinions(every));
  };
  folded.addEventListener("toggle", ask, { once: true });
  return folded;
}

function opinions(given) {
  return facts(
    given.map(({ layer, type, confidence, reason, milliseconds }) => [
      `${texts.layer}: ${texts.by[layer] || layer}`,
      `${named(type) || texts.abstained} (${percent(confidence)}, ${reason}, ${milliseconds.toFixed(1)} ms)`,
    ]),
  );
}

// What was decided beside the type, and what was done.
function done(route, response) {
  const sure = route.relationConfidence ? ` ${percent(route.relationConfidence)}, ${route.relationReason}` : "";
  const subqueries = route.plan ? route.plan.subqueries.map((one) => `${one.tool}: ${one.query}`) : [];
  const calls = (response.toolCalls || []).map((call) => `${call.tool} ${call.milliseconds.toFixed(0)} ms ${call.error}`);
  return facts([
    [texts.runnerUp, named(route.runnerUp) && `${route.runnerUp} ${percent(route.runnerUpConfidence)}`],
    [texts.relation, named(route.relation) && `${route.relation}${sure}`],
    [texts.action, named(route.action)],
    [texts.query, route.searchQuery],
    [texts.plan, subqueries.join("; ")],
    [texts.tools, calls.join("; ")],
  ]);
}

// How long each stage took, the shortest first.
function timeline(timings) {
  const stages = Object.entries(timings || {}).sort((one, other) => one[1] - other[1]);
  if (!stages.length) return null;
  return element("figure", {}, element("figcaption", {}, texts.milliseconds), bars(stages, texts.milliseconds));
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
