// Hands the code of the address on to the camera's pages; no server sees what follows the #.
for (const link of document.querySelectorAll("#open, #photographs")) link.href += location.hash;
