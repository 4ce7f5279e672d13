import { ask, byId, change, doing, filled, later, say, texts, whileSeen } from "./common.js";
import { offerPrevious } from "./previous.js";

const LEAST_VIEWS = 8;
let collecting = false;

function show(told) {
  byId("live").src = told.picture;
  byId("count").textContent = filled(texts.lens_views, told);
  byId("part").hidden = false;
  byId("part").value = told.views / told.of;
  byId("verdict").textContent = told.taken ? texts.lens_taken : told.seen ? texts.lens_still : texts.lens_unseen;
  byId("keep").disabled = told.views < LEAST_VIEWS;
  if (told.views >= told.of) { collecting = false; byId("verdict").textContent = texts.lens_enough; }
}

async function live() {
  try {
    if (collecting) show(await change("/operator/api/eye/lens"));
    else if (byId("part").hidden) {
      const told = await ask("/operator/api/eye/view?grid=0");
      if (told.picture && !collecting) byId("live").src = told.picture;
    }
  } catch (error) {
    byId("verdict").textContent = error.message;
    await later(1500);
  }
}

byId("begin").addEventListener("click", async () => {
  collecting = false;
  byId("keep-step").classList.remove("done");
  const told = await doing(byId("begin"), () => change("/operator/api/eye/lens", { begin: true }));
  if (!told) return;
  show(told);
  collecting = true;
});

byId("keep").addEventListener("click", async () => {
  collecting = false;
  const told = await doing(byId("keep"), () => change("/operator/api/eye/keep_lens"));
  if (!told) return;
  say(filled(texts.lens_kept, told));
  offerPrevious("lens");
  byId("keep").disabled = true;
  byId("keep-step").classList.add("done");
});

offerPrevious("lens");
whileSeen(300, live);
