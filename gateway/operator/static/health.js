import { ask, byId, change, doing, element, filled, say, texts, whileSeen } from "./common.js";

async function examine() {
  byId("verdict").textContent = texts.examining;
  const told = await doing(byId("examine"), () => ask("/operator/api/doctor"));
  byId("verdict").textContent = told ? (told.ok ? texts.well : texts.unwell) : "";
  if (!told) return;
  const row = (found) => element("li", { class: found.ok ? "good" : "bad" }, element("strong", { text: `${found.ok ? "✔" : "✖"} ${found.part}: ` }), found.state,
    found.remedy ? element("p", { class: "remedy", text: found.remedy }) : "", ...found.notes.map((text) => element("p", { class: "dim", text })));
  byId("sensors").replaceChildren(...told.sensors.map((found) => element("li", { class: found.ok ? "good" : "bad" }, element("strong", { text: found.part.replace("bench.", "") }), element("span", { text: found.state }))),
    element("li", {}, element("strong", { text: texts.load }), element("span", { text: told.load.map((each) => each.toFixed(2)).join("  ") })),
    element("li", {}, element("strong", { text: texts.memory }), element("span", { text: filled(texts.memory_free, { available: told.memory.available_mb ?? "?", total: told.memory.total_mb ?? "?" }) })));
  byId("parts").replaceChildren(...told.parts.map(row));
  document.body.dataset.examined = "yes";
}

async function logs() {
  const told = await doing(byId("logs-again"), () => ask("/operator/api/logs"));
  if (!told) return;
  byId("logs").textContent = told.text;
  byId("logs").scrollTop = byId("logs").scrollHeight;
}

async function link() {
  try {
    const { link: told } = await ask("/operator/api/link");
    byId("frames").hidden = !told;
    byId("link").textContent = told ? `${told.state} ${told.board} ${filled(texts.damaged, { n: told.damaged })}` : texts.no_link;
    if (told) byId("frames").textContent = told.frames.map((each) => `${each.at_s.toFixed(3)} ${texts[each.way]}: ${each.hex}`).join("\n");
  } catch (error) { byId("link").textContent = error.message; }
}

byId("examine").addEventListener("click", examine);
byId("logs-again").addEventListener("click", logs);
byId("bundle").addEventListener("click", async () => {
  say(texts.bundling);
  const made = await doing(byId("bundle"), () => change("/operator/api/bundle", { pictures: byId("pictures").checked }, true));
  if (!made) return;
  const link = element("a", { href: URL.createObjectURL(made.blob), download: made.name });
  document.body.append(link);
  link.click();
  link.remove();
  say(texts.bundled);
});
// The plots are pictures, anew each minute.
function history() {
  for (const each of document.querySelectorAll("[data-plot]")) each.src = `/operator/api/history/${each.dataset.plot}.svg?${Date.now()}`;
}

whileSeen(2000, link);
whileSeen(60000, async () => history());
logs();
examine();
