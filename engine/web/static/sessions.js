// The conversations before: listed, opened, named and deleted.

import { element } from "./elements.js";
import { texts } from "./texts.js";

// Shows them in `list`. `older` is the button for the next page; `current()` the session on the page, `open(id)` shows
// another, `deleted(id)` is told of one that is gone; `failed(error)` says what went wrong.
export function sessionList(rpc, list, older, { current, open, deleted, failed }) {
  const rows = new Map(); // by what they show

  async function asked(method, message) {
    try {
      return await rpc.call(method, message);
    } catch (error) {
      failed(error);
      return null;
    }
  }

  function mark() {
    for (const button of list.querySelectorAll("[data-session]")) {
      if (button.dataset.session === current()) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  async function show(token = "") {
    if (list.querySelector("input")) return; // somebody is writing a name
    const page = await asked("ListSessions", { pageToken: token });
    if (!page) return;
    place(page.sessions.map(kept), token ? list.childElementCount : 0);
    if (!list.childElementCount) list.append(element("li", {}, texts.none));
    older.hidden = !page.nextPageToken;
    older.onclick = () => show(page.nextPageToken);
    mark();
  }

  // The row of a session, the same one for as long as it reads the same: a press, a focus or a question that stands on it
  // outlives the next listing.
  function kept(session) {
    const key = JSON.stringify([session.sessionId, session.firstQuery, session.name]);
    if (!rows.has(key)) rows.set(key, item(session));
    return rows.get(key);
  }

  // Puts rows from a place on, in the place of what stood there. Rows already in order are not touched.
  function place(wanted, from) {
    for (const row of [...list.children].slice(from)) if (!wanted.includes(row)) row.remove();
    wanted.forEach((row, at) => {
      if (list.children[from + at] !== row) list.insertBefore(row, list.children[from + at] ?? null);
    });
    for (const [key, row] of rows) if (!row.isConnected) rows.delete(key);
  }

  function item({ sessionId, firstQuery, name }) {
    const title = [name, firstQuery].find((text) => /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(text)) ?? sessionId; // what can be seen
    const opener = element("button", { type: "button", "data-session": sessionId, title, onclick: () => open(sessionId) }, title);
    const write = () => rename(sessionId, name, opener);
    const pencil = element("button", { type: "button", class: "rename", "aria-label": texts.renameOf(title), title: texts.rename, onclick: write }, "✎");
    return element("li", {}, opener, pencil, remover(sessionId, title));
  }

  function remover(sessionId, title) {
    const remove = element("button", { type: "button", class: "remove", "aria-label": texts.removeOf(title), title: texts.remove }, "×");
    let sure = false;
    const ask = (again) => {
      sure = again;
      remove.textContent = again ? texts.removeSure : "×";
      remove.setAttribute("aria-label", again ? texts.removeSure : texts.removeOf(title));
    };
    remove.addEventListener("blur", () => ask(false));
    remove.addEventListener("click", async () => {
      if (!sure) {
        ask(true);
        return;
      }
      if (await asked("DeleteSession", { sessionId })) deleted(sessionId);
      void show();
    });
    return remove;
  }

  // A field in the place of the button that opens it. Enter keeps what is written, Escape what was there before.
  function rename(sessionId, name, opener) {
    const field = element("input", { type: "text", value: name, maxlength: "100", placeholder: opener.textContent, "aria-label": texts.nameOf });
    let over = false;
    const end = async (keep) => {
      if (over) return;
      over = true;
      if (keep && field.value.trim() !== name) await asked("RenameSession", { sessionId, name: field.value });
      field.replaceWith(opener);
      opener.focus();
      void show();
    };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation(); // Escape stops no answer
      if (event.key === "Enter" || event.key === "Escape") void end(event.key === "Enter");
    });
    field.addEventListener("blur", () => end(true));
    opener.replaceWith(field);
    field.select();
  }

  // The field for the name of the session on the page.
  function renameCurrent() {
    list.querySelector("[aria-current] + .rename")?.click();
  }

  return { show, mark, renameCurrent };
}
