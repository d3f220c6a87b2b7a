// The command palette: what the page can do, and the conversations, found by a few letters. Ctrl+K or ⌘K opens it.
// Source: WAI-ARIA Authoring Practices, "Combobox" with a listbox.

import { element } from "./elements.js";
import { texts } from "./texts.js";

// Letters as they are compared: without case and marks.
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

// `commands()` gives what there is now: [{ name, run }], in the order in which it is shown.
export function palette(commands) {
  const list = element("ul", { id: "palette-list", role: "listbox", "aria-label": texts.commands });
  const input = element("input", {
    type: "text",
    role: "combobox",
    autocomplete: "off",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    "aria-label": texts.commands,
    placeholder: texts.commands,
  });
  const dialog = element("dialog", { id: "palette", "aria-label": texts.commands }, input, list);
  let found = [];
  let chosen = 0;

  function paint() {
    const options = found.map((command, place) => {
      const selected = place === chosen;
      const option = element("li", { role: "option", id: `palette-${place}`, "aria-selected": `${selected}` }, command.name);
      option.addEventListener("click", () => carryOut(command));
      return option;
    });
    list.replaceChildren(...(options.length ? options : [element("li", {}, texts.noCommand)]));
    input.setAttribute("aria-activedescendant", found.length ? `palette-${chosen}` : "");
    list.children[chosen].scrollIntoView({ block: "nearest" });
  }

  function look() {
    const words = plain(input.value).split(/\s+/);
    found = commands().filter(({ name }) => words.every((word) => plain(name).includes(word)));
    chosen = 0;
    paint();
  }

  function carryOut(command) {
    dialog.close();
    command.run();
  }

  input.addEventListener("input", look);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      chosen = (chosen + step + found.length) % found.length;
      paint();
    }
    if (event.key === "Enter" && found.length) {
      event.preventDefault();
      carryOut(found[chosen]);
    }
    event.stopPropagation(); // Escape closes the palette and stops no answer
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  const open = () => {
    if (dialog.open) return;
    input.value = "";
    look();
    dialog.showModal();
    input.focus();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open();
  });
  return open;
}
