// Two episodes side by side.

import { h, fill } from "../dom.js";
import { keysOf } from "../keys.js";
import { story } from "../story.js";

export async function draw(main, params, { isCurrent }) {
  const ask = (run, key) => story(params.get(run), params.get(key), { compact: true });
  const both = await Promise.all([ask("run", "key"), ask("run2", "key2")]);
  const stop = () => both.forEach((told) => told.stop());
  if (!isCurrent()) return stop();
  const swap = new URLSearchParams({ run: params.get("run2"), key: params.get("key2"), run2: params.get("run"), key2: params.get("key") });
  fill(
    main,
    h("nav.crumbs", { "aria-label": "Place" }, h("a", { href: "#/episodes" }, "Episodes"), h("span.spring"), h("a.button", { href: `#/pair?${swap}` }, "Swap sides")),
    h("h1", "Side by side"),
    h("div.side-by-side", both.map((told) => told.root)),
  );
  keysOf("Side by side", [
    ["j", "Next step on both sides", () => both.forEach((told) => told.move(1))],
    ["k", "Previous step on both sides", () => both.forEach((told) => told.move(-1))],
    ["r", "Reveal the truth", () => both.forEach((told) => told.reveal())],
    ["Escape", "Back", () => history.back()],
  ]);
  return { title: "Side by side", leave: stop };
}
