import { crop, explain, loaded } from "./cards.js";
import { ask, byId, change, doing, element, filled, later, say, sure, texts, whileSeen } from "./common.js";
import { offerPrevious } from "./previous.js";

const taken = new Map(); // by kind: for each value its pictures' elements
let faces = {}; // by kind: its values
let at = 0;

const kind = () => byId("kind").value;
const picturesOf = (name, value) => taken.get(name)?.get(value) ?? [];
const facesTaken = (name) => [...(taken.get(name)?.values() ?? [])].filter((each) => each.length).length;

function show() {
  const values = faces[kind()];
  byId("lay").textContent = at < values.length ? filled(texts.lay, { kind: kind(), value: values[at] }) : texts.all_taken;
  byId("take").disabled = byId("skip").disabled = at >= values.length;
  byId("back").disabled = at === 0;
  byId("faces").replaceChildren(...values.map((value, index) => {
    const pictures = picturesOf(kind(), value);
    return element("li", { class: pictures.length ? "taken" : "", "aria-current": index === at ? "step" : null },
      ...pictures.slice(-1), element("span", { text: `${value}${pictures.length > 1 ? ` (${pictures.length})` : ""}` }));
  }));
  const kinds = [...taken.keys()].filter((name) => facesTaken(name));
  byId("count").replaceChildren(...kinds.map((name) => element("li", { text: filled(texts.faces_taken, {
    kind: name, taken: facesTaken(name), all: faces[name].length, n: [...taken.get(name).values()].flat().length }) })));
  byId("keep").disabled = !kinds.length;
}

async function live() {
  try {
    const told = await ask("/operator/api/eye/view?grid=0");
    if (told.picture) byId("live").src = told.picture;
  } catch { await later(1500); }
}

async function take() {
  const [name, value] = [kind(), faces[kind()][at]];
  const told = await doing(byId("take"), () => { say(texts.looking); return change("/operator/api/eye/face", { kind: name, value }); });
  if (told) {
    say("");
    hold(name, value, element("img", { src: told.picture, alt: filled(texts.face_alt, { kind: name, value }) }));
    at += 1;
  }
  show();
}

function hold(name, value, picture) {
  if (!taken.has(name)) taken.set(name, new Map());
  taken.get(name).set(value, [...picturesOf(name, value), picture]);
}

// A doubtful die of the throw: its picture, and a button for each value that it may show.
function question(die, number, picture) {
  const box = element("div", { class: "values" });
  const kinds = element("select", { "aria-label": texts.enrol_kind }, ...Object.keys(faces).map((name) => element("option", { value: name, text: name })));
  kinds.value = die.kind || kind();
  const shown = element("article", { class: "card bad" }, crop(die, picture, texts.which_value), element("h3", { text: texts.which_value }), kinds, box,
    element("button", { type: "button", text: texts.leave_out, onclick: () => shown.remove() }));
  async function name(value) {
    const named = await doing(null, () => change("/operator/api/eye/name", { number, kind: kinds.value, value }));
    if (!named) return;
    shown.remove();
    if (named.learned) hold(kinds.value, value, crop(die, picture, filled(texts.face_alt, { kind: kinds.value, value })));
    else say(named.why, true);
    show();
  }
  const values = () => box.replaceChildren(...faces[kinds.value].map((value) =>
    element("button", { type: "button", text: value, onclick: () => name(value) })));
  kinds.addEventListener("change", values);
  values();
  return shown;
}

async function takeThrow() {
  const told = await doing(byId("throw"), () => { say(texts.looking); return change("/operator/api/eye/throw"); });
  byId("asked").replaceChildren();
  if (!told) return;
  say(texts.thrown);
  const picture = new Image();
  await loaded(picture, told.picture);
  for (const [number, die] of told.dice.entries()) {
    if (die.sure) hold(die.kind, die.value, crop(die, picture, filled(texts.face_alt, die)));
    else byId("asked").append(question(die, number, picture));
  }
  show();
}

async function keep() {
  const missing = [...taken.keys()].flatMap((name) => faces[name]
    .filter((value) => !picturesOf(name, value).length).map((value) => `${name} ${value}`));
  if (missing.length && !(await sure(filled(texts.sure_missing, { faces: missing.join(", ") }), texts.yes_keep))) return;
  const told = await doing(byId("keep"), () => change("/operator/api/eye/keep_dice", { add: byId("add").checked }));
  if (!told) return;
  taken.clear();
  at = 0;
  show();
  byId("kept").textContent = filled(texts.dice_kept, told);
  offerPrevious("dice");
  byId("use-step").hidden = false;
  byId("keep-step").classList.add("done");
  byId("unused").hidden = told.configured;
  byId("use-step").scrollIntoView({ block: "nearest" });
}

byId("begin").addEventListener("click", async () => {
  if (!(await doing(byId("begin"), () => change("/operator/api/eye/background")))) return;
  taken.clear();
  byId("faces-step").hidden = byId("throw-step").hidden = byId("keep-step").hidden = false;
  byId("asked").replaceChildren();
  byId("empty-step").classList.add("done");
  byId("keep-step").classList.remove("done");
  at = 0;
  show();
});
byId("take").addEventListener("click", take);
byId("throw").addEventListener("click", takeThrow);
byId("skip").addEventListener("click", () => { at = Math.min(at + 1, faces[kind()].length); show(); });
byId("back").addEventListener("click", () => { at = Math.max(at - 1, 0); show(); });
byId("kind").addEventListener("change", () => { at = 0; show(); });
byId("keep").addEventListener("click", keep);
byId("explain").addEventListener("click", () => explain(byId("dice")));

const told = await doing(null, () => ask("/operator/api/dice"));
if (told) {
  faces = told.faces;
  byId("kind").append(...Object.keys(faces).map((name) => element("option", { value: name, text: name })));
  byId("kind").value = "d6";
}
offerPrevious("dice");
whileSeen(400, live);
