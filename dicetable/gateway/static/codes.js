// On paired displays alone: the codes with which phones take their seats.
import { byId, element } from "./dice.js";

const words = document.body.dataset;

export function showCodes() {
  const source = new EventSource("/phone/codes");
  source.addEventListener("codes", (event) => {
    const { codes, seats } = JSON.parse(event.data);
    const names = new Map(seats.map(({ place, name }) => [String(place), name]));
    const places = Object.keys(codes).filter((place) => place !== "all").sort();
    byId("codes").replaceChildren(...[...places, ...("all" in codes ? ["all"] : [])].map((place) => {
      const item = element("li");
      const code = `${codes[place].slice(0, 3)} ${codes[place].slice(3)}`;
      item.append(element("span", "seat", names.get(place) || words.tablet), element("strong", "", code));
      return item;
    }));
    byId("sit").hidden = places.length === 0;
  });
}
