// What other policies would have cost, by the rounds that have ended: asked for by name, since it takes a while.

import { ask, problemPath, Refused } from "./api.js";
import { $, count, h, num, percent, sync, write } from "./text.js";

const HEADINGS = ["policy", "total per round", "95 %", "certain", "by draws", "unknown", "difference, 95 %", "verdict"];
let asked = null;

/** Forget what was said when another problem is shown. */
export function showJudge(view) {
  if (asked?.problem === view.name) return;
  asked = { problem: view.name };
  $("judge").hidden = view.rounds_closed === 0;
  $("judge-table").hidden = true;
  write("judge-words", "");
}

export function beginJudge() {
  $("judge-form").addEventListener("submit", (event) => {
    event.preventDefault();
    judge(asked, $("judge-policies").value.trim() || "default");
  });
}

async function judge(mine, policies) {
  $("judge-button").disabled = true;
  write("judge-words", "Computing …");
  try {
    const path = problemPath(mine.problem, `/judge?${new URLSearchParams({ policy: policies })}`);
    let told = await ask(path);
    while (!told.done && asked === mine) told = await ask(path);
    if (asked === mine) show(told);
  } catch (error) {
    if (asked === mine) write("judge-words", error instanceof Refused ? error.message : "The service does not answer.");
  } finally {
    $("judge-button").disabled = false;
  }
}

const between = (low, high) => `${low === null ? "?" : num(low)} … ${high === null ? "?" : num(high)}`;

function show(told) {
  $("judge-table").hidden = false;
  sync($("judge-head"), HEADINGS, (name) => name, (name) => h("th", { scope: "col", class: name === "policy" ? null : "number" }, name));
  sync($("judge-rows"), told.policies, (p) => p.policy, (p) => h("tr", {},
    h("th", { scope: "row" }, p.policy),
    ...[p.total === null ? "" : num(p.total), between(p.low, p.high), percent(p.certain), percent(p.explored), percent(p.unidentified),
      p.verdict === null ? "" : between(p.difference_low, p.difference_high), p.verdict ?? ""].map((text) => h("td", { class: "number" }, text))));
  write("judge-words", `${count(told.rounds)} rounds, compared with ${told.against}${
    told.recorded === null ? "" : `; recorded: ${num(told.recorded)} per round, without what draws opened`}. Certain is what is known whatever was drawn; of what is unknown there are bounds.`);
}
