// The keyboard: each view says which keys it takes; the overlay lists them.

const GLOBAL = [
  ["?", "Show or hide this help"],
  ["g o", "Go to the overview"],
  ["g e", "Go to the episodes"],
  ["g l", "Go to the live view"],
  ["g p", "Go to play"],
  ["/", "Search"],
  ["t", "Change the theme"],
  ["Esc", "Close, or go back"],
];
const GO = { o: "#/", e: "#/episodes", l: "#/live", p: "#/play" };

let own = { title: "", keys: [] };
let waiting = false;

/** Keys of the view on the screen: `[key, what it does, function]`. */
export function keysOf(title, keys) {
  own = { title, keys };
}

/** Listens. `actions` has `theme`. */
export function listen(actions, h, fill) {
  const dialog = document.getElementById("keys");
  const toggle = () => (dialog.open ? dialog.close() : show(dialog, h, fill));
  document.getElementById("help").addEventListener("click", toggle);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    // Escape closes the overlay by itself.
    if (dialog.open && event.key !== "?") return;
    if (waiting) {
      waiting = false;
      if (GO[event.key]) return take(event, () => (location.hash = GO[event.key]));
    }
    if (event.key === "g") return take(event, () => (waiting = true));
    if (event.key === "?") return take(event, toggle);
    if (event.key === "t") return take(event, actions.theme);
    const found = own.keys.find(([key]) => key === event.key);
    // A button or link in focus does what Enter does to it.
    if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
    if (found?.[2]) take(event, found[2]);
    else if (event.key === "/") take(event, () => document.querySelector("[data-search]")?.focus());
  });
}

function take(event, act) {
  event.preventDefault();
  act();
}

const isTyping = (target) =>
  target instanceof HTMLElement && (target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select") || target.isContentEditable);

function show(dialog, h, fill) {
  const rows = (keys) =>
    h("dl.keys", keys.map(([key, about]) => [h("dt", key.split(" ").map((k) => [h("kbd", k), " "])), h("dd", about)]));
  fill(
    dialog,
    h("header", h("h2", { id: "keys-title" }, "Keyboard"), h("button", { type: "button", onclick: () => dialog.close() }, "Close")),
    own.keys.length ? [h("h3", own.title), rows(own.keys)] : null,
    h("h3", "Everywhere"),
    rows(GLOBAL),
  );
  dialog.showModal();
}
