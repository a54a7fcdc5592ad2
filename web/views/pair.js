// Two episodes side by side.

import { h, fill } from "../dom.js";
import { Cursor, shareAxis } from "../chart.js";
import { keysOf } from "../keys.js";
import { story, tellingOf } from "../story.js";

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
  drawCharts(both);
  keysOf("Side by side", [
    ["j", "Next step on both sides", () => both.forEach((told) => told.move(1))],
    ["k", "Previous step on both sides", () => both.forEach((told) => told.move(-1))],
    ["r", "Reveal the truth", () => both.forEach((told) => told.reveal())],
    ["Escape", "Back", () => history.back()],
  ]);
  return { title: "Side by side", leave: stop };
}

/** The same metrics on both sides, on the same axes, with one line of time through all of them. */
async function drawCharts(both) {
  const told = both.filter((one) => one.readCharts);
  const found = await Promise.all(told.map((one) => one.readCharts()));
  const drawn = found.filter(Boolean);
  if (!drawn.length) return;
  const [left, right] = drawn;
  for (const service of right ? left.services : []) {
    const there = right.services.find((other) => other.name === service.name);
    for (const metric of service.metrics) {
      const twin = there?.metrics.find((other) => other.name === metric.name);
      if (twin) shareAxis(metric, twin);
    }
  }
  const span = [Math.min(...drawn.map((one) => one.times[0])), Math.max(...drawn.map((one) => one.times.at(-1)))];
  const [telling, cursor] = [tellingOf(drawn), new Cursor()];
  const sums = told.flatMap((one) => one.sums());
  told.forEach((one, at) => found[at] && one.showCharts(found[at], { span, telling, sums }, cursor));
}
