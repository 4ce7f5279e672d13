// The newest reading, die by die: what was read, how sure, where it lies, and why it is doubted.
import { ask, element, filled, later, texts } from "./common.js";

const LOOK_AGAIN_MS = 500;
let explaining = null;

export function loaded(image, path) {
  return new Promise((resolve) => { image.onload = image.onerror = resolve; image.src = path; });
}

// The part of a picture about a die.
export function crop(die, picture, label) {
  const canvas = element("canvas", { width: 180, height: 180, role: "img", "aria-label": label });
  const [x, y, w, h] = die.box;
  const wide = picture.naturalWidth;
  const high = picture.naturalHeight;
  const side = 1.5 * Math.max(w * wide, h * high);
  canvas.getContext("2d").drawImage(picture, x * wide + (w * wide - side) / 2, y * high + (h * high - side) / 2, side, side, 0, 0, 180, 180);
  return canvas;
}

function card(die, picture) {
  const canvas = crop(die, picture, `${die.kind || "?"} ${die.value ?? "?"}`);
  const facts = [filled(texts.confidence, { n: (100 * die.confidence).toFixed(1) }), die.why,
    die.position_mm ? filled(texts.position, { x: die.position_mm[0], y: die.position_mm[1] }) : texts.not_calibrated,
    die.tilt_deg === null ? "" : filled(texts.tilt, { n: die.tilt_deg })].filter(Boolean);
  return element("article", { class: die.sure ? "card good" : "card bad" }, canvas,
    element("h3", { text: `${die.kind || "?"}: ${die.value ?? "?"} ${die.sure ? "✔" : "?"}` }),
    element("p", { text: die.sure ? texts.sure : texts.doubtful }), element("ul", { class: "plain" }, ...facts.map((text) => element("li", { text }))));
}

// Waits until dice lie still, and shows a card for each; a later call ends one that still waits.
export async function explain(where) {
  const mine = (explaining = {});
  const nothing = { time_s: null, dice: [] };
  const newest = () => ask("/operator/api/eye/explain").catch(() => nothing);
  let told = await newest();
  where.replaceChildren(element("p", { text: texts.waiting_throw }));
  while (mine === explaining && !(told.time_s !== null && told.dice.length)) {
    await later(LOOK_AGAIN_MS);
    told = await newest();
  }
  if (mine !== explaining) return;
  const picture = new Image();
  await loaded(picture, told.picture);
  where.replaceChildren(...told.dice.map((die) => card(die, picture)));
}
