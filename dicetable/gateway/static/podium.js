// The end of a game: who came where, and a line about it. The best throw stands where the last one stood.
import { byId, element, put } from "./dice.js";

const STEPS = 3;
let shown = "";

export function showPodium({ podium, seats }) {
  const news = JSON.stringify(podium ?? null);
  if (news === shown) return;
  shown = news;
  document.body.dataset.podium = podium ? "yes" : "no";
  byId("podium").hidden = !podium;
  const which = byId("which").dataset;
  put(byId("which"), podium?.best ? (podium.rare ? which.rarest : which.best).replace("{count}", podium.chance.toLocaleString(document.documentElement.lang)) : which.last);
  if (!podium) return;
  put(byId("line"), podium.line);
  byId("places").replaceChildren(...podium.places.slice(0, STEPS).map(({ name, rank }, at) => {
    const seat = seats.find((each) => each.name === name);
    const item = element("li", `seat${seat?.colour ?? 0}`);
    const step = element("span", "step");
    step.append(element("strong", "", String(rank)), element("span", "shape"));
    item.append(element("span", "name", name), element("span", "score", seat?.score ?? ""), step);
    item.dataset.rank = rank;
    item.dataset.at = at;
    return item;
  }));
}
