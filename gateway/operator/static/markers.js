import { ask, byId, later, whileSeen } from "./common.js";

async function live() {
  try {
    const told = await ask("/operator/api/eye/view?grid=0");
    if (told.picture) byId("live").src = told.picture;
    byId("verdict").textContent = told.markers;
  } catch (error) {
    byId("verdict").textContent = error.message;
    await later(1500);
  }
}

whileSeen(500, live);
