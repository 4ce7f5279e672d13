import { byId, change, doing, say, texts } from "./common.js";

byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const passphrase = byId("first").value;
  if (passphrase !== byId("again").value) {
    say(texts.not_the_same, true);
    byId("again").select();
    return;
  }
  const kept = await doing(event.submitter, () => change("/operator/api/passphrase", { passphrase }));
  if (kept) location.reload(); // the page that was asked for
});
byId("first").focus();
