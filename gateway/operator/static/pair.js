import { byId, change, doing } from "./common.js";

function done() {
  byId("done").hidden = false;
  byId("ask").hidden = byId("shown").hidden = byId("how").hidden = true;
}

async function watch(until) {
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const response = await fetch("/operator/api/pair", { cache: "no-store" });
    if (response.ok && (await response.json()).paired) return done();
  }
  byId("shown").hidden = true;
  byId("ask").hidden = false;
}

byId("ask").addEventListener("click", async () => {
  const told = await doing(byId("ask"), () => change("/operator/api/pair"));
  if (!told) return;
  byId("code").textContent = told.code.replace(" ", "");
  byId("shown").hidden = false;
  byId("ask").hidden = true;
  watch(Date.now() + 1000 * told.lives_s);
});
if (document.body.dataset.paired) done();
