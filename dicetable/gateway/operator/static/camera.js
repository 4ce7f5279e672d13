import { explain, loaded } from "./cards.js";
import { ask, byId, element, filled, later, texts, whileSeen } from "./common.js";

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

byId("explain").addEventListener("click", () => explain(byId("dice")));
whileSeen(PAUSE_MS, live);
