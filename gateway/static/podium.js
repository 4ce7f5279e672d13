// The end of a game is the winner's; below who came where, and a line about it. The best throw stands where the
// last one stood, and above it, small, who wants the same again.
import { bestOf, byId, chips, element, put } from "./dice.js";
import { play } from "./sound.js";

const STEPS = 3;
let shown = "";
let votes = 0;

// Those who want the same game again; each one more is heard.
/** @param {Rematch?} rematch */
function showRematch(rematch) {
  const now = rematch?.seats.filter((seat) => seat.wants).length ?? 0;
  if (now > votes) play("join");
  votes = now;
  const [text, who] = byId("rematch").children;
  put(text, rematch?.text ?? "");
  who.replaceChildren(...chips((rematch?.seats ?? []).filter((seat) => seat.wants)));
}

/** @param {Snapshot} snapshot */
export function showPodium({ podium, rematch, seats, winners }) {
  showRematch(rematch);
  const news = JSON.stringify(podium ?? null);
  if (news === shown) return;
  shown = news;
  document.body.dataset.podium = podium ? "yes" : "no";
  byId("podium").hidden = !podium;
  const which = byId("which").dataset;
  put(byId("which"), bestOf(podium, which.best, which.rarest) || which.last);
  if (!podium) return;
  const won = seats.filter(({ winner }) => winner);
  byId("champion").style.setProperty("--letters", String(winners.join(", ").length));
  byId("champion").replaceChildren(...won.map(({ name, colour }) => element("span", `seat${colour}`, name)));
  put(byId("line"), podium.line);
  // Of more who share a place than there are steps left, nobody stands higher than another.
  const fits = podium.places.filter(({ rank }) => rank === 1 || podium.places.filter((each) => each.rank <= rank).length <= STEPS);
  byId("places").replaceChildren(...fits.slice(0, STEPS).map(({ name, rank }, at) => {
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
