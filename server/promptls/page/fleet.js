"use strict";
const find = document.getElementById("find");
const rows = [...document.querySelectorAll("#repositories tbody tr")];
find.addEventListener("input", () => {
  const wanted = find.value.toLowerCase();
  for (const each of rows) each.hidden = !each.firstChild.textContent.toLowerCase().includes(wanted);
});
