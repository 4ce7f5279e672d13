// A row of numbered tiles; those that are shut lie on their faces. Few games have any, so few load them.
import { byId, element } from "./dice.js";

document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/tiles.css" }));

/** @param {Tile[]=} tiles */
export const showTiles = (tiles = []) =>
  byId("tiles").replaceChildren(...tiles.map(({ number, open }) => element("li", open ? "" : "shut", String(number))));
