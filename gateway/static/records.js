// The pages about players and dice: sharing them as a picture, and keeping the one on the wall up to date.
const AGAIN_MS = 2000;
const FRESH_MS = 60000;

// The picture as a PNG; the browser draws it.
async function png(path) {
  const image = new Image();
  image.src = path;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  canvas.getContext("2d").drawImage(image, 0, 0);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  return new File([blob], `${document.querySelector("h1").textContent.replace(/[^\p{L}\p{N}]+/gu, "-")}.png`, { type: "image/png" });
}

// To another program of the phone, where the browser may; else into its downloads.
async function share({ currentTarget }) {
  const file = await png(currentTarget.dataset.picture);
  if (navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file] }).catch(() => {});
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Replaces the page's content only if it changed, so that readers are not disturbed.
async function renew() {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const found = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (found.body.dataset.state !== "wall") return;
  const [shown, fresh] = [document.querySelector("main"), found.querySelector("main")];
  if (shown.outerHTML !== fresh.outerHTML) shown.replaceWith(fresh);
}

document.getElementById("share")?.addEventListener("click", share);
if (document.body.dataset.state === "counting") setTimeout(() => location.reload(), AGAIN_MS);
if (document.body.dataset.state === "wall") setInterval(renew, FRESH_MS);
