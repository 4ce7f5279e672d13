// What all pages of the operator share. Every text goes in as text, never as HTML.
export const texts = JSON.parse(document.body.dataset.texts);
export const byId = (id) => document.getElementById(id);

let token = "";

export function element(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...inside);
  return made;
}

export function say(text, bad = false) {
  const said = byId("said");
  said.textContent = text;
  said.className = bad ? "bad" : "good";
  said.hidden = !text;
}

export function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
}

class Refused extends Error {
  status = 0;

  body = {};
}

async function answered(response) {
  token = response.headers.get("x-operator-token") || token;
  let body = {};
  try { body = await response.json(); } catch { /* a proxy's page */ }
  if (response.ok) return body;
  if (response.status === 401 && document.body.dataset.page !== "login") {
    location.reload(); // the login stands here then, and this page after it
    return new Promise(() => {});
  }
  const refused = new Refused(body.error || texts.no_answer);
  refused.status = response.status;
  refused.body = body;
  throw refused;
}

async function fetched(path, options, file = false) {
  let response;
  try {
    response = await fetch(path, { ...options, credentials: "same-origin", cache: "no-store" });
  } catch {
    throw new Refused(texts.no_answer);
  }
  if (!file || !response.ok) return answered(response);
  token = response.headers.get("x-operator-token") || token;
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") || "");
  return { blob: await response.blob(), name: name ? name[1] : "bundle.zip" };
}

export const ask = (path) => fetched(path, {});

export const change = (path, body = {}, file = false) => send(path, JSON.stringify(body), "application/json", file);

export async function send(path, body, type, file = false) {
  if (!token && document.body.dataset.page !== "login" && document.body.dataset.page !== "pair") await ask("/operator/api/token");
  const used = token;
  token = "";
  const headers = { "content-type": type, "x-operator-token": used };
  return fetched(path, { method: "POST", headers, body }, file);
}

// Does something, shows that it is being done, and says what came of it.
export async function doing(button, what) {
  if (button) button.disabled = true;
  try {
    say("");
    return await what();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, true);
    return null;
  } finally {
    if (button) button.disabled = false;
  }
}

// Asks for what a page shows until there is an answer, and says meanwhile why there is none.
export async function patiently(path) {
  for (;;) {
    const found = await doing(null, () => ask(path));
    if (found) return found;
    await later(3000);
  }
}

// Asks back before something that cannot be undone.
export function sure(text, yes) {
  return new Promise((resolve) => {
    const close = (answer) => { dialog.close(); dialog.remove(); resolve(answer); };
    const dialog = element("dialog", { oncancel: () => close(false) },
      element("p", { text }),
      element("div", { class: "row" },
        element("button", { type: "button", text: texts.cancel, onclick: () => close(false) }),
        element("button", { type: "button", class: "danger", text: yes, onclick: () => close(true) })));
    document.body.append(dialog);
    dialog.showModal();
  });
}

export const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// While the service restarts, even this page could not be loaded: waits until the table answers, then loads it anew.
export async function restarted() {
  say(texts.restarting);
  await later(4000); // until then the old one may answer
  while (!(await ask("/operator/api/seats").catch(() => null))) {
    say(texts.still_restarting);
    await later(1000);
  }
  location.reload();
}

// One after the other while the page is visible; a hidden tab costs nothing.
export async function whileSeen(pause_ms, once) {
  for (;;) {
    if (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
    await once();
    await later(pause_ms);
  }
}

// The page of this script listens from the same moment on: what was pressed before would be lost.
document.querySelector("main").inert = false;

const out = byId("log-out");
if (out) {
  out.disabled = false;
  out.addEventListener("click", async () => {
    const left = await doing(out, () => change("/operator/api/logout"));
    if (left) location.assign("/operator");
  });
}
