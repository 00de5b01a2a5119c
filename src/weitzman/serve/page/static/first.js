// What to type: the first problem, and the first round of one.

import { key } from "./api.js";
import { $, write } from "./text.js";

/** Tell how to open a round, where there is none. */
export function firstRound(view) {
  const none = !view.rounds_closed && !view.rounds_open;
  $("first-round").hidden = !none;
  if (none) write("curl-first", curlRound(view.name, view.boxes.length, view.dimension));
}

const JSON_TYPE = "-H 'Content-Type: application/json'";
const bearer = () => (key.get() ? " -H \"Authorization: Bearer $KEY\"" : "");
const base = () => location.href.split("#")[0].replace(/\/$/, "");
const curlRound = (name, boxes, dimension) => {
  const contexts = JSON.stringify(Array.from({ length: boxes }, () => Array(dimension).fill(1))).replaceAll(",", ", ");
  return `curl${bearer()} ${JSON_TYPE} ${base()}/v1/problems/${name}/rounds -d '\n  {"id": "first", "contexts": ${boxes * dimension > 40 ? "[[…], …]" : contexts}, "costs": 0.4}'`;
};

/** Tell how to create a problem. */
export function writeWelcome() {
  write("curl-problem", `curl${bearer()} ${JSON_TYPE} ${base()}/v1/problems -d '
  {"name": "quotes", "boxes": ["north", "south", "web"], "features": ["size", "urgent"], "cost": 0.4}'`);
  write("curl-round", `curl${bearer()} ${JSON_TYPE} ${base()}/v1/problems/quotes/rounds -d '
  {"id": "order-1", "contexts": [[2, 0], [2, 0], [2, 0]], "outside": 9}'
curl${bearer()} ${JSON_TYPE} ${base()}/v1/problems/quotes/rounds/order-1/values -d '
  {"values": {"north": 3.1}}'
curl${bearer()} ${JSON_TYPE} -X POST ${base()}/v1/problems/quotes/rounds/order-1/close`);
}
