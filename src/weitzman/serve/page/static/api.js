// Questions to the service this page came from, with the reader's key if there is one.

const KEPT = "weitzman-key";

export const key = {
  get: () => sessionStorage.getItem(KEPT),
  set: (text) => sessionStorage.setItem(KEPT, text),
  forget: () => sessionStorage.removeItem(KEPT),
};

/** An answer that is no success: its status, and what the service says. */
export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** Ask for JSON; Refused if the service says no, TypeError or AbortError if it does not answer. */
export const ask = (path) => send("GET", path);

/** Ask for something to be done; as with `ask`. */
export async function send(method, path, body) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["Content-Type"] = "application/json";
  if (key.get()) headers.Authorization = `Bearer ${key.get()}`;
  const content = body === undefined ? undefined : JSON.stringify(body);
  const answer = await fetch(path, { method, headers, body: content, cache: "no-store", signal: AbortSignal.timeout(10_000) });
  if (answer.ok) return answer.json();
  let detail = answer.statusText;
  try {
    detail = (await answer.json()).detail ?? detail;
  } catch {
    // Not from the service itself: a proxy, perhaps
  }
  throw new Refused(answer.status, detail);
}

export const problemPath = (name, rest = "") => `v1/problems/${encodeURIComponent(name)}${rest}`;
