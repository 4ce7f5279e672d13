// Hands the code of the address on to the camera's page; no server sees what follows the #.
const link = document.getElementById("open");
link.href += location.hash;
