// On a paired display, in the heading of the guest page: codes for the operator at the table.
import { byId, put } from "/static/dice.js";

const box = document.createElement("aside");
const style = document.createElement("link");
box.id = "operator-notices";
box.hidden = true;
style.rel = "stylesheet";
style.href = "/operator/static/display.css";
document.head.append(style);
byId("tools").prepend(box);

export function showNotices(notices) {
  box.replaceChildren(...notices.map(({ title, code }) => {
    const notice = document.createElement("p");
    const strong = document.createElement("strong");
    strong.textContent = code;
    notice.append(`${title} `, strong);
    return notice;
  }));
  box.hidden = !box.children.length;
  if (!box.hidden) put(byId("live"), box.textContent);
}
