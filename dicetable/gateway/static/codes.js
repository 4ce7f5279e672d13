// On paired displays alone: the codes with which phones take their seats, each as a QR code too.
import { byId, element } from "./dice.js";

const words = document.body.dataset;
let shown = "";

export function showCodes(told) {
  if (JSON.stringify(told) === shown) return;
  shown = JSON.stringify(told);
  const { codes, seats } = told;
  const names = new Map(seats.map(({ seat, name }) => [String(seat), name]));
  const given = Object.keys(codes).filter((seat) => seat !== "all").sort();
  byId("codes").replaceChildren(...[...given, ...("all" in codes ? ["all"] : [])].map((seat) => {
    const name = names.get(seat) || words.tablet;
    const item = element("li", `seat${seat}`);
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
  byId("sit").hidden = given.length === 0;
}
