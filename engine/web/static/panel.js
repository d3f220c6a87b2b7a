// A sheet over the page with a title, closed by Escape or its button.

import { element } from "./elements.js";
import { texts } from "./texts.js";

// `fill(body)` puts in what is shown, each time that the sheet is opened. Gives what opens it.
export function panel(id, title, fill) {
  const close = element("button", { type: "button", onclick: () => dialog.close() }, texts.close);
  const heading = element("h2", { id: `${id}-title`, tabindex: "-1" }, title);
  const body = element("div", {});
  const dialog = element("dialog", { id, class: "panel", "aria-labelledby": heading.id }, element("div", { class: "bar" }, heading, close), body);
  dialog.addEventListener("keydown", (event) => event.stopPropagation()); // Escape closes it and stops no answer
  document.body.append(dialog);
  return () => {
    body.replaceChildren(element("p", { class: "progress" }, texts.working));
    dialog.showModal();
    heading.focus();
    void fill(body);
  };
}
