import { ask, byId, change, doing, element, filled, later, say, texts, whileSeen } from "./common.js";

let faces = {};
let at = 0;
const taken = {};

const kind = () => byId("kind").value;

function show() {
  const count = faces[kind()];
  byId("lay").textContent = at < count ? filled(texts.lay, { kind: kind(), value: at + 1 }) : texts.all_taken;
  byId("take").disabled = at >= count;
  byId("back").disabled = at === 0;
  byId("faces").replaceChildren(...Array.from({ length: count }, (_, index) =>
    element("li", { class: taken[`${kind()}-${index + 1}`] ? "taken" : "", "aria-current": index === at ? "step" : null, text: index + 1 })));
}

async function live() {
  try {
    const told = await ask("/operator/api/eye/view?grid=0");
    if (told.picture) byId("live").src = told.picture;
  } catch { await later(1500); }
}

byId("begin").addEventListener("click", async () => {
  const told = await doing(byId("begin"), () => change("/operator/api/eye/bare"));
  if (!told) return;
  for (const name of Object.keys(taken)) delete taken[name];
  byId("faces-step").hidden = byId("keep-step").hidden = false;
  at = 0;
  show();
});
byId("take").addEventListener("click", async () => {
  say(texts.looking);
  const told = await doing(byId("take"), () => change("/operator/api/eye/face", { kind: kind(), value: at + 1 }));
  if (!told) return show();
  taken[`${kind()}-${at + 1}`] = true;
  byId("taken").src = told.picture;
  byId("taken").hidden = false;
  byId("count").textContent = filled(texts.taken, { n: told.taken });
  at += 1;
  show();
});
byId("skip").addEventListener("click", () => { at = Math.min(at + 1, faces[kind()]); show(); });
byId("back").addEventListener("click", () => { at = Math.max(at - 1, 0); show(); });
byId("kind").addEventListener("change", () => { at = 0; show(); });
byId("keep").addEventListener("click", async () => {
  const told = await doing(byId("keep"), () => change("/operator/api/eye/keep_dice"));
  if (!told) return;
  say(filled(texts.dice_kept, told));
  byId("unused").hidden = told.used;
  byId("unused").querySelector("p").textContent = texts.dice_unused;
  byId("unused").querySelector("pre").textContent = `[eye]\ndice = ${JSON.stringify(told.kept)}`;
});

const told = await doing(null, () => ask("/operator/api/dice"));
if (told) {
  faces = told.faces;
  byId("kind").append(...Object.keys(faces).map((name) => element("option", { value: name, text: name })));
  byId("kind").value = "d6";
}
whileSeen(400, live);
