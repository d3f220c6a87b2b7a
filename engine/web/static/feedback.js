// What a person thinks of an answer: a thumb up or down, and why.

import { element, svg } from "./elements.js";
import { texts } from "./texts.js";

const THUMB = "M2 9h4v9H2z M8 9l3-7c2 0 2.6 1.4 2.3 3L12.8 8H17c1.4 0 2 1 1.7 2.2l-1.6 6.3c-.3 1-1 1.5-2 1.5H8z";

function thumb() {
  return svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: THUMB }));
}

// The thumbs under the answer of `turnId`. `stored` is what was said before, where there is something; `rate(message)`
// sends it and gives what is to be told; `correct()` leads to the correction of the type.
export function feedback(turnId, stored, { rate, correct }) {
  let given = stored.rating === "UP" || stored.rating === "DOWN" ? stored.rating : "";
  let sent = Promise.resolve();
  const told = element("p", { role: "status" });
  const why = element("form", { class: "why", hidden: true });
  const buttons = ["UP", "DOWN"].map((rating) =>
    element("button", { type: "button", class: `thumb ${rating.toLowerCase()}`, "aria-label": texts.thumbs[rating], title: texts.thumbs[rating], onclick: () => press(rating) }, thumb()),
  );

  function mark() {
    buttons.forEach((button, place) => button.setAttribute("aria-pressed", `${given === ["UP", "DOWN"][place]}`));
  }

  // One after the other: the last word is the one that counts.
  function send(reason = "") {
    const message = { turnId, rating: given || "RATING_UNSPECIFIED", reason };
    told.textContent = "";
    sent = sent.then(async () => {
      told.textContent = await rate(message);
    });
  }

  function press(rating) {
    given = given === rating ? "" : rating;
    mark();
    why.hidden = !given;
    if (given) ask();
    send();
  }

  function ask() {
    const reason = element("input", { type: "text", maxlength: "500", "aria-label": texts.why[given], placeholder: texts.why[given] });
    const type = element("button", { type: "button", onclick: correct }, texts.correct);
    why.replaceChildren(reason, element("button", { type: "submit" }, texts.send), ...(given === "DOWN" ? [type] : []));
    why.onsubmit = (event) => {
      event.preventDefault();
      why.hidden = true;
      send(reason.value);
    };
  }

  mark();
  if (stored.ratingReason) told.textContent = stored.ratingReason;
  return element("div", { class: "feedback" }, ...buttons, why, told);
}
