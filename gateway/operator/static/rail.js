// The steps of the first set-up, over the pages that they lead through.
import { byId, element, filled, texts } from "./common.js";

const page = (path) => `/operator/${path}`;
export const STEPS = [
  { name: "camera", path: page("devices#camera") }, { name: "aim", path: page("camera#aim") }, { name: "markers", path: page("markers") },
  { name: "lens", path: page("lens") }, { name: "tray", path: page("calibrate") }, { name: "panel", path: page("devices#panel") },
  { name: "dice", path: page("enrol") }, { name: "throw", path: page("camera#throw") }, { name: "play", path: "/operator" },
];
const KEPT = "set-up";

export function begin(step) {
  if (step === STEPS.at(-1)) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, step.name);
  const here = location.pathname === step.path.split("#")[0];
  location.assign(step.path);
  if (here) location.reload(); // another part of the same page
}

const at = STEPS.findIndex((step) => step.name === sessionStorage.getItem(KEPT) && location.pathname === step.path.split("#")[0]);
if (at >= 0) {
  const [title, how] = texts.steps[STEPS[at].name];
  const go = (label, to, main) => element("button", { type: "button", class: main ? "main" : "", text: label, onclick: () => begin(STEPS[to]) });
  byId("rail").replaceChildren(
    element("div", { class: "told" }, element("strong", { text: filled(texts.step_of, { n: at + 1, all: STEPS.length, title }) }), element("p", { text: how })),
    element("progress", { max: STEPS.length, value: at + 1, "aria-label": texts.progress }),
    element("div", { class: "row" }, ...(at ? [go(texts.step_back, at - 1, false)] : []), go(texts.step_next, at + 1, true),
      element("button", { type: "button", text: texts.step_leave, onclick: () => { sessionStorage.removeItem(KEPT); location.assign("/operator/set_up"); } })));
  byId("rail").hidden = false;
}
