// What layer 2 of the router is, and how good it was on rows that it had not seen: the card of its artifact.

import { element, facts } from "./elements.js";
import { panel } from "./panel.js";
import { curve, matrix } from "./plots.js";
import { texts } from "./texts.js";

const say = texts.router;
const FIGURES = ["rows", "macro_f1", "ece", "coverage", "selective_accuracy", "out_of_scope_recall"];

// Gives what opens the sheet. `explain(error)` says what went wrong in words.
export function router(rpc, explain) {
  return panel("router-panel", say.title, async (body) => {
    try {
      const { artifactId, card } = await rpc.call("GetRouter", {});
      body.replaceChildren(...(artifactId ? described(artifactId, JSON.parse(card)) : [element("p", {}, say.off)]));
    } catch (error) {
      body.replaceChildren(element("p", { class: "problem" }, explain(error)));
    }
  });
}

function described(artifactId, card) {
  const thresholds = Object.entries(card.thresholds).map(([name, value]) => `${name} ${value}`);
  const about = facts([
    [say.artifact, artifactId],
    [say.trained, card.date],
    [say.rows, card.rows],
    [say.embedder, card.embedder],
    [say.thresholds, thresholds.join(", ")],
  ]);
  const judged = card.scores.leave_domain_out;
  return [about, ...(judged ? [element("p", { class: "hint" }, say.judged), table(judged)] : []), pictures(card)];
}

function table(parts) {
  const names = Object.keys(parts);
  const head = element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col" }, say.parts[name] || name)));
  const lines = FIGURES.map((figure) =>
    element("tr", {}, element("th", { scope: "row" }, say.figures[figure]), ...names.map((name) => element("td", {}, `${parts[name][figure] ?? ""}`))),
  );
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines));
}

// Older artifacts have nothing to draw.
function pictures({ classes, scores }) {
  const found = scores.pictures;
  if (!found) return element("p", { class: "hint" }, say.noPictures);
  const all = scores.leave_domain_out.all;
  const bins = found.reliability;
  const drawn = [
    [say.confusion, matrix(found.confusion, classes, say.confusion, say.sides)],
    [
      say.reliability,
      curve(bins.map((bin) => [bin.confidence, bin.accuracy]), say.reliability, {
        x: say.confidence,
        y: say.accuracy,
        diagonal: true,
        sizes: bins.map((bin) => bin.rows),
      }),
    ],
    [
      say.curve,
      curve(found.accuracy_against_coverage.map((point) => [point.coverage, point.accuracy]), say.curve, {
        x: say.coverage,
        y: say.accuracy,
        low: 0.5,
        chosen: [all.coverage, all.selective_accuracy],
      }),
    ],
  ];
  return element("div", { class: "plots" }, ...drawn.map(([name, picture]) => element("figure", {}, picture, element("figcaption", {}, name))));
}
