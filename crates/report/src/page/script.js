"use strict";
// Sorting by any column, a switch between light and dark, and agents that open when they are asked for. The page is complete
// without any of it.
for (const table of document.querySelectorAll("table")) {
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, head, column));
  });
}
function sort(table, head, column) {
  const down = head.getAttribute("aria-sort") === "ascending";
  table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  const value = (row) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
  };
  const order = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return a.localeCompare(b, "en", { numeric: true });
  };
  const rows = Array.from(body.rows).sort((a, b) => order(value(a), value(b)));
  if (down) rows.reverse();
  body.append(...rows);
}
const root = document.documentElement;
const dark = () =>
  root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const light = document.createElement("button");
light.type = "button";
light.className = "theme";
const paint = () => (light.textContent = dark() ? "Light" : "Dark");
light.addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  try {
    localStorage.setItem("sre-zero-theme", root.dataset.theme);
  } catch {
    // A page opened from a file may not be allowed to remember.
  }
  paint();
});
try {
  const kept = localStorage.getItem("sre-zero-theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
} catch {
  // The same.
}
paint();
document.querySelector("header").append(light);
const open = () => {
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (part instanceof HTMLDetailsElement) part.open = true;
};
addEventListener("hashchange", open);
open();
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((all) => (all.open = true)));
