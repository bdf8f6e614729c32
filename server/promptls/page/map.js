"use strict";
const map = document.querySelector(".map");
const said = document.getElementById("said");
const stops = [...map.querySelectorAll("button, a, span")];

// One tab stop; the arrow keys go on from there.
const visible = () => stops.filter((each) => each.offsetParent !== null);
const stay = (at) => stops.forEach((each) => { each.tabIndex = each === at ? 0 : -1; });
const go = (at) => { stay(at); at.focus(); };
map.addEventListener("keydown", (event) => {
  const shown = visible();
  const at = shown.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
  if (event.key === "Escape") enlarge(null);
  if (to === undefined || at < 0) return;
  event.preventDefault();
  go(shown[Math.min(Math.max(to, 0), shown.length - 1)]);
});

function enlarge(button) {
  const large = button && button.getAttribute("aria-pressed") !== "true" ? button : null;
  for (const each of map.querySelectorAll("button")) {
    each.setAttribute("aria-pressed", String(each === large));
    each.parentElement.classList.toggle("large", each === large);
  }
  map.classList.toggle("large", large !== null);
}
map.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) { enlarge(button); go(button); }
});

const own = document.getElementById("own");
own.addEventListener("click", () => own.setAttribute("aria-pressed", String(map.classList.toggle("own"))));

const say = (event) => {
  const at = event.target.closest("[aria-label], button");
  if (at && map.contains(at)) said.textContent = at.getAttribute("aria-label") ?? at.textContent;
};
map.addEventListener("focusin", say);
map.addEventListener("mouseover", say);
if (stops.length) stay(stops[0]);
