// The newest rounds, and the story of one.

import { $, count, h, num, sync, when, write } from "./text.js";

/** List open and closed rounds; ``choose`` is called with the id of the one that is pressed. */
export function showRounds(rounds, chosen, choose) {
  const rows = [
    ...rounds.open.slice(0, 20).map((r) => ({ id: r.round, ended: "", kept: "open", at: r.opened_at, is: r.round === chosen })),
    ...rounds.closed.slice(0, 50).map((r) => ({ id: r.round, ended: when(r.closed_at), looks: r.looks, kept: r.chosen, paid: r.paid, total: r.total, is: r.round === chosen })),
  ];
  sync($("round-rows"), rows, (r) => r.id, (r) => h("tr", { class: r.is ? "chosen" : null },
    h("th", { scope: "row" }, h("button", { type: "button", "aria-current": r.is ? "true" : null, onclick: () => choose(r.id) }, r.id)),
    h("td", {}, r.ended),
    h("td", { class: "number" }, r.looks === undefined ? "" : count(r.looks)),
    h("td", {}, r.kept ?? (r.looks === undefined ? "" : r.total === null ? "nothing" : "outside")),
    h("td", { class: "number" }, r.paid === undefined ? "" : num(r.paid)),
    h("td", { class: "number" }, r.total === undefined ? "" : num(r.total))));
  $("rounds-title").closest("section").hidden = rows.length === 0;
}

/** Tell the story of a round, step by step. */
export function showStory(story, follows) {
  write("story-title", `Round ${story.round}`);
  const outcome = story.outcome;
  const state = !story.closed ? (story.next === null ? "Open; the rule would stop." : `Open; the rule would open ${story.next} next.`)
    : outcome.total === null ? `Ended with nothing, ${num(outcome.paid)} paid.`
      : `Kept ${outcome.chosen ?? "the outside option"} at ${num(outcome.value)}, paid ${num(outcome.paid)}: ${num(outcome.total)} in total.`;
  write("story-state", follows ? `${state} The newest round; choose another in the list.` : state);
  sync($("steps"), story.steps.map((step, i) => ({ i, ...step })), (s) => `${story.round} ${s.i}`,
    (step) => h("li", {}, step.text, h("time", { datetime: new Date(step.at * 1000).toISOString() }, when(step.at))));
  sync($("story-boxes"), story.boxes, (b) => b.box, (b) => h("tr", { class: b.opened ? "open" : null },
    h("td", { class: "tick" }, h("span", { role: "img", "aria-label": b.opened ? "opened" : "stayed closed" }, b.opened ? "●" : "○")),
    h("th", { scope: "row" }, b.box),
    h("td", { class: "number" }, num(b.reservation_value)),
    h("td", { class: "number" }, num(b.paid ?? b.cost)),
    h("td", { class: "number" }, b.value === null ? (b.opened ? "nothing" : "closed") : `${num(b.value)}${b.late ? " late" : ""}`)));
}
