// Rounds: a list with filters, page by page, and the story of one.

import { $, amount, count, h, num, plural, sync, when, write } from "./text.js";

/** The filter as the form has it: fields of the question. */
export function filterOf() {
  const kept = $("rounds-kept").value, [how, name] = [kept.slice(0, 1), kept.slice(1)];
  return { contains: $("rounds-id").value.trim(), opened: $("rounds-opened").value, kept: how === "=" ? name : "", ended: how === "!" ? name : "" };
}

export const isFiltered = (filter) => Object.values(filter).some((value) => value !== "");

/** Offer the boxes of a problem in the filters. */
export function listFilters(view) {
  const known = JSON.stringify([view.name, view.boxes]), form = $("rounds-filter");
  if (form.dataset.of === known) return;
  form.dataset.of = known;
  form.reset();
  const boxes = (mark) => view.boxes.map((box) => h("option", { value: `${mark}${box}` }, box));
  $("rounds-opened").replaceChildren(h("option", { value: "" }, "opened any box"), ...boxes(""));
  $("rounds-kept").replaceChildren(h("option", { value: "" }, "kept anything"), ...boxes("="),
    h("option", { value: "!outside" }, "the outside option"), h("option", { value: "!nothing" }, "ended with nothing"), h("option", { value: "!waited" }, "ended by waiting"));
}

/** List open rounds, on the first page without a filter, and a page of closed ones. */
export function showRounds(view, { open, page, filter, number }, chosen, choose) {
  const rows = [
    ...(number || isFiltered(filter) ? [] : open.slice(0, 20)).map((r) => ({ id: r.round, ended: "", kept: "open", at: r.opened_at, is: r.round === chosen })),
    ...page.rounds.map((r) => ({ id: r.round, ended: when(r.closed_at), looks: r.looks, kept: r.chosen, paid: r.paid, total: r.total, is: r.round === chosen })),
  ];
  sync($("round-rows"), rows, (r) => r.id, (r) => h("tr", { class: r.is ? "chosen" : null },
    h("th", { scope: "row" }, h("button", { type: "button", title: r.id, "aria-current": r.is ? "true" : null, onclick: () => choose(r.id) }, r.id)),
    h("td", {}, r.ended),
    h("td", { class: "number" }, r.looks === undefined ? "" : count(r.looks)),
    h("td", { class: "kept", title: r.kept ?? null }, r.kept ?? (r.looks === undefined ? "" : r.total === null ? "nothing" : "outside")),
    h("td", { class: "number" }, r.paid === undefined ? "" : amount(r.paid, view.unit)),
    h("td", { class: "number" }, r.total === undefined ? "" : amount(r.total, view.unit))));
  write("rounds-found", isFiltered(filter) ? `${plural(page.found, "round")} found` : "");
  $("rounds-newer").disabled = number === 0;
  $("rounds-older").disabled = page.before === null;
  write("rounds-page", page.found > page.rounds.length || number ? `page ${count(number + 1)}` : "");
  for (const id of ["rounds-newer", "rounds-older"]) $(id).hidden = number === 0 && page.before === null;
  $("rounds-title").closest("section").hidden = rows.length === 0 && number === 0 && !isFiltered(filter) && view.rounds_closed === 0;
}

/** Tell the story of a round, step by step. */
export function showStory(view, story, follows) {
  const unit = view.unit;
  write("story-title", `Round ${story.round}`);
  const outcome = story.outcome;
  const state = !story.closed ? (story.next === null ? "Open; the rule would stop." : `Open; the rule would open ${story.next} next.`)
    : outcome.total === null ? `Ended with nothing, ${amount(outcome.paid, unit)} paid.`
      : `Kept ${outcome.chosen ?? "the outside option"} at ${amount(outcome.value, unit)}, paid ${amount(outcome.paid, unit)}: ${amount(outcome.total, unit)} in total.`;
  write("story-state", follows ? `${state} The newest round; choose another in the list.` : state);
  sync($("steps"), story.steps.map((step, i) => ({ i, ...step })), (s) => `${story.round} ${s.i}`,
    (step) => h("li", {}, step.text, h("time", { datetime: new Date(step.at * 1000).toISOString() }, when(step.at))));
  // A policy that decides again after every look has no reservation values
  $("story-boxes").closest("table").classList.toggle("without-sigma", story.boxes.every((b) => b.reservation_value === null));
  sync($("story-boxes"), story.boxes, (b) => b.box, (b) => h("tr", { class: b.opened ? "open" : null },
    h("td", { class: "tick" }, h("span", { role: "img", "aria-label": b.opened ? "opened" : "stayed closed" }, b.opened ? "●" : "○")),
    h("th", { scope: "row" }, b.box),
    h("td", { class: "number sigma" }, num(b.reservation_value)),
    h("td", { class: "number" }, num(b.paid ?? b.cost)),
    h("td", { class: "number" }, b.value === null ? (b.opened ? "nothing" : "closed") : `${num(b.value)}${b.late ? " late" : ""}`)));
}
