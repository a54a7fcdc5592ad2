// Sweeps as they run, read from their folders once a second.

import { get, url } from "../api.js";
import { h, broken, fill } from "../dom.js";
import { count, number, percent, span, word } from "../format.js";
import { keysOf } from "../keys.js";
import { badge, link } from "./episodes.js";

const EVERY = 1000;

export async function draw(main, params, { isCurrent }) {
  const place = h("div.runs-live");
  const first = await get("/api/live");
  if (!isCurrent()) return;
  fill(main, h("header.section-head", h("h1", "Live"), h("p.muted", "Runs that are being written come first. This page follows them.")), place);
  let timer = 0;
  const show = (runs) => fill(place, runs.length ? order(runs).map(card) : h("p.empty", "There are no runs yet."));
  const tick = async () => {
    const runs = await get("/api/live").catch(() => null);
    if (!isCurrent()) return;
    // Nothing moves under a person's hands.
    if (runs && !place.contains(document.activeElement)) show(runs);
    timer = setTimeout(tick, EVERY);
  };
  show(first);
  timer = setTimeout(tick, EVERY);
  keysOf("Live", []);
  return { title: "Live", leave: () => clearTimeout(timer) };
}

const order = (runs) => [...runs].sort((a, b) => Number(b.running) - Number(a.running) || a.run.localeCompare(b.run));

function card(run) {
  const counted = run.done - run.missing;
  const facts = [
    ["Done", run.all ? `${run.done.toLocaleString("en")} of ${run.all.toLocaleString("en")}` : run.done.toLocaleString("en")],
    ["Success", counted ? percent(run.successes / counted) : "–"],
    ["No result", [run.missing, troubles(run)]],
    ["Crashed", run.failed],
    run.begun ? ["In the middle", run.begun] : null,
    run.tokens ? ["Tokens", run.tokens.toLocaleString("en")] : null,
    run.tokens ? ["Cost", run.cost_usd === null ? "price not known" : `$${run.cost_usd.toFixed(2)}`] : null,
    run.running ? ["Speed", run.per_minute === null ? "measuring…" : `${number(run.per_minute, 0)} a minute`] : null,
    run.running ? ["Left", run.seconds_left === null ? "–" : span(run.seconds_left * 1000)] : null,
  ].filter(Boolean);
  return h(
    `section.card.${run.running ? "running" : "still"}`, { "aria-label": run.run },
    h("header", h("h2", h("a", { href: url("#/episodes", { run: run.run }) }, run.run)), h(`span.state.${run.running ? "on" : "off"}`, state(run))),
    run.all ? meter(run.done, run.all, "Progress") : null,
    h("dl.facts", facts.map(([name, value]) => h("div", h("dt", name), h("dd", value)))),
    run.under_way?.length ? h("div.under-way", h("h3", "Under way"), h("ul.plain", run.under_way.slice(0, 20).map((key) => h("li", h("a", { href: url("#/cluster", { run: run.run, key }) }, broken(key)), h("span.muted", " look on"))))) : null,
    // What is over is folded, so that what goes on is seen.
    run.running ? h("div.two", agents(run), latest(run)) : h("details", h("summary", "By agent, and the latest"), h("div.two", agents(run), latest(run))),
  );
}

/** What a person has begun and not ended has no episode yet. */
const state = ({ running, all, done }) => (running ? "running" : all && done < all ? "stopped" : done ? "finished" : "begun");

/** Why episodes have no result. */
function troubles(run) {
  const kinds = Object.entries(run.troubles ?? {}).sort((a, b) => b[1] - a[1]);
  return kinds.length ? h("span.muted", ` ${kinds.map(([name, n]) => `${n} ${word(name)}`).join(", ")}`) : null;
}

const meter = (done, all, label) => h("div.meter", { role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": all, "aria-valuenow": Math.min(done, all) }, h("div.meter-fill", { style: { width: `${Math.min(100, (done / all) * 100)}%` } }));

function agents(run) {
  const row = ([name, tally]) => {
    const counted = tally.done - tally.missing;
    return h("tr", h("th", { scope: "row" }, broken(name)), h("td.num", tally.all ? `${tally.done}/${tally.all}` : tally.done), h("td.num", counted ? percent(tally.successes / counted) : "–"), h("td.num", tally.missing || h("span.muted", "0")));
  };
  return h("table", h("caption", `By agent`), h("thead", h("tr", ["Agent", "Done", "Success", "No result"].map((n, at) => h(at ? "th.num" : "th", { scope: "col" }, n)))), h("tbody", Object.entries(run.agents).map(row)));
}

function latest(run) {
  const row = (one) => h("tr", h("td", badge(one.success)), h("td.clip", h("a", { href: link({ run: run.run, key: one.key }) }, one.key)), h("td.num", number(one.reward)), h("td.num", count(one.steps, "step")));
  return h("table", h("caption", "Latest"), h("thead.visually-hidden", h("tr", ["Outcome", "Episode", "Reward", "Steps"].map((n) => h("th", { scope: "col" }, n)))), h("tbody", run.latest.slice(0, 6).map(row)));
}
