// One problem: its numbers, in words and charts.

import * as charts from "./charts.js";
import { inAxis } from "./compare.js";
import { $, amount, count, few, h, meanOf, num, plural, span, sync, write, writeNumber } from "./text.js";

/** Return what decides, by the name that a replay has for it. */
function decider(view) {
  if (view.policy === "Weitzman") return view.parameters.learner.class;
  return view.policy === "Simple" ? view.parameters.rule : view.policy ?? view.learner;
}

/** Say what the problem is. */
export function showAbout(view) {
  const better = view.sense === "min" ? "smaller is better" : "larger is better";
  const best = view.least ?? view.most, bound = best == null ? null : `${amount(best, view.unit)} is the best possible value`;
  write("name", view.name);
  write("description", view.description);
  $("description").hidden = !view.description;
  write("about", [
    plural(view.boxes.length, "box", "boxes"), plural(view.dimension, "feature"), better, bound, view.unit ? `in ${view.unit}` : null, decider(view),
    view.feedback === "full" ? "learns every value" : "learns opened boxes",
    view.explore === null ? null : `explores ${num(100 * view.explore)} %`,
    plural(view.rounds_closed, "round"), view.rounds_open ? `${count(view.rounds_open)} open` : null,
    view.shadow ? "shadow" : null, view.archived ? "archived" : null,
  ].filter(Boolean).join(" · "));
}

/** Show what its rounds came to. */
export function showReport(view, report) {
  const n = report.rounds_closed, full = report.known > 0 && report.known === n - report.rounds_without_value;
  $("charts").hidden = n === 0;
  showSavings(view, report, full);
  showRegret(view, report, full);
  showLooks(view, report);
  const [main, error] = meanOf(report.means.total, view.unit);
  writeNumber("total", [main, error]);
  write("total-note", report.means.total.rounds
    ? `value ${view.sense === "min" ? "plus" : "minus"} costs, mean over ${plural(report.means.total.rounds, "round")}` : "no round has a value yet");
  charts.calibration("calibration-chart", worst(report.boxes));
  const looked = report.boxes.filter((b) => b.calibration !== null).length;
  write("calibration-words", !looked ? (report.looks ? "The policy decides again after every look: there are no reservation values to be right or wrong." : "No box has been opened.") : `By box, with two standard errors either way. At 1 a box's reservation values are right; below, they are too ${
    view.sense === "min" ? "small" : "large"} and it is opened too eagerly, as optimism does on purpose; above, too seldom.${
    looked > 24 ? ` The 24 farthest from 1 of ${looked}.` : ""}`);
  showShadow(view, report);
  showDraws(view, report);
}

const curveOf = (report, field, of = (p) => p[field]) => {
  const points = report.curve.map((p) => [p.closed, of(p)]);
  if (points.at(-1)?.[0] !== report.rounds_closed && report.rounds_closed) points.push([report.rounds_closed, of(report)]);
  return [[0, 0], ...points];
};

function showSavings(view, report, full) {
  const means = report.means, unit = view.unit;
  const [saved, mean, words] = full
    ? [report.saved_against_everything, means.saved_against_everything, "a round, against opening every box"]
    : [report.saved_against_all, means.saved_against_all, "a round, in looks not made"];
  writeNumber("saved", [amount(report.rounds_closed ? saved : null, unit), ""]);
  write("saved-note", report.rounds_closed ? `${meanOf(mean, unit).join(" ").trim()} ${words}` : "no closed rounds yet");
  const series = full
    ? [["against opening every box", "blue", curveOf(report, "saved_against_everything")]]
    : [["looks not made", "blue", curveOf(report, "saved_against_all")]];
  if (full && report.fixed_rounds === report.known) series.push(["against the best single box", "orange", curveOf(report, "saved_against_fixed"), "dash"]);
  if (report.outside_rounds) series.push(["against the outside option", "green", curveOf(report, "saved_against_outside"), "dot"]);
  charts.curves("savings-chart", series, inAxis("saved in all", unit));
  const words2 = [full
    ? "Opening every box pays all costs and keeps the best value: every value is known here, so the saving is exact."
    : "The costs of boxes left closed. What they would have shown is not known from opened boxes, so a better value may have been passed over."];
  if (full && report.best_fixed_box !== null) words2.push(`The best single box so far is ${report.best_fixed_box}, opened alone every time.`);
  if (report.outside_rounds) words2.push(`${plural(report.outside_rounds, "round")} had an outside option; against keeping it: ${meanOf(means.saved_against_outside, unit).join(" ").trim()} a round.`);
  write("savings-words", words2.join(" "));
}

function showRegret(view, report, full) {
  const means = report.means, unit = view.unit, promised = means.shortfall.rounds > 0;
  const none = !report.rounds_closed || (!full && !promised);
  const [label, sum, mean] = full ? ["Regret", report.regret, means.regret] : ["Regret estimate", report.shortfall, means.shortfall];
  write("regret-label", label);
  writeNumber("regret", [amount(none ? null : sum, unit), ""]);
  write("regret-note", none ? (report.rounds_closed ? "not known from opened boxes" : "no closed rounds yet")
    : `${meanOf(mean, unit).join(" ").trim()} a round, ${full ? "against hindsight" : "paid beyond what was promised"}`);
  const series = [];
  if (full) series.push(["against hindsight", "vermilion", curveOf(report, "regret")]);
  if (promised) series.push(["paid beyond promise", "purple", curveOf(report, "shortfall"), full ? "dash" : "solid"]);
  charts.curves("regret-chart", series, inAxis("lost in all", unit));
  write("regret-words", none ? "Hindsight is not known from opened boxes, and a policy that decides again after every look promises nothing." : full
    ? "Hindsight opens only the one box with the best value and cost: nobody reaches it, so its regret grows even for the best rule. What is paid beyond what the reservation values promised, Σ cost − Σ (σ − v)⁺ over looks, stays near 0 when they are right; below 0, looks showed better than was promised."
    : "Hindsight is not known from opened boxes. What can be known: a round costs what its reservation values promised plus Σ cost − Σ (σ − v)⁺ over its looks. That stays near 0 when they are right, is above while boxes are opened to learn, and below where looks show better than was promised.");
}

function showLooks(view, report) {
  const n = report.rounds_closed;
  const [mean, error] = meanOf(report.means.looks);
  writeNumber("looks", [mean, error]);
  write("looks-note", `of ${plural(view.boxes.length, "box", "boxes")}; ${plural(report.looks, "look")} for ${amount(report.paid, view.unit)} in all`);
  const points = [];
  let before = { closed: 0, looks: 0 };
  const ends = [...report.curve, { closed: report.rounds_closed, looks: report.looks }];
  const step = Math.max(1, Math.ceil(ends.length / 64));
  ends.forEach((point, i) => {
    if ((i + 1) % step && i < ends.length - 1) return;
    if (point.closed <= before.closed) return;
    points.push([point.closed, (point.looks - before.looks) / (point.closed - before.closed)]);
    before = point;
  });
  charts.curves("looks-chart", [["boxes opened a round", "blue", points]], "boxes a round", true);
  const counts = report.rounds_by_looks;
  const last = counts.findLastIndex((c) => c > 0);
  charts.bars("depth-chart", counts.slice(0, Math.max(2, last + 2)));
  write("depth-words", n === view.rounds_closed ? "All closed rounds." : `${plural(n, "closed round")}.`);
}

const worst = (boxes) => {
  const looked = boxes.filter((b) => b.calibration !== null);
  if (looked.length <= 24) return looked;
  const away = (b) => Math.abs(Math.log(Math.max(b.calibration, 1e-3)));
  return looked.sort((a, b) => away(b) - away(a)).slice(0, 24);
};

function showShadow(view, report) {
  const shadow = report.shadow;
  $("shadow").hidden = !shadow;
  if (!shadow) return;
  const gain = view.sense === "min" ? shadow.caller_total - shadow.rule_total : shadow.rule_total - shadow.caller_total;
  write("shadow-text", shadow.rounds
    ? `In ${plural(shadow.rounds, "round")} in which the rule's own looks are known its total would have been ${num(shadow.rule_total)}, and the caller's was ${num(shadow.caller_total)}: ${
      gain >= 0 ? `${num(gain)} better` : `${num(-gain)} worse`} in all. Both opened the same boxes in ${count(shadow.agreed)} of them.`
    : "The rule only watches. There is no round yet in which all values are known that the rule would have asked for.");
}

/** Say what draws open, what that may cost, and what it has cost. */
function showDraws(view, report) {
  const found = report.explored;
  $("draws").hidden = view.explore === null && !found;
  const more = view.explore_for === null ? "every box" : `what ${view.explore_for} needs`;
  const price = found?.rounds ? found.price / found.rounds : view.cost === null || view.explore === null ? null : view.explore * view.cost * view.boxes.length;
  write("draws-text", [
    view.explore === null ? "No round is drawn any more." : `In ${num(100 * view.explore)} % of the rounds, drawn beforehand, ${more} is opened, so that the log can say what other rules would have cost.`,
    price === null ? null : `The price: at most ${num(price)} a round on average.`,
    found ? `So far ${plural(found.drawn, "round")} of ${count(found.rounds)} opened ${plural(found.looks, "box", "boxes")} more, for ${num(found.paid)} of ${num(report.paid)} in all.` : null,
  ].filter(Boolean).join(" "));
}

/** Show whether values come, in time, and from every box. */
export function showHealth(view, health, told, now) {
  const share = health.missing_share === null ? "" : ` (${num(100 * health.missing_share)} % of looks)`;
  const items = [
    ["Missing values", health.missing, health.missing_share > 0.05, health.missing ? `looks that brought nothing${share}` : "every look brought a value"],
    ["Late values", health.late, health.late > 0, health.late ? "came after the end of their round: stored, not learned" : "none came after the end of its round"],
    ["Ended by waiting", health.closed_by_waiting, health.closed_by_waiting > 0, health.closed_by_waiting ? "rounds that nobody closed in their waiting time" : "every round was closed by its caller"],
    ["Stale rounds", health.stale.length, health.stale.length > 0, health.stale.length ? `${few(health.stale)}: open for longer than half their waiting time` : health.oldest_wait === null ? "no round is open" : `${plural(health.rounds_open, "round")} open, the oldest for ${span(health.oldest_wait)}`],
    ["Starved boxes", health.starved.length, health.starved.length > 0, health.starved.length ? `${few(health.starved)}: not opened for 100 rounds or more` : "every box was opened in the last 100 rounds, or there are fewer"],
    ["Unknown labels", health.unknown_rounds, health.unknown_rounds > 0, health.unknown_rounds ? `rounds with ${few(health.unknown_levels)}: the problem has no such level, and takes the box to have none` : "every text was a level that the problem knows"],
    ["Off calibration", health.miscalibrated.length, health.miscalibrated.length > 0, health.miscalibrated.length ? `${few(health.miscalibrated)}: below 0.5 or above 2 after 30 looks` : "no box is below 0.5 or above 2 after 30 looks"],
    beyondBest(view, told),
    ["Last value", health.last_value === null ? "–" : `${span(Math.max(0, now - health.last_value))} ago`, false, health.last_value === null ? "none has come yet" : "since the newest value came"],
  ];
  sync($("health"), items, ([name]) => name, ([name, number, isWarning, words]) => h("li", {},
    h("span", { class: `sign ${isWarning ? "warn" : "good"}`, role: "img", "aria-label": isWarning ? "attention" : "in order" }, isWarning ? "!" : "✓"),
    h("span", {}, name), h("span", { class: "count" }, typeof number === "number" ? count(number) : number),
    h("span", { class: "note" }, words)));
}

/** Looks that could not pay: those that were made with the best possible value in hand. */
function beyondBest(view, { beyond_best: looks, best_possible: best, report }) {
  const name = "Looks after the best possible value";
  if (looks === null) return [name, "–", false, "no best possible value is known: it can be said in the settings, and is found where values pile up"];
  const which = `${amount(best, view.unit)}, ${(view.least ?? view.most) === null ? "where values pile up" : "as was said"}`;
  return [name, looks, looks > 0.02 * report.looks, looks ? `of ${plural(report.looks, "look")}, with ${which}, in hand: nothing better could be found` : `none: every round ended when ${which}, was in hand`];
}

/** Show reservation values against the chosen feature. */
export function showPoints(view, points) {
  const looks = new Map(view.boxes.map((box) => [box, 0]));
  points.boxes.forEach((box, i) => looks.set(box, looks.get(box) + points.opened[i]));
  const order = view.boxes.length > 7 ? [...looks].sort((a, b) => b[1] - a[1]).map(([box]) => box) : view.boxes;
  charts.scatter("sigma-chart", points, order, inAxis("reservation value", view.unit));
  const rounds = new Set(points.rounds).size;
  write("sigma-words", points.boxes.length
    ? `The newest ${plural(rounds, "closed round")}. Filled where the box was opened, hollow where it stayed closed.`
    : rounds || !view.rounds_closed ? "No closed rounds yet." : "The policy decides again after every look: there are no reservation values.");
}

/** Offer the features of a problem, to show reservation values against. */
export function listFeatures(view, chosen) {
  const select = $("feature");
  if (select.dataset.of === JSON.stringify(view.features)) return;
  select.dataset.of = JSON.stringify(view.features);
  select.replaceChildren(...view.features.map((name, place) => h("option", { value: String(place) }, name)));
  select.value = String(chosen);
}
