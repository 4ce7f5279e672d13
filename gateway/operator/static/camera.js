import { explain, loaded } from "./cards.js";
import { ask, byId, change, doing, element, filled, later, texts, whileSeen } from "./common.js";

const PAUSE_MS = 200;
let seen = [];

function meter({ label, part, text, good }) {
  return element("div", { class: good ? "meter good" : "meter bad" }, element("strong", { text: `${good ? "✔" : "✖"} ${label}` }),
    element("meter", { min: 0, max: 1, value: part, "aria-label": label }), element("span", { text }));
}

async function live() {
  try {
    const told = await ask(`/operator/api/eye/view?grid=${byId("grid").checked ? 1 : 0}`);
    if (told.picture) await loaded(byId("live"), told.picture);
    byId("meters").replaceChildren(...told.meters.map(meter));
    byId("markers").textContent = told.markers;
    const now = performance.now();
    seen = [...seen.filter((each) => now - each < 5000), now];
    byId("rate").textContent = filled(texts.frames_a_second, { n: (seen.length / Math.min(5, Math.max(1, (now - seen[0]) / 1000))).toFixed(1) });
    document.body.dataset.live = "yes";
  } catch (error) {
    byId("rate").textContent = filled(texts.no_picture, { why: error.message });
    await later(1500);
  }
}

// Each code takes the place of the last one, so its picture has an address of its own.
async function film() {
  const made = await doing(byId("film"), () => change("/operator/api/filming"));
  if (!made) return;
  await loaded(byId("film-qr"), `/operator/api/filming/code.svg?${Date.now()}`);
  byId("film-address").textContent = made.address;
  byId("film-address").href = made.address;
  byId("fingerprint").textContent = made.fingerprint;
  byId("film-code").hidden = false;
}

byId("film").addEventListener("click", film);
ask("/operator/api/filming").then(({ chosen }) => { byId("filming").hidden = !chosen; }).catch(() => {});
byId("explain").addEventListener("click", () => explain(byId("dice")));
whileSeen(PAUSE_MS, live);
