import { byId, change, doing, filled, say, texts } from "./common.js";

byId("second").hidden = !document.body.dataset.passphrase;
byId("passphrase").required = Boolean(document.body.dataset.passphrase);

byId("ask").addEventListener("click", async () => {
  const told = await doing(byId("ask"), () => change("/operator/api/login/code"));
  if (!told) return;
  byId("where").hidden = false;
  const places = [];
  if (told.panel) places.push(texts.on_panel);
  if (told.displays) places.push(texts.on_displays);
  if (told.code) places.push(texts.on_this_display);
  byId("where").textContent = filled(texts.code_shown, { where: places.join(", "), minutes: Math.round(told.lives_s / 60) });
  byId("code").hidden = !told.code;
  byId("code").textContent = told.code;
  byId("typed").focus();
});

byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = { code: byId("typed").value, passphrase: byId("passphrase").value };
  const told = await doing(event.submitter, () => change("/operator/api/login", body));
  if (told) location.reload();
  else byId("typed").select();
});
say("");
