// On a paired display, over whatever page it shows: codes for whoever stands at the table.
"use strict";
(() => {
  const box = document.createElement("aside");
  box.id = "operator-notices";
  box.setAttribute("aria-live", "polite");
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = "/operator/static/display.css";
  document.head.append(style);
  const source = new EventSource("/operator/api/display");
  source.addEventListener("notices", (event) => {
    box.replaceChildren(...JSON.parse(event.data).map(({ title, code }) => {
      const notice = document.createElement("p");
      const strong = document.createElement("strong");
      strong.textContent = code;
      notice.append(`${title} `, strong);
      return notice;
    }));
    box.hidden = !box.children.length;
  });
  box.hidden = true;
  document.body.append(box);
})();
