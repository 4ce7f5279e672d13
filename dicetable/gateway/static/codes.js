// On paired displays alone: the codes with which phones take their seats, each as a QR code too.
import { byId, element } from "./dice.js";

const words = document.body.dataset;
let shown = "";
let playing = null; // the seats of the game; null between games

export function showCodes(told) {
  if (JSON.stringify(told) === shown) return;
  shown = JSON.stringify(told);
  const { codes, seats } = told;
  const names = new Map(seats.map(({ seat, name }) => [String(seat), name]));
  const colours = new Map(seats.map(({ seat, colour }) => [String(seat), colour]));
  const given = Object.keys(codes).filter((seat) => seat !== "all").sort();
  byId("codes").replaceChildren(...[...given, ...("all" in codes ? ["all"] : [])].map((seat) => {
    const name = names.get(seat) || words.tablet;
    const item = element("li", `seat${colours.get(seat)}`);
    item.dataset.seat = seat;
    const code = `${codes[seat].slice(0, 3)} ${codes[seat].slice(3)}`;
    item.append(element("span", "seat", name), element("strong", "", code));
    if (seat !== "all") {
      const picture = element("img");
      picture.alt = name;
      picture.src = `/display/${seat}.svg?${performance.now()}`; // another code has another address
      item.prepend(picture);
    }
    return item;
  }));
  arrange();
}

// While a game is played, only its own players may need a code: one whose phone is lost.
export function showPlaying({ phase, seats }) {
  playing = ["play", "over"].includes(phase) ? seats.map(({ place }) => String(place)) : null;
  arrange();
}

function arrange() {
  const items = [...byId("codes").children];
  for (const item of items) item.hidden = playing !== null && !playing.includes(item.dataset.seat);
  byId("sit").hidden = !items.some((item) => item.dataset.seat !== "all" && !item.hidden);
}
