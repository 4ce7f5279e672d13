// Server-sent events that come back by themselves; `linked(how)` is told "live", "stale" or "away".
const SILENCE_MS = 25000; // the gateway says something every 10 s
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;

// A part of the page that is loaded once it is needed. Until the gateway is there to give it, it is asked for anew;
// one that fails although the gateway is there is itself at fault.
/** @template Part @param {() => Promise<Part>} load @returns {Promise<Part>} */
export async function part(load) {
  for (let answered = false; ;) {
    try {
      return await load();
    } catch (error) {
      if (answered) throw error;
      await new Promise((resolve) => { setTimeout(resolve, LAST_RETRY_MS); });
      answered = await fetch("/static/stream.js", { cache: "no-store" }).then(({ ok }) => ok, () => false);
    }
  }
}

export function follow(path, handlers, linked) {
  let source = null;
  let retryMs = FIRST_RETRY_MS;
  let silence = 0;

  function heard() {
    retryMs = FIRST_RETRY_MS;
    clearTimeout(silence);
    silence = setTimeout(again, SILENCE_MS);
  }

  function again() {
    clearTimeout(silence);
    if (source) source.close();
    source = null;
    linked("stale");
    setTimeout(connect, retryMs);
    retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
  }

  function connect() {
    if (source) source.close();
    source = new EventSource(path);
    clearTimeout(silence);
    silence = setTimeout(again, SILENCE_MS);
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        heard();
        handle(JSON.parse(event.data));
        if (name === "state") linked("live");
      });
    }
    source.addEventListener("away", () => { heard(); linked("away"); });
    source.addEventListener("alive", heard);
    source.onerror = again;
  }

  connect();
  return connect;
}
