// The page: asks its server every second, and shows what has changed.

import { Refused, ask, key, problemPath } from "./api.js";
import * as charts from "./charts.js";
import { listBeside, showCompare } from "./compare.js";
import { firstRound, writeWelcome } from "./first.js";
import { beginJudge, showJudge } from "./judge.js";
import { beginManage, showManage } from "./manage.js";
import { showOptions } from "./options.js";
import { listFeatures, showAbout, showHealth, showPoints, showReport } from "./problem.js";
import { filterOf, listFilters, showRounds, showStory } from "./rounds.js";
import { $, count, h, span, sync, write } from "./text.js";
import { askWindow, beat, isKnown, question, showWindow, withQuestion } from "./window.js";

const EVERY = 1_000, AT_MOST = 16_000, FEW = 50, PAGE = 100;
const ORDERS = { name: () => 0, rounds: (a, b) => b.rounds_closed - a.rounds_closed, created: (a, b) => b.created - a.created };
const state = {
  most: PAGE, revealed: null,
  problems: null, listed: 0, chosen: null, round: null, feature: 0, window: "", beside: null,
  shown: "", told: null, pages: [null], rounds: null, points: "", seen: null, failures: 0, timer: 0, busy: false, again: false,
};

const fromAddress = () => {
  const parts = new URLSearchParams(location.hash.slice(1));
  const window = parts.get("window") ?? "";
  return { problem: parts.get("problem"), round: parts.get("round"), window: isKnown(window) ? window : "", beside: parts.get("beside") };
};

function toAddress() {
  const parts = new URLSearchParams();
  if (state.chosen) parts.set("problem", state.chosen);
  for (const name of ["round", "window", "beside"]) if (state[name]) parts.set(name, state[name]);
  history.replaceState(null, "", `#${parts}`);
}

function show(id) {
  for (const name of ["ask", "welcome", "problem"]) $(name).hidden = name !== id;
  $("side").hidden = id !== "problem";
}

function choose(name, round = null) {
  if (name !== state.chosen) {
    charts.forget();
    $("problem").ariaBusy = "true";
    Object.assign(state, { shown: "", told: null, pages: [null], rounds: null, points: "", feature: 0 });
  }
  Object.assign(state, { chosen: name, round });
  toAddress();
  listProblems();
  soon();
}

function chooseRound(round) {
  state.round = round;
  toAddress();
  soon();
}

/** Show other rounds: those of another window, of another page, or that pass another filter. */
function showOthers(changes) {
  Object.assign(state, { shown: "", ...changes });
  $("problem").ariaBusy = "true";
  toAddress();
  soon();
}

function listProblems() {
  const words = $("filter").value.toLowerCase().split(/\s+/);
  const all = state.problems.length;
  $("finder").hidden = all <= 8;
  const found = state.problems
    .filter((p) => words.every((word) => `${p.name}\n${p.description}`.toLowerCase().includes(word)))
    .sort(ORDERS[$("order").value]);
  const listed = found.slice(0, state.most);
  const chosen = found.find((p) => p.name === state.chosen);
  if (chosen && !listed.includes(chosen)) listed.unshift(chosen);
  write("side-count", all <= 8 ? "" : found.length === all ? count(all) : `${count(found.length)} of ${count(all)}`);
  $("more").hidden = found.length <= state.most;
  write("more", `Show ${count(Math.min(PAGE, found.length - state.most))} more`);
  const rows = listed.map((p) => ({ name: p.name, rounds: p.rounds_closed, archived: p.archived, is: p.name === state.chosen }));
  sync($("problems"), rows, (p) => p.name, (p) => h("li", {},
    h("button", { type: "button", "aria-current": p.is ? "true" : null, onclick: () => choose(p.name) },
      h("span", {}, p.name, p.archived ? h("span", { class: "note" }, " archived") : null),
      h("span", { "aria-label": `${p.rounds} rounds` }, count(p.rounds)))));
}

/** Scroll the list, and nothing else, to the problem that is shown. */
function reveal() {
  const box = $("problems").parentElement, row = box.querySelector("[aria-current]");
  if (!row || state.revealed === state.chosen) return;
  state.revealed = state.chosen;
  const above = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (above < 0 || above + row.offsetHeight > box.clientHeight) box.scrollTop += above - row.offsetHeight;
}

/** Ask for what may have changed, and show it. */
async function refresh() {
  if (!state.problems || state.problems.length <= FEW || Date.now() - state.listed > AT_MOST) {
    state.problems = (await ask("v1/problems")).problems;
    state.listed = Date.now();
  }
  if (!state.problems.length) {
    show("welcome");
    document.title = "weitzman";
    writeWelcome();
    return;
  }
  if (!state.problems.some((p) => p.name === state.chosen)) {
    const busiest = state.problems.reduce((a, b) => (b.rounds_closed > a.rounds_closed ? b : a));
    state.chosen = busiest.name;
    state.round = null;
  }
  listProblems();
  const name = state.chosen;
  const view = state.problems.length <= FEW ? state.problems.find((p) => p.name === name) : await ask(problemPath(name));
  await showProblem(view);
}

async function askRounds(name, filter) {
  const asked = { ...question(state.window), ...filter, before: state.pages.at(-1) };
  const [{ open }, page] = await Promise.all([ask(problemPath(name, "/rounds")), ask(withQuestion(problemPath(name, "/closed"), asked))]);
  return { open, page, filter, number: state.pages.length - 1 };
}

/** The problem to be set beside, as it is; null if there is none. */
async function askBeside(view) {
  const other = state.problems.find((p) => p.name === state.beside && p.name !== view.name);
  if (!other) return null;
  const [now, told] = await Promise.all([ask(problemPath(other.name)), askWindow(other.name, state.window)]);
  return { view: now, told };
}

async function showProblem(view) {
  listFilters(view);
  listBeside(state.problems, view, state.beside);
  $("window").value = state.window;
  const filter = filterOf();
  const beside = state.problems.find((p) => p.name === state.beside);
  const now = JSON.stringify([view, state.window, beat(state.window), state.pages, filter, state.beside, beside?.rounds_closed]);
  const [health, news] = await Promise.all([
    ask(problemPath(view.name, "/diagnostics")),
    now === state.shown ? null : Promise.all([askWindow(view.name, state.window), askRounds(view.name, filter), askBeside(view)]),
  ]);
  if (view.name !== state.chosen) return;
  show("problem");
  reveal();
  document.title = `${view.name} · weitzman`;
  showAbout(view);
  listFeatures(view, state.feature);
  showJudge(view);
  showManage(view, () => { state.problems = null; soon(); });
  if (news) {
    const [told, rounds, other] = news;
    showReport(view, told.report);
    showOptions(view, told);
    showWindow(view, told);
    showCompare({ view, told }, other);
    Object.assign(state, { told, rounds });
    // What is still being read is asked for again
    const whole = [told, rounds.page, other?.told ?? told].every((part) => part.share_read === 1);
    state.shown = whole ? now : "";
  }
  showHealth(view, health, state.told, Date.now() / 1000);
  firstRound(view);
  await Promise.all([showChosenRound(view), showChosenFeature(view)]);
  await charts.settled();
  if (view.name === state.chosen) $("problem").ariaBusy = "false";
}

async function showChosenRound(view) {
  const { open, page } = state.rounds;
  const newest = page.rounds[0]?.round ?? open[0]?.round ?? null;
  const round = state.round ?? newest;
  showRounds(view, state.rounds, round, chooseRound);
  $("story").hidden = round === null;
  if (round === null) return;
  try {
    const story = await ask(problemPath(view.name, `/rounds/${encodeURIComponent(round)}`));
    if (view.name === state.chosen && (state.round ?? newest) === round) showStory(view, story, state.round === null);
  } catch (error) {
    if (!(error instanceof Refused && error.status === 404)) throw error;
    state.round = null;
    toAddress();
  }
}

async function showChosenFeature(view) {
  const wanted = JSON.stringify([view.name, state.feature, view.rounds_closed]);
  if (state.points === wanted) return;
  const points = await ask(problemPath(view.name, `/features/${state.feature}`));
  if (view.name !== state.chosen) return;
  state.points = wanted;
  showPoints(view, points);
}

function askForKey(text) {
  show("ask");
  write("ask-error", text);
  setStatus("wait", "key needed");
  $("key").focus();
}

function setStatus(kind, text) {
  $("status").dataset.state = kind;
  write("status-text", text);
}

function fail(error) {
  if (error instanceof Refused && (error.status === 401 || error.status === 403)) {
    askForKey(key.get() ? error.message : "");
    key.forget();
    $("forget").hidden = true;
    return false;
  }
  state.failures += 1;
  if (error instanceof Refused && error.status === 429) return true;
  setStatus("away", "not connected");
  const since = state.seen === null ? "" : ` What you see is from ${new Date(state.seen).toLocaleTimeString("en-GB")}.`;
  write("away", error instanceof Refused
    ? `The server answers ${error.status}: ${error.message}${since}`
    : `The server does not answer; trying again.${since}`);
  $("away").hidden = false;
  return true;
}

async function tick() {
  clearTimeout(state.timer);
  if (state.busy) {
    state.again = true;
    return;
  }
  state.busy = true;
  let goOn = true;
  try {
    await refresh();
    Object.assign(state, { failures: 0, seen: Date.now() });
    $("away").hidden = true;
    $("forget").hidden = !key.get();
    setStatus("live", "live");
    age();
  } catch (error) {
    goOn = fail(error);
  }
  state.busy = false;
  if (state.again) {
    state.again = false;
    soon();
  } else if (goOn && !document.hidden) {
    state.timer = setTimeout(tick, Math.min(AT_MOST, EVERY * 2 ** state.failures));
  }
}

function soon() {
  clearTimeout(state.timer);
  state.timer = setTimeout(tick, 0);
}

function age() {
  write("status-age", state.seen === null ? "" : Date.now() - state.seen < 3_000 ? "" : `${span((Date.now() - state.seen) / 1000)} ago`);
}

function begin() {
  const { problem, round, window, beside } = fromAddress();
  Object.assign(state, { chosen: problem, round, window, beside });
  for (const id of ["filter", "order"]) {
    $(id).addEventListener("input", () => { state.most = PAGE; if (state.problems) listProblems(); $("problems").parentElement.scrollTop = 0; });
  }
  $("more").addEventListener("click", () => { state.most += PAGE; listProblems(); });
  $("feature").addEventListener("change", (event) => { state.feature = Number(event.target.value); soon(); });
  $("window").addEventListener("change", (event) => showOthers({ window: event.target.value, pages: [null] }));
  $("beside").addEventListener("change", (event) => showOthers({ beside: event.target.value || null }));
  $("rounds-filter").addEventListener("submit", (event) => event.preventDefault());
  $("rounds-filter").addEventListener("input", () => showOthers({ pages: [null] }));
  $("rounds-older").addEventListener("click", () => showOthers({ pages: [...state.pages, state.rounds.page.before] }));
  $("rounds-newer").addEventListener("click", () => showOthers({ pages: state.pages.slice(0, -1) }));
  $("forget").addEventListener("click", () => { key.forget(); location.reload(); });
  $("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    key.set($("key").value.trim());
    $("key").value = "";
    soon();
  });
  addEventListener("online", soon);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(); });
  addEventListener("hashchange", () => {
    const wanted = fromAddress();
    if (!wanted.problem || !state.problems) return;
    if (wanted.window !== state.window || wanted.beside !== state.beside) showOthers({ window: wanted.window, beside: wanted.beside, pages: [null] });
    choose(wanted.problem, wanted.round);
  });
  beginJudge();
  beginManage();
  setInterval(age, 1_000);
  tick();
}

begin();
