// After settings were saved: a restart now, or once no game is played.
import { ask, change, doing, element, restarted, texts } from "./common.js";

export async function offerRestart(where) {
  const { state } = await ask("/operator/api/overview").catch(() => ({ state: { phase: "idle" } }));
  where.hidden = false;
  if (state.phase === "play") { where.replaceChildren(element("p", { text: texts.restart_later })); return; }
  const button = element("button", { type: "button", class: "main", text: texts.restart_offer, onclick: async () => {
    if (await doing(button, () => change("/operator/api/do/restart"))) restarted();
  } });
  where.replaceChildren(button);
}
