"use strict";
const requests = document.getElementById("requests");
const changed = document.getElementById("changed");
const only = (on) => { requests.classList.toggle("changed", on); changed.setAttribute("aria-pressed", String(on)); };
if (changed) {
  changed.addEventListener("click", () => only(!requests.classList.contains("changed")));
  // In a long session, what happened comes first.
  only(requests.querySelectorAll("tbody tr").length > 100);
}

