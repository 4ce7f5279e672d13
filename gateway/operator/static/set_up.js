import { ask, byId, element, later, texts } from "./common.js";
import { STEPS, begin } from "./rail.js";

const OPTIONAL = new Set(["lens", "dice"]);

function show(done) {
  const next = STEPS.find(({ name }) => !done[name] && name in done && !OPTIONAL.has(name)) || STEPS.at(-1);
  byId("steps").replaceChildren(...STEPS.map((step) => {
    const ready = done[step.name] === true;
    const state = ready ? texts.step_done : OPTIONAL.has(step.name) ? texts.step_optional : "";
    return element("li", { class: ready ? "done" : "", "data-step": step.name },
      element("h2", { text: texts.steps[step.name][0] }), element("p", { text: texts.steps[step.name][1] }),
      element("div", { class: "row" },
        element("button", { type: "button", class: step === next ? "main" : "", text: texts.step_open, "aria-label": `${texts.step_open}: ${texts.steps[step.name][0]}`, onclick: () => begin(step) }),
        element("span", { class: "state", text: state })));
  }));
  document.body.dataset.shown = "yes";
}

for (;;) {
  try {
    show((await ask("/operator/api/set_up")).steps);
    break;
  } catch (error) {
    byId("state").textContent = error.message;
    if (!byId("steps").children.length) show({});
    await later(2000);
  }
}
byId("state").textContent = "";
