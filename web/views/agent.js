// One agent: what it resolved, how the rest failed, and where.

import { get, url } from "../api.js";
import { intervalBar } from "../chart.js";
import { h, broken, fill } from "../dom.js";
import { chosen, compare } from "../filters.js";
import { count, percent, word } from "../format.js";
import { keysOf } from "../keys.js";
import { mark } from "../marks.js";
import { WAYS, failures, figure, legend, sentence, spent } from "./overview.js";

export async function draw(main, params, { isCurrent }) {
  const agent = params.get("agent") ?? "";
  const filters = { ...chosen(params), agent: [agent] };
  const found = await get("/api/board", filters);
  if (!isCurrent()) return {};
  const [place] = found.places;
  const episodes = (more = {}) => url("#/episodes", { ...filters, ...more });
  const tools = h("section.profile", { "aria-labelledby": "tools", hidden: true });
  fill(
    main,
    h("nav.crumbs", { "aria-label": "Place" }, h("a", { href: "#/" }, "Overview"), h("span.spring"), h("a.button", { href: episodes() }, "Show episodes")),
    h("h1", mark(agent), broken(agent)),
    place ? [profile(place, found.columns, params, episodes), tools] : h("p.empty", "There is no episode of this agent here. ", h("a", { href: "#/" }, "To the overview")),
  );
  // Counted from records, which takes longer than the rest of the page.
  if (place) get("/api/calls", filters).then((used) => isCurrent() && showTools(tools, used), () => {});
  keysOf("Agent", [
    ["e", "Show its episodes", () => (location.hash = episodes())],
    ["Escape", "Back", () => history.back()],
  ]);
  return { title: agent };
}

function profile(place, columns, params, episodes) {
  return [
    h("p.lead", inWords(place)),
    place.unranked ? h("p.notice", place.unranked) : null,
    h(
      "dl.facts",
      h("div", h("dt", "Success"), h("dd", place.success ? [percent(place.success.point), " ", intervalBar(place.success, percent(place.success.point))] : "no result")),
      columns.map((metric, at) => h("div", { title: metric.about }, h("dt", sentence(metric.title)), h("dd", figure(metric, place.figures[at])))),
      place.tokens === null ? null : h("div", h("dt", "Tokens"), h("dd", spent(place))),
      h("div", h("dt", "Runs"), h("dd", place.runs.join(", "))),
    ),
    h("section.profile", { "aria-labelledby": "went" }, h("h2", { id: "went" }, "How episodes went"), failures(place, params), legend([place]), ways(place, episodes)),
    Object.entries(place.groups).map(([by, groups]) => section(by, groups, episodes)),
  ];
}

/** The page in a few sentences. */
function inWords({ episodes, missing, failures }) {
  const resolved = failures.success ?? 0;
  const kinds = WAYS.filter((name) => !["success", "agent_provider_error"].includes(name) && failures[name]).sort((a, b) => failures[b] - failures[a]);
  const said = [resolved === episodes ? `Resolved all ${count(episodes, "episode")}.` : `Resolved ${resolved || "none"} of ${count(episodes, "episode")}.`];
  if (kinds.length) said.push(`How the others went: ${kinds.map((name) => `${word(name)} (${failures[name]})`).join(", ")}.`);
  if (missing) said.push(`${count(missing, "more episode")} ha${missing === 1 ? "s" : "ve"} no result, because a provider failed.`);
  return said.join(" ");
}

function ways(place, episodes) {
  const all = place.episodes + place.missing;
  const rows = WAYS.filter((name) => place.failures[name]).map((name) =>
    h("tr", h("th", { scope: "row" }, h("a", { href: episodes({ failure: [name] }) }, word(name))), h("td.num", place.failures[name]), h("td.num", percent(place.failures[name] / all))),
  );
  return table("How episodes went", ["", "Episodes", "Share"], rows);
}

/** Calls by tool, most used first. */
function showTools(section, { calls, read, episodes, invalid, looks_before_change }) {
  if (!read || !(calls.length || invalid)) return;
  const all = calls.reduce((sum, [, times]) => sum + times, invalid);
  const row = (name, times) => h("tr", h("th", { scope: "row" }, name), h("td.num", times), h("td.num", (times / read).toFixed(1)), h("td.num", percent(times / all)));
  const rows = calls.map(([tool, times]) => row(tool, times));
  if (invalid) rows.push(row("no valid action", invalid));
  const said = [read < episodes ? `Counted in ${read} of ${count(episodes, "episode")}, taken from all over the list.` : "", looks_before_change === null ? "" : `Looks before the first change: ${looks_before_change.toFixed(1)} in the mean.`];
  fill(section, h("h2", { id: "tools" }, "Calls by tool"), h("p.muted", said.filter(Boolean).join(" ")), table("Calls by tool", ["Tool", "Calls", "Per episode", "Share"], rows));
  section.hidden = false;
}

function section(by, groups, episodes) {
  const rows = Object.entries(groups).sort(([a], [b]) => compare(by, a, b)).map(([name, [successes, all]]) =>
    h("tr", h("th", { scope: "row" }, h("a", { href: episodes({ [by]: [name] }) }, name || "(none)")), h("td.num", successes), h("td.num", all), h("td.num", percent(successes / all))),
  );
  return rows.length ? h("section.profile", h("h2", `By ${by}`), table(`Success by ${by}`, [sentence(by), "Resolved", "Episodes", "Success"], rows)) : null;
}

const table = (label, heads, rows) =>
  h("div.scroll", { tabindex: "0", role: "region", "aria-label": label }, h("table", h("thead", h("tr", heads.map((name, at) => h(at ? "th.num" : "th", { scope: "col" }, name)))), h("tbody", rows)));
