// What can be changed of a problem: its settings, whether it takes rounds, whether it is there.

import { Refused, problemPath, send } from "./api.js";
import { $, h, write } from "./text.js";

const FIELDS = [
  { name: "description", label: "Description", type: "text" },
  { name: "unit", label: "Unit of values and costs, such as $ or ms", type: "text" },
  { name: "cost", label: "Cost of a look, if the round does not say", type: "number", min: 0 },
  { name: "waiting_time", label: "Seconds after which a round ends by itself", type: "number", min: 0, needed: true },
  { name: "bound", label: "Best possible value", type: "number" },
  { name: "explore", label: "Share of rounds in which a draw opens more boxes", type: "number", min: 0 },
];
let shown = "", view = null, changed = () => {};

const boundName = () => (view.sense === "min" ? "least" : "most");
const valueOf = (name) => view[name === "bound" ? boundName() : name];

/** Show what can be changed of a problem; `then` is called when something was. */
export function showManage(problem, then) {
  view = problem;
  changed = then;
  const { rounds_open: _open, rounds_closed: _closed, ...settings } = problem;
  const now = JSON.stringify(settings);
  write("archive", problem.archived ? "Take rounds again" : "Take no more rounds");
  if (now === shown) return;
  shown = now;
  $("settings-fields").replaceChildren(...FIELDS.map(field));
  $("delete-name").value = "";
  $("delete").disabled = true;
  write("delete-label", `To delete ${problem.name} and forget its rounds, type its name`);
  write("manage-error", "");
}

const field = ({ name, label, type, min, needed }) => h("label", {}, label,
  h("input", { name, type, min: min ?? null, step: type === "number" ? "any" : null, required: needed ?? false, value: valueOf(name) ?? "" }));

/** Return the settings that the form has otherwise than the problem. */
function changes(form) {
  const found = {};
  for (const { name, type } of FIELDS) {
    const text = form.elements[name].value.trim();
    const value = type === "text" ? text : text === "" ? null : Number(text);
    if (value !== (valueOf(name) ?? (type === "text" ? "" : null))) found[name === "bound" ? boundName() : name] = value;
  }
  return found;
}

async function carryOut(work, done) {
  write("manage-error", "");
  write("manage-done", "");
  try {
    await work();
    write("manage-done", done);
    changed();
  } catch (error) {
    const plain = error instanceof Refused ? error.message : "The server does not answer.";
    write("manage-error", error.status === 403 ? `${plain} Forget the key, and enter one with scope admin.` : plain);
  }
}

/** Attach the section to the page, once. */
export function beginManage() {
  $("settings-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const found = changes(event.target);
    if (Object.keys(found).length) carryOut(() => send("PATCH", problemPath(view.name), found), "Saved.");
    else write("manage-done", "Nothing has changed.");
  });
  $("archive").addEventListener("click", () => {
    const [action, done] = view.archived ? ["unarchive", "It takes rounds again."] : ["archive", "It takes no more rounds; open ones end as they would."];
    carryOut(() => send("POST", problemPath(view.name, `/${action}`)), done);
  });
  $("delete-name").addEventListener("input", () => { $("delete").disabled = $("delete-name").value !== view.name; });
  $("delete-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if ($("delete-name").value === view.name) carryOut(() => send("DELETE", problemPath(view.name)), `${view.name} is deleted.`);
  });
}
