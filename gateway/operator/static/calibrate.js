import { ask, byId, change, doing, element, filled, later, say, texts, whileSeen } from "./common.js";
import { offerPrevious } from "./previous.js";

let looked = false;

async function live() {
  if (looked) return later(500);
  try {
    const told = await ask("/operator/api/eye/view?grid=1");
    if (told.picture && !looked) byId("live").src = told.picture;
    if (!looked) byId("verdict").textContent = told.markers;
  } catch (error) {
    byId("verdict").textContent = error.message;
    await later(1500);
  }
}

byId("look").addEventListener("click", async () => {
  byId("keep").disabled = true;
  byId("findings").replaceChildren(element("li", { text: texts.looking }));
  const told = await doing(byId("look"), () => change("/operator/api/eye/rig"));
  byId("findings").replaceChildren();
  if (!told) return;
  looked = true;
  byId("live").src = told.picture;
  byId("findings").replaceChildren(...told.findings.map((found) => element("li", { class: found.good ? "good" : "bad" },
    element("strong", { text: `${found.good ? "✔" : "✖"} ${found.name}: ` }), found.text, found.remedy ? element("p", { class: "remedy", text: found.remedy }) : "")));
  byId("verdict").textContent = told.usable ? texts.usable : texts.not_usable;
  byId("keep").disabled = !told.usable;
});

byId("keep").addEventListener("click", async () => {
  const told = await doing(byId("keep"), () => change("/operator/api/eye/keep_rig"));
  if (!told) return;
  say(filled(texts.kept, told));
  offerPrevious("rig");
  byId("step-3").classList.add("done");
  byId("keep").disabled = true;
  looked = false;
});

offerPrevious("rig");
whileSeen(400, live);
