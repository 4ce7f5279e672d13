// On paired displays alone: the codes with which phones take their seats, each as a QR code too.
import { byId, element } from "./dice.js";

const words = document.body.dataset;
let told = { codes: {}, seats: [] };
let shown = "";
let playing = null; // the seats of the game; null between games

export function showCodes(news) {
  told = news;
  arrange();
}

// While a game is played, only its own players may need a code: one whose phone is lost.
export function showPlaying({ phase, seats }) {
  playing = ["play", "over"].includes(phase) ? seats.map(({ place }) => String(place)) : null;
  arrange();
}

// Between games one code serves all who come; beside it stand those of seats whose phones are lost, and the tablet's.
function wanted({ codes, seats }) {
  const lost = seats.filter(({ state }) => state === "away").map(({ seat }) => String(seat));
  return (playing ?? ["next", ...lost, "all"]).filter((seat) => seat in codes);
}

function arrange() {
  const items = wanted(told);
  const news = JSON.stringify([told, items]);
  if (news === shown) return;
  shown = news;
  const seats = new Map(told.seats.map((seat) => [String(seat.seat), seat]));
  byId("codes").replaceChildren(...items.map((seat) => {
    const name = { next: words.next, all: words.tablet }[seat] ?? seats.get(seat)?.name ?? "";
    const item = element("li", seats.has(seat) ? `seat${seats.get(seat).colour}` : "table");
    const code = `${told.codes[seat].slice(0, 3)} ${told.codes[seat].slice(3)}`;
    item.append(element("span", "seat", name), element("strong", "", code));
    item.dataset.seat = seat;
    if (seat !== "all") {
      const picture = element("img");
      picture.alt = "";
      picture.src = `/display/${seat}.svg?${performance.now()}`; // another code has another address
      item.prepend(picture);
    }
    return item;
  }));
  byId("sit").hidden = !items.some((seat) => seat !== "all");
}
