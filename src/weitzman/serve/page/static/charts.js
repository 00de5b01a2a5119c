// Charts: plotly from this server, dressed in the page's colours, drawn again only when their numbers change.

import { $, h, num } from "./text.js";

const CONFIG = { displayModeBar: false, responsive: true, doubleClick: "reset", scrollZoom: false };
const drawn = new Map(), pending = new Set();
let library = null;

function load() {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "page/plotly.js";
    script.onload = () => resolve(globalThis.Plotly);
    script.onerror = () => { library = null; reject(new Error("The charts could not be loaded.")); };
    document.head.append(script);
  });
  return library;
}

/** Text as plotly shows it, which reads some markup. */
const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const axis = (more) => ({
  gridcolor: css("line"), linecolor: css("line"), zerolinecolor: css("line"), tickcolor: css("line"),
  zeroline: false, automargin: true, fixedrange: true, title: { standoff: 8 }, ...more,
});

function dressed({ x, y, ...layout }) {
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: css("faint"), family: "system-ui, sans-serif", size: 12 },
    hoverlabel: { bgcolor: css("raised"), bordercolor: css("line"), font: { color: css("ink") } },
    margin: { l: 8, r: 12, t: 8, b: 8 }, showlegend: false, hovermode: "closest",
    ...layout, xaxis: axis({ showgrid: false, ...x }), yaxis: axis(y),
  };
}

const DASHES = { solid: "", dash: "7 4", dot: "2 3" };

/** A line as it is drawn, for a key. */
function sample(dash) {
  const name = "http://www.w3.org/2000/svg", svg = document.createElementNS(name, "svg"), line = document.createElementNS(name, "line");
  for (const [key, value] of Object.entries({ x1: 0, x2: 26, y1: 5, y2: 5, stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": DASHES[dash] })) line.setAttribute(key, value);
  for (const [key, value] of Object.entries({ width: 26, height: 10, "aria-hidden": "true" })) svg.setAttribute(key, value);
  svg.append(line);
  return svg;
}

/** Write above a chart what its colours stand for, as text: it takes the room that it needs, and none of the chart's. */
function writeKey(id, key) {
  const before = $(id).previousElementSibling;
  const list = before?.classList.contains("key") ? before : h("ul", { class: "key" });
  if (list !== before) $(id).before(list);
  list.hidden = key.length < 2;
  list.replaceChildren(...key.map(({ name, colour, sign }) => {
    const mark = h("span", { class: "mark-sign", "aria-hidden": "true" }, sign);
    mark.style.color = `var(--${colour})`;
    return h("li", {}, mark, name);
  }));
}

/** Draw a chart, or draw it again; ``make`` returns its traces and layout in today's colours. One without numbers is not there. */
function draw(id, words, numbers, make, key = []) {
  const empty = numbers === null;
  $(id).hidden = empty;
  writeKey(id, empty ? [] : key);
  if (empty) {
    drawn.delete(id);
    return;
  }
  const work = drawNow(id, words, numbers, make).catch((error) => {
    drawn.delete(id);
    $(id).textContent = error.message;
  });
  pending.add(work);
  work.finally(() => pending.delete(work));
}

/** Wait until everything is drawn. */
export const settled = () => Promise.all(pending);

async function drawNow(id, words, numbers, make) {
  if ($(id).closest("[hidden]")) return;
  const known = JSON.stringify(numbers);
  if (drawn.get(id)?.known === known) return;
  drawn.set(id, { known, make });
  $(id).setAttribute("aria-label", words);
  const plotly = await load();
  if (drawn.get(id)?.make !== make) return;
  const { traces, layout } = make();
  await plotly.react(id, traces, dressed(layout), CONFIG);
}

/** Draw everything again in the colours of the light or dark setting that is now on. */
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", async () => {
  const plotly = await load();
  for (const [id, { make }] of drawn) {
    const { traces, layout } = make();
    await plotly.react(id, traces, dressed(layout), CONFIG);
  }
});

function line(name, colour, xs, ys, more = {}) {
  const end = { size: xs.map((_, i) => (i === xs.length - 1 ? 7 : 0)), color: css(colour), opacity: 1, line: { width: 0 } };
  return {
    type: "scatter", mode: "lines+markers", name: plain(name), x: xs, y: ys, marker: end, cliponaxis: false,
    line: { color: css(colour), width: 2, ...more },
    hovertemplate: `%{y:.4~g} after %{x:,} rounds<extra>${plain(name)}</extra>`,
  };
}

/** Curves over closed rounds: [name, colour, points, dash]; the origin is the beginning of all. */
export function curves(id, series, unit, fromZero = false) {
  const key = series.map(([name, colour, , dash]) => ({ name, colour, sign: sample(dash ?? "solid") }));
  const last = series.map(([name, , points]) => `${name} ${num(points.at(-1)?.[1])}`).join("; ");
  draw(id, `Line chart over closed rounds: ${last}`, series.some(([, , points]) => points.length) ? [series, unit] : null, () => ({
    traces: series.map(([name, colour, points, dash]) =>
      line(name, colour, points.map((p) => p[0]), points.map((p) => p[1]), { dash: dash ?? "solid" })),
    layout: {
      x: { title: { text: "closed rounds" }, rangemode: "tozero" },
      y: { title: { text: plain(unit) }, zeroline: true, rangemode: fromZero ? "tozero" : "normal" },
    },
  }), key);
}

export function bars(id, counts) {
  const places = counts.map((_, i) => i);
  const words = `Bar chart: ${counts.map((n, i) => `${n} rounds with ${i}`).filter((_, i) => counts[i]).slice(0, 12).join(", ")} boxes opened`;
  draw(id, words, counts, () => ({
    traces: [{
      type: "bar", x: places, y: counts, marker: { color: css("sky") },
      hovertemplate: "%{y:,} rounds with %{x} opened<extra></extra>",
    }],
    layout: {
      bargap: 0.25,
      x: { title: { text: "boxes opened" }, dtick: counts.length > 16 ? null : 1, range: [-0.6, Math.max(1, counts.length - 1) + 0.6] },
      y: { title: { text: "rounds" }, rangemode: "tozero" },
    },
  }));
}

const COLOURS = ["blue", "vermilion", "green", "purple", "orange", "sky", "grey"];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "circle"];
const SIGNS = ["●", "■", "▲", "◆", "▼", "✚", "•"];

/** Reservation values against a feature: filled where the box was opened, hollow where it stayed closed. */
export function scatter(id, points, order, unit) {
  const most = COLOURS.length;
  const group = (box) => { const place = order.indexOf(box); return order.length > most && place >= most - 1 ? most - 1 : place; };
  const shown = order.slice(0, order.length > most ? most - 1 : most);
  if (order.length > most) shown.push("other boxes");
  const words = `Scatter chart of ${points.boxes.length} reservation values against ${points.feature}`;
  const key = shown.map((name, place) => ({ name, colour: COLOURS[place], sign: SIGNS[place] }));
  draw(id, words, points.boxes.length ? [points, order, unit] : null, () => ({
    traces: shown.map((name, place) => [name, place]).reverse().map(([name, place]) => {
      const mine = points.boxes.flatMap((box, i) => (group(box) === place && Math.abs(points.reservation_values[i]) < 1e300 ? [i] : []));
      const rows = [...mine.filter((i) => !points.opened[i]), ...mine.filter((i) => points.opened[i])];
      const colour = css(COLOURS[place]);
      return {
        type: "scatter", mode: "markers", name: plain(name),
        x: rows.map((i) => points.contexts[i]), y: rows.map((i) => points.reservation_values[i]),
        text: rows.map((i) => `${plain(points.boxes[i])}, ${points.opened[i] ? (points.values[i] === null ? "opened, nothing came" : `opened, saw ${num(points.values[i])}`) : "stayed closed"}`),
        marker: {
          size: name === "other boxes" ? 5 : 7, symbol: rows.map((i) => SHAPES[place] + (points.opened[i] ? "" : "-open")), color: colour, opacity: 0.75,
          line: { width: 1.2, color: colour },
        },
        hovertemplate: "%{text}<br>reservation value %{y:.4~g} at %{x:.4~g}<extra></extra>",
      };
    }),
    layout: { x: { title: { text: plain(points.feature) } }, y: { title: { text: plain(unit) } } },
  }), key);
}

/** Calibration by box with two standard errors either way; 1 is right. */
export function calibration(id, boxes) {
  const words = `Calibration by box: ${boxes.map((b) => `${b.box} ${num(b.calibration)}`).slice(0, 12).join(", ")}; 1 is right`;
  draw(id, words, boxes.length ? boxes : null, () => {
    const wide = Math.max(2, ...boxes.map((b) => b.calibration + 2 * (b.calibration_error ?? 0)));
    return {
      traces: [{
        type: "scatter", mode: "markers", x: boxes.map((b) => b.calibration), y: boxes.map((b) => plain(b.box)),
        error_x: { type: "data", array: boxes.map((b) => 2 * (b.calibration_error ?? 0)), color: css("blue"), thickness: 1.5, width: 3 },
        marker: { size: 9, color: css("blue") }, text: boxes.map((b) => `${b.looks} looks`), cliponaxis: false,
        hovertemplate: "%{y}: %{x:.3~g}, %{text}<extra></extra>",
      }],
      layout: {
        shapes: [{ type: "line", x0: 1, x1: 1, yref: "paper", y0: 0, y1: 1, line: { color: css("faint"), width: 1.5, dash: "dot" } }],
        x: { title: { text: "Σ (σ − v)⁺ / Σ cost" }, range: [-0.02 * Math.min(wide, 6), Math.min(wide, 6) * 1.05], showgrid: true },
        y: { autorange: "reversed", showgrid: false, type: "category" },
      },
    };
  });
}

/** Forget what was drawn for another problem. */
export function forget() {
  drawn.clear();
}
