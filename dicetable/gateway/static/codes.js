// On paired displays alone: the codes with which phones take their seats.
import { byId, element } from "./dice.js";

const words = document.body.dataset;

export function showCodes({ codes, seats }) {
  const names = new Map(seats.map(({ seat, name }) => [String(seat), name]));
  const given = Object.keys(codes).filter((seat) => seat !== "all").sort();
  byId("codes").replaceChildren(...[...given, ...("all" in codes ? ["all"] : [])].map((seat) => {
    const item = element("li");
    const code = `${codes[seat].slice(0, 3)} ${codes[seat].slice(3)}`;
    item.append(element("span", "seat", names.get(seat) || words.tablet), element("strong", "", code));
    return item;
  }));
  byId("sit").hidden = given.length === 0;
}
