// Numbers, times and elements: how the page writes.

const four = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const minus = (text) => text.replace("-", "−");

/** A number with four digits that matter. */
export function num(x) {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (Math.abs(x) >= 1e15 || (x !== 0 && Math.abs(x) < 1e-6)) return minus(x.toExponential(2));
  return minus(Math.abs(x) >= 1e4 ? whole.format(x) : four.format(x));
}

export const count = (n) => whole.format(n);

/** A mean and its standard error, to the digits that the error leaves. */
export function meanOf(mean, unit = "") {
  if (mean.mean === null) return ["–", ""];
  if (mean.error === null) return [amount(mean.mean, unit), ""];
  const digits = mean.error > 0 ? Math.max(0, Math.min(8, 1 - Math.floor(Math.log10(mean.error)))) : 2;
  const fixed = new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return [inUnit(minus(fixed.format(mean.mean)), unit), `± ${fixed.format(mean.error)}`];
}

const BEFORE = ["$", "€", "£", "¥", "₹", "CHF", "US$"];

/** A number, written already, in a unit: a currency stands before it, anything else behind. */
export function inUnit(text, unit) {
  if (!unit || text === "–" || text === "") return text;
  if (!BEFORE.includes(unit.trim())) return `${text}\u00a0${unit}`;
  const mark = unit.trim().length > 1 ? `${unit.trim()}\u00a0` : unit.trim();
  return text.startsWith("−") ? `−${mark}${text.slice(1)}` : `${mark}${text}`;
}

export const amount = (x, unit) => inUnit(num(x), unit);

/** A share in whole percent; one that is not quite all, or not quite nothing, does not say so. */
export function percent(share) {
  const text = (100 * share).toFixed(0);
  if (text === "100" && share < 1) return ">\u202f99\u00a0%";
  return text === "0" && share > 0 ? "<\u202f1\u00a0%" : `${text}\u00a0%`;
}

const three = new Intl.NumberFormat("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

/** An amount for a table: three digits, or all of those before the point. */
export function short(x, unit) {
  if (x === null || x === 0 || Math.abs(x) >= 1e3 || Math.abs(x) < 1e-6) return amount(x, unit);
  return inUnit(minus(three.format(x)), unit);
}

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** How long ago, or how long, in words. */
export function span(seconds) {
  if (seconds < 1) return "1 s";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

/** A time of day, or a date if it was not today. */
export function when(seconds) {
  const then = new Date(seconds * 1000);
  return (then.toDateString() === new Date().toDateString() ? clock : day).format(then);
}

/** The names of a few of many. */
export function few(names, most = 4) {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

export const $ = (id) => document.getElementById(id);

/** An element with attributes and children; text is never read as markup. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Write a text, only if it is another. */
export function write(id, text) {
  const element = $(id);
  if (element.textContent !== text) element.textContent = text;
}

/** A number with what stands small beside it. */
export function writeNumber(id, [main, beside]) {
  const text = beside ? `${main} ${beside}` : main;
  if ($(id).textContent === text) return;
  $(id).replaceChildren(main, ...(beside ? [" ", h("small", {}, beside)] : []));
}

/** Make the children of a parent those of the items, keeping elements whose key and content stay. */
export function sync(parent, items, keyOf, make) {
  const before = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item), content = JSON.stringify(item);
    let child = before.get(key);
    before.delete(key);
    if (!child || child.dataset.content !== content) {
      const fresh = make(item);
      fresh.dataset.key = key;
      fresh.dataset.content = content;
      if (child) {
        const held = child.contains(document.activeElement);
        if (place === child) place = fresh;
        child.replaceWith(fresh);
        if (held) (fresh.querySelector("button") ?? fresh).focus();
      }
      child = fresh;
    }
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
  for (const child of before.values()) child.remove();
}
