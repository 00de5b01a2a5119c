// The window: which of the closed rounds the numbers, charts, tables and lists are about.

import { ask, problemPath } from "./api.js";
import { $, count, plural, when, write } from "./text.js";

const SECONDS = { hour: 3_600, day: 86_400, week: 604_800 };

/** What is asked of the service for a window: nothing for all rounds. */
export function question(window) {
  if (!window) return {};
  return window in SECONDS ? { seconds: SECONDS[window] } : { rounds: Number(window) };
}

/** A path with its question, if there is one. */
export function withQuestion(path, asked) {
  const known = Object.entries(asked).filter(([, value]) => value !== null && value !== "");
  return known.length ? `${path}?${new URLSearchParams(known)}` : path;
}

/** What the rounds of the window came to; of all rounds, with what only a report of all has. */
export async function askWindow(name, window) {
  const asked = question(window);
  const told = await ask(withQuestion(problemPath(name, "/window"), asked));
  return Object.keys(asked).length ? told : { ...told, report: await ask(problemPath(name, "/report")) };
}

/** What changes when a window has moved on by itself: time passes also where no round ends. */
export const beat = (window) => (window in SECONDS ? Math.floor(Date.now() / Math.min(60_000, 5 * SECONDS[window])) : 0);

export const isKnown = (window) => [...$("window").options].some((option) => option.value === window);

/** Say which rounds are shown. */
export function showWindow(view, told) {
  const older = told.left_out ? `; ${count(told.left_out)} older ones are not looked back at` : "";
  write("window-note", told.share_read < 1
    ? `reading the journal: ${Math.floor(100 * told.share_read)} %`
    : told.rounds === view.rounds_closed ? "" : told.since === null ? "no round ended then" : `${plural(told.rounds, "round")} since ${when(told.since)}${older}`);
}
