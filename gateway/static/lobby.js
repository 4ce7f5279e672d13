// The lobby: the game that is being set up as a poster, and who is in. Each who joins drops onto the screen.
import { byId, drawn, element, put } from "./dice.js";
import { play } from "./sound.js";

let there = []; // the places of those who are in
let shown = "";

// What is to be known of a game before it is chosen.
const factsOf = ({ title, house_rules: rules, players, dice }) => [dice, players, rules ? title : ""].filter(Boolean).join(" · ");

// While a game is being chosen, the games as the host sees them.
/** @param {OfferedGame[]} games */
function showList(games) {
  byId("list").replaceChildren(...games.map((game) => {
    const item = element("li", [game.shown ? "shown" : "", game.fits ? "" : "other"].filter(Boolean).join(" "));
    item.dataset.game = game.game;
    item.append(element("strong", "", game.house_rules || game.title), element("span", "", factsOf(game)));
    return item;
  }));
  byId("list").querySelector(".shown")?.scrollIntoView({ block: "nearest" });
}

/** @param {SetUpGame} next */
export function showLobby(next) {
  const news = JSON.stringify(next);
  if (news === shown) return;
  const first = !shown;
  shown = news;
  put(byId("next-game"), next.house_rules || next.title);
  put(byId("how-many"), factsOf(next));
  showList(next.games ?? []);
  put(byId("ready"), next.ready ?? "");
  const host = next.seats.find(({ name }) => name === next.host);
  byId("ready").className = host ? `seat${host.colour}` : "";
  byId("next-dice").replaceChildren(...drawn(next.poster ?? []));
  byId("next-rules").replaceChildren(...(next.rules ?? []).map((rule) => element("li", "", rule)));
  const before = there;
  there = next.seats.map(({ place }) => place);
  byId("in").replaceChildren(...next.seats.map(({ name, place, colour }) => {
    const item = element("li", `seat${colour} shape`, name);
    if (!before.includes(place)) item.classList.add("joins");
    if (name === next.host) item.classList.add("host");
    return item;
  }));
  const joined = next.seats.find(({ place }) => !before.includes(place));
  if (!first && joined) play("join", 0, { player: joined.name });
}
