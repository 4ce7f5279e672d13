import { byId, change, doing, filled, say, texts } from "./common.js";

const invitation = location.hash.slice(1); // scanned from the machine's screen
history.replaceState(null, "", location.pathname);

byId("second").hidden = !document.body.dataset.passphrase;
byId("passphrase").required = Boolean(document.body.dataset.passphrase);

byId("ask").addEventListener("click", async () => {
  const told = await doing(byId("ask"), () => change("/operator/api/login/code"));
  if (!told) return;
  byId("where").hidden = false;
  const places = [];
  if (told.panel) places.push(texts.on_panel);
  if (told.code) places.push(texts.on_this_display);
  const alone = !places.length; // no display shows a code here: the passphrase is enough
  byId("where").textContent = alone
    ? texts.passphrase_alone
    : filled(texts.code_shown, { where: places.join(", "), minutes: Math.round(told.lives_s / 60) });
  byId("first").hidden = alone;
  byId("typed").required = !alone;
  byId("code").hidden = !told.code;
  byId("code").textContent = told.code;
  byId(alone ? "passphrase" : "typed").focus();
});

async function logIn(button, code) {
  const body = { code, passphrase: byId("passphrase").value };
  const told = await doing(button, () => change("/operator/api/login", body));
  if (told) location.reload();
  else byId("typed").select();
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  logIn(event.submitter, byId("typed").value || invitation);
});
say("");
byId("typed").required = !invitation;
if (invitation && !document.body.dataset.passphrase) logIn(null, invitation);
else if (invitation) byId("passphrase").focus();
