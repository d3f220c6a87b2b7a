// The page: a conversation with the engine, and the conversations before it.

import { element } from "./elements.js";
import { library } from "./library.js";
import { palette } from "./palette.js";
import { RpcError, client } from "./protocol.js";
import { router } from "./router.js";
import { sessionList } from "./sessions.js";
import { language, texts } from "./texts.js";
import { turnView } from "./turn.js";

const byId = (id) => document.getElementById(id);
const LOOK_AGAIN = 2000; // milliseconds between looks whether the engine is back
const WINDOW = 12; // turns that the router looks back
const PENDING_LOOKS = 8; // looks for the turn that a reload cut off
const rpc = client("", () => sessionStorage.getItem("key") || "");

let session = "";
let running = null; // {controller, view} of the answer that is being made
let leaving = false; // the page is: what ends now was cut by that, and the next page picks it up
let waiting = false; // for the engine to come back
const shown = new Set(); // ids of the turns on the page
let unsettled = []; // {query, view} of answers that were cut: their turn may be stored all the same
let opening = 0; // grows with each conversation that is opened: what is late belongs to none

const past = sessionList(rpc, byId("sessions"), byId("older"), {
  current: () => session,
  open: (id) => openSession(id),
  deleted: (id) => id === session && startAnew(),
  failed: outside,
});

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function announce(words) {
  byId("announced").textContent = words;
}

function useSession(id) {
  session = id;
  localStorage.setItem("session", id);
  history.replaceState(null, "", `#${encodeURIComponent(id)}`);
}

function explain(error) {
  return error.code === "unreachable" ? texts.broke : texts.failed(error.message || error.code);
}

// Says what is wrong where the engine cannot be reached or wants a key; true when it was one of these.
function outside(error) {
  if (!(error instanceof RpcError)) throw error;
  if (error.code === "unauthenticated") {
    byId("unlock").hidden = false;
    byId("key").focus();
    return true;
  }
  if (error.code === "unreachable" || error.code === "unavailable") void waitForEngine();
  return error.code === "unreachable";
}

// What went wrong, in words, for what stands beside the conversation.
function said(error) {
  outside(error);
  return explain(error);
}

async function waitForEngine() {
  if (waiting) return;
  waiting = true;
  const note = byId("connection");
  try {
    for (;;) {
      const ready = await fetch("/readyz", { cache: "no-store" }).then((reply) => reply.ok, () => false);
      if (ready) break;
      note.textContent = texts.gone;
      note.hidden = false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
    }
  } finally {
    waiting = false;
  }
  if (note.hidden) return;
  note.hidden = true;
  announce(texts.back);
  void past.show();
  if (!running && !byId("turns").childElementCount) void openSession(session);
}

function busy(now) {
  running = now;
  byId("stop").hidden = !now;
  byId("send").hidden = Boolean(now);
}

// Sends what a person said of a turn; what to tell of that.
async function say(method, message, done) {
  try {
    await rpc.call(method, message);
    return done;
  } catch (error) {
    return said(error);
  }
}

const correct = (label) => say("CorrectTurn", label, texts.corrected(label.type || label.relation));
const rate = (message) => say("RateTurn", message, texts.rated[message.rating]);

// The opinions of every layer of the router on the question of an article, after those before it; null without an answer.
async function layers(article, { query, selectedText = "", extraContext = "" }) {
  const before = [...byId("turns").querySelectorAll("article[data-type]")].filter((one) => one.compareDocumentPosition(article) & Node.DOCUMENT_POSITION_FOLLOWING);
  const history = before.slice(-WINDOW).map((one) => ({ type: one.dataset.type, query: one.querySelector(".query").textContent }));
  try {
    return (await rpc.call("Classify", { query, selectedText, extraContext, history })).opinions;
  } catch (error) {
    outside(error);
    return null;
  }
}

// Asks, and shows the answer while it comes. `request` keeps its id, so that asking again is the same turn.
async function ask(request, old) {
  if (running) return;
  const view = turnView(request.query, { correct, rate, layers: (article) => layers(article, request), again: () => ask(request, view) });
  unsettled = unsettled.filter((one) => one.view !== old);
  if (old) old.node.replaceWith(view.node);
  else byId("turns").append(view.node);
  view.node.scrollIntoView({ block: "end" });
  const controller = new AbortController();
  leaving = false;
  busy({ controller, view });
  announce(texts.working);
  sessionStorage.setItem("pending", JSON.stringify({ session, query: request.query }));
  try {
    for await (const event of rpc.stream("AskAgentStream", request, controller.signal)) {
      if (!event.completed) {
        view.show(event);
        follow();
        continue;
      }
      view.complete(event.completed);
      shown.add(event.completed.turnId);
      announce(`${event.completed.text} ${texts.done}`);
    }
  } catch (error) {
    unsettled.push({ query: request.query, view });
    if (controller.signal.aborted) {
      view.broken(texts.stopped, false);
      announce(texts.stopped);
    } else {
      outside(error);
      view.broken(explain(error), true);
      announce(explain(error));
    }
  } finally {
    if (!leaving) {
      sessionStorage.removeItem("pending");
      sessionStorage.removeItem("unused");
    }
    busy(null);
    follow();
    void past.show();
  }
}

// Keeps the end in sight for a reader who is there, and leaves one who has scrolled up alone.
function follow() {
  const page = document.documentElement;
  if (page.scrollHeight - page.scrollTop - page.clientHeight < 160) page.scrollTop = page.scrollHeight;
}

function stop() {
  if (running) running.controller.abort();
}

function submit(event) {
  event.preventDefault();
  const question = byId("question");
  const query = question.value;
  if (!query.trim() || running) return;
  const request = { query, sessionId: session, requestId: newId() };
  if (byId("type").value) request.queryType = byId("type").value;
  if (byId("context").value.trim()) request.extraContext = byId("context").value;
  if (byId("code").value.trim()) request.selectedText = byId("code").value;
  question.value = "";
  void ask(request);
}

// A session with all of its turns, which come in pages.
async function wholeSession(id) {
  const whole = await rpc.call("GetSession", { sessionId: id });
  for (let token = whole.nextPageToken; token; ) {
    const page = await rpc.call("GetSession", { sessionId: id, pageToken: token });
    whole.turns.push(...page.turns);
    token = page.nextPageToken;
  }
  return whole;
}

async function openSession(id) {
  stop();
  const mine = (opening += 1);
  useSession(id);
  byId("turns").replaceChildren();
  unsettled = [];
  let stored = { turns: [] };
  try {
    // One that was never answered in is not asked for: there would be none.
    if (sessionStorage.getItem("unused") !== id) stored = await wholeSession(id);
  } catch (error) {
    if (error.code !== "not_found") outside(error);
  }
  if (mine !== opening) return;
  for (const turn of stored.turns) showStored(turn);
  past.mark();
  await pick(stored.turns, mine);
  follow();
}

function showStored(turn) {
  shown.add(turn.turnId);
  const view = turnView(turn.query, { correct, rate, layers: (article) => layers(article, turn) });
  byId("turns").append(view.node);
  view.complete(turn);
}

// What was said meanwhile in another tab, or by another program, when the reader comes back to this one.
async function catchUp() {
  if (document.hidden || running || waiting) return;
  const mine = opening;
  const turns = await storedTurns().catch(() => []);
  if (mine !== opening || running) return;
  for (const turn of turns.filter((one) => !shown.has(one.turnId))) {
    const cut = unsettled.find((one) => one.query === turn.query);
    if (!cut) {
      showStored(turn);
      continue;
    }
    shown.add(turn.turnId);
    cut.view.complete(turn);
    unsettled = unsettled.filter((one) => one !== cut);
  }
  void past.show();
}

// A reload cuts the answer that was being made; what was said is stored a moment later.
async function pick(turns, mine) {
  const pending = JSON.parse(sessionStorage.getItem("pending") || "null");
  sessionStorage.removeItem("pending");
  if (!pending || pending.session !== session) return;
  const known = turns.length;
  const isThere = (list) => list.length && list[list.length - 1].query === pending.query;
  for (let look = 0; look < PENDING_LOOKS && !isThere(turns); look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    turns = await storedTurns().catch(() => turns);
    if (mine !== opening) return;
  }
  for (const turn of turns.slice(known)) showStored(turn);
  if (!isThere(turns) && !byId("question").value) byId("question").value = pending.query;
}

// The turns of this session, none where it is not stored yet.
async function storedTurns() {
  const { sessions } = await rpc.call("ListSessions", {});
  if (!sessions.some((one) => one.sessionId === session)) return [];
  sessionStorage.removeItem("unused");
  return (await wholeSession(session)).turns;
}

function beginSession() {
  useSession(newId());
  sessionStorage.setItem("unused", session);
}

function startAnew() {
  stop();
  opening += 1;
  beginSession();
  byId("turns").replaceChildren();
  unsettled = [];
  past.mark();
  byId("question").focus();
}

// The conversation on the page as a file of JSON.
async function save() {
  let stored;
  try {
    stored = await wholeSession(session);
  } catch (error) {
    announce(said(error));
    return;
  }
  const address = URL.createObjectURL(new Blob([JSON.stringify(stored, null, 2)], { type: "application/json" }));
  element("a", { href: address, download: `${session}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 0);
}

// What the palette offers: what the page's buttons do, a type for the next question, and the conversations that are listed.
function commands() {
  const earlier = [...byId("sessions").querySelectorAll("[data-session]")];
  const types = [...byId("type").options].map((option) => ({
    name: `${texts.type}: ${option.textContent}`,
    run() {
      byId("type").value = option.value;
      byId("type").closest("details").open = true;
      byId("question").focus();
    },
  }));
  return [
    { name: texts.ask, run: () => byId("question").focus() },
    { name: texts.fresh, run: startAnew },
    ...(running ? [{ name: texts.stop, run: stop }] : []),
    { name: texts.export, run: save },
    { name: texts.rename, run: past.renameCurrent },
    { name: texts.library.title, run: () => byId("documents").click() },
    { name: texts.router.title, run: () => byId("router").click() },
    ...types,
    ...earlier.map((button) => ({ name: `${texts.conversations}: ${button.textContent}`, run: () => button.click() })),
  ];
}

function speak() {
  document.documentElement.lang = language;
  document.title = texts.title;
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = texts[node.dataset.text];
}

function begin() {
  speak();
  byId("ask").addEventListener("submit", submit);
  byId("stop").addEventListener("click", stop);
  byId("fresh").addEventListener("click", startAnew);
  byId("save").addEventListener("click", save);
  byId("commands").addEventListener("click", palette(commands));
  byId("documents").addEventListener("click", library(rpc, said));
  byId("router").addEventListener("click", router(rpc, said));
  byId("question").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") stop();
  });
  byId("unlock").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem("key", byId("key").value);
    byId("key").value = "";
    byId("unlock").hidden = true;
    void past.show();
    void openSession(session);
  });
  window.addEventListener("beforeunload", () => {
    leaving = true;
  });
  window.addEventListener("pageshow", () => {
    leaving = false;
  });
  document.addEventListener("visibilitychange", catchUp);
  window.addEventListener("focus", catchUp);
  window.addEventListener("hashchange", () => {
    const named = decodeURIComponent(location.hash.slice(1));
    if (named && named !== session) void openSession(named);
  });
  if (matchMedia("(max-width: 46rem)").matches) byId("past").open = false;
  const known = decodeURIComponent(location.hash.slice(1)) || localStorage.getItem("session");
  if (known) void openSession(known);
  else beginSession();
  void past.show();
  byId("question").focus();
}

begin();
