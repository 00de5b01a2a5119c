// Two problems side by side, over the same window.

import * as charts from "./charts.js";
import { optionRows } from "./options.js";
import { $, count, h, meanOf, short, sync, write } from "./text.js";

const PIECES = 32;

/** List the problems that one can be set beside. */
export function listBeside(problems, view, chosen) {
  const names = problems.map((p) => p.name).filter((name) => name !== view.name);
  $("beside-field").hidden = names.length === 0;
  const select = $("beside"), known = JSON.stringify([view.name, names]);
  if (select.dataset.of !== known) {
    select.dataset.of = known;
    select.replaceChildren(h("option", { value: "" }, "nothing else"), ...names.map((name) => h("option", { value: name }, name)));
  }
  select.value = names.includes(chosen) ? chosen : "";
}

const FIGURES = [
  ["Rounds", (t) => count(t.rounds), null],
  ["Total a round", (t, unit) => meanOf(t.report.means.total, unit).join(" "), (t) => t.report.means.total],
  ["Boxes opened a round", (t) => meanOf(t.report.means.looks).join(" "), (t) => t.report.means.looks],
  ["Paid a round", (t, unit) => short(t.rounds ? t.report.paid / t.rounds : null, unit), null],
  ["Looks not made, a round", (t, unit) => meanOf(t.report.means.saved_against_all, unit).join(" "), null],
  ["Gained over the outside option, a round", (t, unit) => meanOf(t.report.means.saved_against_outside, unit).join(" "), null],
  ["Looks after the best possible value", (t) => (t.beyond_best === null ? "–" : count(t.beyond_best)), null],
];

/** What the second has beyond the first, with the standard error of that; null where it is not known. */
function difference(first, second) {
  if (first.mean === null || second.mean === null || first.error === null || second.error === null) return null;
  return { mean: second.mean - first.mean, error: Math.hypot(first.error, second.error) };
}

/** Show two problems, each with what its rounds of the window came to; nothing to hide them. */
export function showCompare(left, right) {
  $("compare").hidden = !right;
  if (!right) return;
  const both = [left, right], units = both.map(({ view }) => view.unit);
  const alike = left.view.sense === right.view.sense && units[0] === units[1];
  sync($("compare-head"), ["", left.view.name, right.view.name, "difference"].map((name, i) => ({ name, i })), (c) => `${c.i}`,
    ({ name, i }) => h(i ? "th" : "td", i ? { scope: "col", class: "number" } : {}, name));
  const rows = FIGURES.map(([name, text, mean]) => {
    const gap = mean && (alike || name.startsWith("Boxes")) ? difference(mean(left.told), mean(right.told)) : null;
    const unit = name.startsWith("Boxes") ? "" : units[0];
    return { name, cells: [...both.map(({ told }, i) => text(told, units[i])), gap === null ? "" : meanOf(gap, unit).join(" ")] };
  });
  sync($("compare-rows"), rows, (r) => r.name, (r) => h("tr", {}, h("th", { scope: "row" }, r.name), ...r.cells.map((c) => h("td", { class: "number" }, c))));
  write("compare-words", verdict(left, right, alike));
  charts.curves("compare-chart", both.map(({ view, told }, i) => [view.name, ["blue", "orange"][i], pieces(told.report), i ? "dash" : "solid"]),
    alike ? inAxis("total a round", units[0]) : "total a round");
  for (const [side, { view, told }] of [["left", left], ["right", right]]) {
    write(`compare-${side}`, view.name);
    optionRows($(`compare-${side}-rows`), told.options, view.unit);
  }
}

export const inAxis = (words, unit) => (unit ? `${words}, ${unit}` : words);

function verdict(left, right, alike) {
  if (!alike) return "One counts in another unit, or in the other direction: totals cannot be compared.";
  const gap = difference(left.told.report.means.total, right.told.report.means.total);
  if (gap === null) return "Too few rounds to compare totals.";
  const unit = left.view.unit, low = gap.mean - 2 * gap.error, high = gap.mean + 2 * gap.error;
  const interval = `between ${short(low, unit)} and ${short(high, unit)}`;
  if (low <= 0 && high >= 0) return `Too few rounds to say which total is better: that of ${right.view.name} differs by ${interval} a round.`;
  const better = (gap.mean < 0) === (left.view.sense === "min") ? right : left;
  return `${better.view.name} has the better total: the difference is ${interval} a round. Their rounds may be of different kinds: this is no experiment.`;
}

/** The mean total of the rounds between two points. */
function pieces(report) {
  const ends = report.curve, points = [], step = Math.max(1, Math.ceil(ends.length / PIECES));
  let before = { closed: 0, total: 0 };
  ends.forEach((point, i) => {
    if ((i + 1) % step && i < ends.length - 1) return;
    points.push([point.closed, (point.total - before.total) / (point.closed - before.closed)]);
    before = point;
  });
  return points;
}
