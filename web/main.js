// The shell: which view is on the screen follows from the address, so every screen can be linked to.

import { h, fill, say } from "./dom.js";
import { keysOf, listen } from "./keys.js";

const VIEWS = {
  "": ["overview", "Overview", () => import("./views/overview.js")],
  episodes: ["episodes", "Episodes", () => import("./views/episodes.js")],
  episode: ["episodes", "Episode", () => import("./views/episode.js")],
  agent: ["overview", "Agent", () => import("./views/agent.js")],
  cluster: ["episodes", "Cluster", () => import("./views/cluster.js")],
  pair: ["episodes", "Side by side", () => import("./views/pair.js")],
  live: ["live", "Live", () => import("./views/live.js")],
  play: ["play", "Play", () => import("./views/lobby.js")],
  game: ["play", "Incident", () => import("./views/game.js")],
};

// The token came in with the address and is kept in a cookie now: it need not be in links and bookmarks.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

const main = document.getElementById("main");
let leave = null;
let shown = null;
let latest = 0;

/** `#/episodes?agent=a` as a view's name and its parameters. */
function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { name: path.split("/")[0], params: new URLSearchParams(query) };
}

async function show() {
  if (location.hash === "#main") return;
  const { name, params } = place();
  const turn = ++latest;
  const [nav, title, load] = VIEWS[name] ?? VIEWS[""];
  // A view may take new parameters without being drawn anew.
  if (shown?.name === name && shown.view?.update?.(params)) return;
  leave?.();
  leave = null;
  shown = null;
  keysOf("", []);
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.dataset.view === nav) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${title} · SRE-Zero`;
  try {
    const { draw } = await load();
    const view = await draw(main, params, { isCurrent: () => turn === latest });
    if (turn !== latest) return view?.leave?.();
    leave = view?.leave ?? null;
    shown = { name, view };
    if (view?.title) document.title = `${view.title} · SRE-Zero`;
    say(document.title);
  } catch (error) {
    if (turn === latest) trouble(error);
  }
}

function trouble(error) {
  fill(
    main,
    h("div.notice.bad", { role: "alert" }, h("h1", "That did not work"), h("p", error.message)),
    h("p", h("a.button", { href: "#/" }, "To the overview")),
  );
}

const THEMES = ["auto", "light", "dark"];

function theme(name) {
  document.documentElement.dataset.theme = name;
  fill(document.getElementById("theme"), h("span.word", "Theme: "), name);
}

function nextTheme() {
  const now = document.documentElement.dataset.theme;
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  localStorage.setItem("theme", next);
  theme(next);
}

theme(THEMES.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "auto");
document.getElementById("theme").addEventListener("click", nextTheme);
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
listen({ theme: nextTheme }, h, fill);
window.addEventListener("hashchange", () => {
  show();
  if (!place().params.has("keep")) window.scrollTo(0, 0);
});
show();
