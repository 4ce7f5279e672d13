// Fetches the same page again and swaps what it shows; says so when it is out of date.
"use strict";
const EVERY_MS = 3000;
async function refresh() {
  const stale = document.getElementById("stale");
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = document.querySelector("main");
    const next = page.querySelector("main");
    if (next && now.innerHTML !== next.innerHTML) now.replaceWith(next);
    stale.hidden = true;
  } catch {
    stale.hidden = false;
  }
  setTimeout(refresh, EVERY_MS);
}
setTimeout(refresh, EVERY_MS);
