// The documents in the index: what there is, files that are put in, documents that are taken out.

import { element, facts } from "./elements.js";
import { panel } from "./panel.js";
import { language, texts } from "./texts.js";

const say = texts.library;

function size(bytes) {
  const unit = bytes < 1e6 ? ["kilobyte", 1e3] : ["megabyte", 1e6];
  return new Intl.NumberFormat(language, { style: "unit", unit: unit[0], maximumFractionDigits: 1 }).format(bytes / unit[1]);
}

function day(seconds) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(seconds * 1000));
}

// Gives what opens the sheet. `explain(error)` says what went wrong in words.
export function library(rpc, explain) {
  const told = element("ul", { class: "told" });
  const summary = element("div", {});
  const list = element("ul", { class: "documents" });
  const more = element("button", { type: "button" }, say.more);
  const files = element("input", { id: "files", type: "file", multiple: true });
  const adding = element("div", {}, element("label", { for: "files" }, say.add), files, element("p", { class: "hint" }, say.limit));

  const tell = (words, problem = false) => told.append(element("li", problem ? { class: "problem" } : {}, words));

  async function show(token = "") {
    let page;
    try {
      page = await rpc.call("ListDocuments", { pageToken: token });
    } catch (error) {
      tell(explain(error), true);
      return;
    }
    if (!token) list.replaceChildren();
    list.append(...page.documents.map((one) => row(one, page.mayChange)));
    more.hidden = !page.nextPageToken;
    more.onclick = () => show(page.nextPageToken);
    adding.hidden = !page.mayChange;
    summary.replaceChildren(
      facts([
        [say.documents, page.total],
        [say.passages, page.passages],
        [say.embedder, page.embedder],
        [say.lastRun, page.updatedAt ? day(page.updatedAt) : ""],
      ]),
      page.mayChange ? "" : element("p", { class: "hint" }, say.elsewhere),
    );
  }

  function row({ name, passages, bytes }, mayChange) {
    const about = [say.count(passages), Number(bytes) ? size(Number(bytes)) : ""].filter(Boolean).join(" · ");
    return element("li", {}, element("span", {}, name), element("small", {}, about), mayChange ? remover(name) : null);
  }

  function remover(name) {
    const button = element("button", { type: "button", "aria-label": say.removeOf(name) }, texts.remove);
    let sure = false;
    button.addEventListener("click", async () => {
      if (!sure) {
        sure = true; // once more
        button.textContent = texts.removeSure;
        button.setAttribute("aria-label", texts.removeSure);
        return;
      }
      button.disabled = true;
      await rpc.call("RemoveDocument", { document: name }).then(() => tell(say.removed(name)), (error) => tell(explain(error), true));
      await show();
      files.focus();
    });
    return button;
  }

  // One file after the other, each told by its name.
  async function add() {
    const chosen = [...files.files];
    files.disabled = true;
    told.replaceChildren();
    for (const file of chosen) {
      tell(say.adding(file.name));
      try {
        const made = await rpc.upload(file);
        told.lastChild.textContent = say.added(file.name, made.passages);
        for (const { path, reason } of made.problems) tell(`${path}: ${reason}`, true);
      } catch (error) {
        told.lastChild.remove();
        tell(explain(error), true);
      }
    }
    files.disabled = false;
    files.value = "";
    await show();
  }

  files.addEventListener("change", add);
  return panel("documents-panel", say.title, async (body) => {
    told.replaceChildren();
    await show();
    body.replaceChildren(summary, adding, element("div", { role: "status" }, told), list, more);
  });
}
