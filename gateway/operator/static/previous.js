// What a wizard replaced last can be put back in one press; a second press puts the newer one back.
import { ask, byId, change, doing, filled, say, texts } from "./common.js";

const button = byId("put-back");
const date = (seconds) => new Date(1000 * seconds).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

// Shows the button if something of this kind (`dice`, `lens` or `rig`) was replaced.
export async function offerPrevious(what) {
  const kept = await ask("/operator/api/eye/previous").catch(() => ({}));
  button.hidden = !kept[what];
  if (kept[what]) button.textContent = filled(texts.put_back, { date: date(kept[what]) });
  button.onclick = async () => {
    const told = await doing(button, () => change(`/operator/api/eye/put_back_${what}`));
    if (!told) return;
    await offerPrevious(what);
    say(texts.put_back_done);
  };
}
