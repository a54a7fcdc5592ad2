// The cluster of one episode, alone on the screen: also while an agent works in it.

import { h, fill } from "../dom.js";
import { keysOf } from "../keys.js";
import { clusterPanel } from "../cluster.js";
import { link } from "./episodes.js";

export async function draw(main, params, { isCurrent }) {
  const [run, key] = [params.get("run"), params.get("key")];
  fill(main, h("p.loading", "Playing the episode again before a camera…"));
  const panel = await clusterPanel(run, key);
  if (!isCurrent()) return panel.stop();
  const { film } = panel;
  fill(main, h("nav.crumbs", { "aria-label": "Place" }, film.under_way ? h("a", { href: "#/live" }, "Live") : h("a", { href: link({ run, key }) }, "The whole episode")), h("h1", film.agent, h("span.muted", ` run ${run}`)), panel.root);
  keysOf("Cluster", [
    ["j", "Next step", () => panel.move(1)],
    ["k", "Step before", () => panel.move(-1)],
    ["p", "Play or pause", () => panel.play(!panel.isPlaying)],
  ]);
  return { title: `Cluster of ${film.agent}`, leave: () => panel.stop() };
}
