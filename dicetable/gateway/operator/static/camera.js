import { ask, byId, element, filled, later, say, texts, whileSeen } from "./common.js";

const PAUSE_MS = 200;
let seen = [];
let explaining = null;

function meter({ label, part, text, good }) {
  return element("div", { class: good ? "meter good" : "meter bad" }, element("strong", { text: `${good ? "✔" : "✖"} ${label}` }),
    element("meter", { min: 0, max: 1, value: part, "aria-label": label }), element("span", { text }));
}

function loaded(image, path) {
  return new Promise((resolve) => { image.onload = image.onerror = resolve; image.src = path; });
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

function card(die, picture) {
  const canvas = element("canvas", { width: 180, height: 180, role: "img", "aria-label": `${die.kind || "?"} ${die.value ?? "?"}` });
  const [x, y, w, h] = die.box;
  const wide = picture.naturalWidth;
  const high = picture.naturalHeight;
  const side = 1.5 * Math.max(w * wide, h * high);
  canvas.getContext("2d").drawImage(picture, x * wide + (w * wide - side) / 2, y * high + (h * high - side) / 2, side, side, 0, 0, 180, 180);
  const facts = [filled(texts.confidence, { n: (100 * die.confidence).toFixed(1) }), die.why,
    die.position_mm ? filled(texts.position, { x: die.position_mm[0], y: die.position_mm[1] }) : texts.not_calibrated,
    die.tilt_deg === null ? "" : filled(texts.tilt, { n: die.tilt_deg })].filter(Boolean);
  return element("article", { class: die.sure ? "card good" : "card bad" }, canvas,
    element("h3", { text: `${die.kind || "?"}: ${die.value ?? "?"} ${die.sure ? "✔" : "?"}` }),
    element("p", { text: die.sure ? texts.sure : texts.doubtful }), element("ul", { class: "plain" }, ...facts.map((text) => element("li", { text }))));
}

async function explain() {
  const mine = (explaining = {});
  const before = await ask("/operator/api/eye/explain").catch(() => ({ time_s: null, dice: [] }));
  let told = before;
  byId("dice").replaceChildren(element("p", { text: texts.waiting_throw }));
  while (mine === explaining && !(told.time_s !== null && told.dice.length)) {
    await later(500);
    told = await ask("/operator/api/eye/explain").catch(() => before);
  }
  if (mine !== explaining) return;
  const picture = new Image();
  await loaded(picture, told.picture);
  byId("dice").replaceChildren(...told.dice.map((die) => card(die, picture)));
  say("");
}

byId("explain").addEventListener("click", explain);
whileSeen(PAUSE_MS, live);
