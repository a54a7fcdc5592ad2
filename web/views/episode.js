// One episode.

import { get } from "../api.js";
import { h, fill } from "../dom.js";
import { keysOf } from "../keys.js";
import { story } from "../story.js";
import { link } from "./episodes.js";

export async function draw(main, params, { isCurrent }) {
  const [run, key] = [params.get("run"), params.get("key")];
  const told = await story(run, key);
  if (!isCurrent()) return told.stop();
  const others = h("div.others");
  fill(main, h("nav.crumbs", { "aria-label": "Place" }, h("a", { href: "#/episodes" }, "Episodes"), h("span.spring"), others), told.root);
  rivals(told.line, run, key).then((found) => isCurrent() && fill(others, found));
  keysOf("Episode", [
    ["j", "Next step", () => told.move(1)],
    ["k", "Previous step", () => told.move(-1)],
    ["r", "Reveal the truth", () => told.reveal()],
    ["m", "All metrics, or the telling ones", () => told.moreCharts?.()],
    ["Escape", "Back to the table", () => (history.length > 1 ? history.back() : (location.hash = "#/episodes"))],
  ]);
  return { title: `${told.line.agent} on ${told.line.task}`, leave: () => told.stop() };
}

/** The same incident in the hands of others. */
async function rivals(line, run, key) {
  const found = await get("/api/episodes", { task: line.task, seed: String(line.seed), limit: 30 });
  const rows = found.rows.map((row) => Object.fromEntries(found.columns.map((name, at) => [name, row[at]])));
  const rest = rows.filter((row) => row.key !== key || row.run !== run);
  if (!rest.length) return [];
  const select = h(
    "select", { "aria-label": "Compare with another episode on the same incident" },
    h("option", { value: "" }, "Compare with…"),
    rest.map((row) => h("option", { value: JSON.stringify([row.run, row.key]) }, `${row.agent} (${row.run})`)),
  );
  select.addEventListener("change", () => {
    if (!select.value) return;
    const [run2, key2] = JSON.parse(select.value);
    location.hash = link({ run, key }).replace("#/episode", "/pair") + `&${new URLSearchParams({ run2, key2 })}`;
  });
  return [select];
}
