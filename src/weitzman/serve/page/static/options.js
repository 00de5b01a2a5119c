// What is done with each box: the table that a replay prints too.

import { $, count, h, percent, short, sync, write } from "./text.js";

const HEADINGS = ["box", "checked first", "checked at all", "kept", "paid per round", "mean value"];

/** Write a table of options into a body; its head is written with it. */
export function optionRows(body, options, unit) {
  const head = body.closest("table").querySelector("thead tr");
  sync(head, HEADINGS, (name) => name, (name) => h("th", { scope: "col", class: name === "box" ? null : "number" }, name));
  const rows = options.map((option) => ({ ...option, unit }));
  sync(body, rows, (o) => o.box, (o) => h("tr", {},
    h("th", { scope: "row" }, o.box),
    ...[percent(o.first), percent(o.checked), percent(o.kept), short(o.paid, unit), o.value === null ? "" : short(o.value, unit)]
      .map((text) => h("td", { class: "number" }, text))));
}

/** Show what was done with each box in the rounds of a window. */
export function showOptions(view, told) {
  $("options").hidden = told.rounds === 0;
  optionRows($("option-rows"), told.options, view.unit);
  const most = told.options.length ? Math.max(...told.options.map((o) => o.first)) : 0;
  write("options-words", `Shares are of ${count(told.rounds)} rounds, learning included; the mean value is that of the rounds in which the box was opened.${
    most === 0 ? " Nothing was opened." : ""}`);
}
