// Which camera, which panel and which dice: what is attached, seen or tried before it is saved.
import { ask, byId, change, doing, element, filled, later, patiently, say, texts, whileSeen } from "./common.js";
import { offerRestart } from "./restart.js";

const PARTS = ["camera", "panel", "dice"];
const only = location.hash.slice(1);
const wanted = {}; // by part: the choice that is marked
let told = {};
let looked = 0;

function row(part, choice) {
  const input = element("input", { type: "radio", name: part, value: choice.name, checked: choice.chosen, onchange: () => mark(part, choice) });
  return element("li", {}, element("label", { class: "choice" }, input, element("span", {}, element("strong", { text: choice.label }),
    choice.detail ? element("small", { text: choice.detail }) : "", choice.chosen ? element("em", { text: texts.device_now }) : "")));
}

function mark(part, choice) {
  wanted[part] = choice;
  byId(`use-${part}`).disabled = choice.chosen;
  if (part === "panel") {
    byId("try").disabled = choice.chosen || choice.name === "web";
    byId("panel-text").textContent = choice.name === "web" ? texts.phones_need : "";
  }
  if (part === "camera" && !choice.chosen) preview(choice);
}

async function preview(choice) {
  const mine = (looked += 1);
  byId("preview").hidden = true;
  byId("preview-text").textContent = texts.camera_starts;
  let text = "";
  try {
    const seen = await change("/operator/api/devices/preview", { name: choice.name });
    if (mine !== looked) return;
    byId("preview").src = seen.picture;
    byId("preview").hidden = false;
    text = filled(texts.camera_sees, { ...seen, name: choice.label });
  } catch (error) { text = error.message; }
  if (mine === looked) byId("preview-text").textContent = text;
}

async function live() {
  if (wanted.camera && !wanted.camera.chosen) return;
  const mine = looked;
  try {
    const seen = await ask("/operator/api/eye/view?grid=0");
    if (mine !== looked || !seen.picture) return;
    byId("preview").src = seen.picture;
    byId("preview").hidden = false;
    byId("preview-text").textContent = texts.camera_live;
  } catch (error) {
    if (mine === looked) byId("preview-text").textContent = filled(texts.no_picture, { why: error.message });
    await later(1500);
  }
}

async function load() {
  told = await patiently("/operator/api/devices");
  for (const part of PARTS) {
    const { choices, now } = told[part];
    delete wanted[part];
    byId(part).replaceChildren(...(choices.length ? choices.map((choice) => row(part, choice)) : [element("li", { class: "dim", text: texts.nothing_attached })]));
    byId(`use-${part}`).disabled = true;
    byId(`${part}-now`).textContent = choices.some((choice) => choice.chosen) || !now ? "" : filled(texts.device_configured, { now });
  }
  looked += 1;
  document.body.dataset.loaded = "yes";
}

async function use(part) {
  const button = byId(`use-${part}`);
  const saved = await doing(button, async () => {
    const { version } = await ask("/operator/api/settings");
    return change("/operator/api/settings/save", { changes: {}, version, chosen: { [part]: wanted[part].name } });
  });
  if (!saved) return;
  const wrong = saved.error || (saved.mistakes || []).map((each) => each.text).join(" ");
  if (wrong) { say(wrong, true); return; }
  say(filled(texts.device_saved, { name: wanted[part].label }));
  byId("after").hidden = false;
  await load();
  await offerRestart(byId("restart"));
  byId("after").scrollIntoView({ block: "nearest" });
}

for (const part of PARTS) {
  byId(`use-${part}`).addEventListener("click", () => use(part));
  for (const each of document.querySelectorAll(`[data-part="${part}"]`)) each.hidden = PARTS.includes(only) && part !== only;
}
for (const each of document.querySelectorAll("[data-again]")) each.addEventListener("click", load);
byId("try").addEventListener("click", async () => {
  byId("panel-text").textContent = texts.panel_tried;
  const found = await doing(byId("try"), () => change("/operator/api/devices/try", { name: wanted.panel.name }));
  byId("panel-text").textContent = found ? filled(texts.panel_answers, found) : "";
});

await load();
if (only !== "panel" && only !== "dice") whileSeen(500, live);
