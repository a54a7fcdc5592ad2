// The first screen: who fares how, and the runs that it was measured in.

import { get, url } from "../api.js";
import { h, broken, fill } from "../dom.js";
import { intervalBar } from "../chart.js";
import { chosen, filterBar } from "../filters.js";
import { count, moment, number, percent, word } from "../format.js";
import { keysOf } from "../keys.js";
import { agentPage, mark } from "../marks.js";

export async function draw(main, params, { isCurrent }) {
  let now = new URLSearchParams(params);
  const bar = filterBar(now, (next) => (location.hash = url("#/", Object.fromEntries(groups(next)))));
  const board = h("section", { "aria-label": "Leaderboard" });
  const runs = h("section", { "aria-labelledby": "runs-title" });
  const [found, all] = await Promise.all([get("/api/board", chosen(now)), get("/api/runs")]);
  if (!isCurrent()) return bar.stop();
  if (all.runs.length === 0) {
    bar.stop();
    fill(main, welcome(all));
    return {};
  }
  fill(main, h("h1.visually-hidden", "Overview"), bar.root, board, runs);
  const show = async (found) => {
    bar.update(found.choices);
    const suites = Object.keys(found.choices.suite ?? {}).filter((suite) => !now.has("suite") || now.getAll("suite").includes(suite));
    const asked = now;
    // What was played by different rules is not pooled: every suite has its own table, as long as they can be overlooked.
    if (suites.length < 2 || suites.length > MOST_SUITES || now.has("run")) return drawBoard(board, found, now, mixed(found.places, all.runs));
    const each = await Promise.all(suites.map((suite) => get("/api/board", { ...chosen(asked), suite })));
    if (!isCurrent() || asked !== now) return;
    const parts = suites.map((suite, at) => [suite, each[at]]).filter(([, { places }]) => places.length);
    fill(board, parts.map(([suite, one]) => suiteBoard(suite, one, now, all.runs)));
  };
  await show(found);
  drawRuns(runs, all);
  keysOf("Overview", [
    ["e", "Show the episodes behind these figures", () => (location.hash = episodes(now))],
  ]);
  return {
    title: "Overview",
    leave: bar.stop,
    update(next) {
      now = new URLSearchParams(next);
      bar.take(now);
      get("/api/board", chosen(now)).then(show);
      return true;
    },
  };
}

/** More suites than this would be a long way to scroll. */
const MOST_SUITES = 8;

/** The leaderboard of one suite. */
function suiteBoard(suite, found, params, runs) {
  const [section, own] = [h("section.suite-board"), new URLSearchParams(params)];
  own.delete("suite");
  own.append("suite", suite);
  drawBoard(section, found, own, mixed(found.places, runs.filter((run) => run.suite === suite)), suite);
  return section;
}

/** Parameters as `name -> list`. */
export function groups(params) {
  const found = new Map();
  for (const [name, value] of params) found.set(name, [...(found.get(name) ?? []), value]);
  return found;
}

const episodes = (params, more = {}) => url("#/episodes", { ...chosen(params), ...more });

function welcome(all) {
  return h(
    "div.welcome",
    h("h1", "No runs yet"),
    h("p", "Nothing was found in ", h("code", all.root), "."),
    h("p", "Let agents respond to incidents:"),
    h("pre.quoted", "sre-zero run --suite easy"),
    h("p", "or respond to one yourself:"),
    h("p", h("a.button.primary", { href: "#/play" }, "Play an incident")),
  );
}

/** The columns before and behind the metrics, which the server names. */
const BEFORE = ["", "Agent", "Success"];
const BEHIND = ["How it went", "Episodes"];

/** What the runs behind the figures do not have in common, in words. */
function mixed(places, runs) {
  const used = new Set(places.flatMap((place) => place.runs));
  const own = runs.filter((run) => used.has(run.id));
  const facts = { suite: "suites", noise: "noise", tools: "tools" };
  return Object.keys(facts).filter((name) => new Set(own.map((run) => run[name])).size > 1).map((name) => facts[name]).join(", ");
}

function drawBoard(section, { places, columns, matched, repeated }, params, mix, suite = null) {
  const asked = places.some((place) => place.tokens !== null);
  const heading = (name, about) => h(name === "Episodes" || about ? "th.num" : "th", { scope: "col", title: about ?? null }, name || h("span.visually-hidden", "Rank"));
  fill(
    section,
    h(
      "header.section-head",
      h("h2", suite ? {} : { id: "board-title" }, suite ? `Leaderboard: ${suite}` : "Leaderboard"),
      h("p.muted", `${count(matched, "episode")}; agents that cannot be told apart share a rank; bars are 95 % intervals that know task families.`),
      h("a.button", { href: episodes(params) }, "Show episodes"),
    ),
    mix ? h("p.notice", `Runs with different ${mix} are pooled here. Choose one under Run to compare like with like; a report never pools them.`) : null,
    repeated ? h("p.notice", `${count(repeated, "episode")} of these stand in more than one run: the same agent, task and seed counts once.`) : null,
    places.length
      ? h(
          "div.scroll", { tabindex: "0", role: "region", "aria-label": suite ? `Leaderboard table of ${suite}` : "Leaderboard table" },
          h(
            "table.board",
            h("thead", h("tr", BEFORE.map((name) => heading(name)), columns.map((metric) => heading(sentence(metric.title), metric.about)), asked ? heading("Tokens", "in all episodes, those without a result too, and what they cost") : null, BEHIND.map((name) => heading(name)))),
            h("tbody", places.map((place) => row(place, columns, params, asked))),
          ),
        )
      : h("p.empty", "No episode fits. ", h("a", { href: "#/" }, "Show all")),
    legend(places),
    places.some((place) => place.unranked) ? h("p.muted.note", "Agents without a rank: too many of their episodes have no result, because a provider failed, they played less than half of these tasks, or they were shown rewards.") : null,
  );
}

export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A figure as its metric wants it. */
export function figure(metric, { value, interval }) {
  if (value === null) return "–";
  if (metric.unit === "share") return percent(value);
  if (metric.unit === "minutes") return `${number(value, 1)} min`;
  const digits = Math.min(metric.digits, 2);
  return [number(value, digits), interval ? ends(interval, digits) : null];
}

function row(place, columns, params, asked) {
  const { success } = place;
  const { rank } = place;
  const label = success ? `${percent(success.point)}, between ${percent(success.low)} and ${percent(success.high)}` : "no result";
  return h(
    "tr",
    h("td.rank", rank ?? h("span", { title: place.unranked }, "–")),
    h(
      "th", { scope: "row" },
      h("a.of-agent", { href: agentPage(place.agent, { ...chosen(params), agent: [] }) }, mark(place.agent), h("span", broken(place.agent))),
      place.blind_ceiling ? h("span.tag", { title: "the best of the agents that look at no symptom" }, "blind ceiling") : null,
      place.unranked ? h("span.tag.missing", { title: place.unranked }, /shown rewards/.test(place.unranked) ? "rewards shown" : place.coverage < 0.9 ? `coverage ${percent(place.coverage)}` : "too few tasks") : null,
    ),
    h(
      "td.success",
      success
        ? [h("span.big", percent(success.point)), intervalBar(success, label), h("span.muted.range-text", `${Math.round(success.low * 100)}–${Math.round(success.high * 100)}`), place.above_blind === null ? null : h("span.muted.above", { title: "(success - blind ceiling) / (1 - blind ceiling)" }, `${number(place.above_blind)} above blind`)]
        : h("span.muted", "no result"),
    ),
    columns.map((metric, at) => h("td.num", figure(metric, place.figures[at]))),
    asked ? h("td.num", spent(place)) : null,
    h("td", failures(place, params)),
    h("td.num", place.episodes.toLocaleString("en"), place.missing ? h("span.muted", { title: "without a result: the provider failed" }, ` +${place.missing}`) : null),
  );
}

/** The ends of an interval, which know the bounds of their figure; equal values say nothing of their spread. */
const ends = ({ method, low, high }, digits) => (method === "constant" ? null : h("span.muted.ends", ` ${low.toFixed(digits)}–${high.toFixed(digits)}`));

/** Tokens and their cost, where a model was asked. */
export const spent = ({ tokens, cost_usd }) => (tokens === null ? "–" : [tokens.toLocaleString("en"), h("span.muted.ends", cost_usd === null ? "price not known" : `$${cost_usd.toFixed(2)}`)]);

export const WAYS = ["success", "wrong_remediation", "premature_resolution", "step_budget_exhausted", "invalid_action", "other", "agent_provider_error"];

export function legend(places) {
  const seen = WAYS.filter((name) => places.some((place) => place.failures[name]));
  return h("p.legend.ways", seen.map((name) => h("span", h(`span.key.part.${name}`), word(name))));
}

/** How episodes went, as a bar; each part leads to its episodes. */
export function failures(place, params) {
  const all = Object.values(place.failures).reduce((sum, n) => sum + n, 0);
  const parts = WAYS.filter((name) => place.failures[name]);
  return h(
    "div.parts", { role: "group", "aria-label": "How episodes went" },
    parts.map((name) => {
      const n = place.failures[name];
      const text = `${word(name)}: ${n} of ${all}`;
      return h(`a.part.${name}`, { href: episodes(params, { agent: place.agent, failure: name }), style: { flexGrow: n }, title: text, "aria-label": text });
    }),
  );
}

function drawRuns(section, { root, runs }) {
  const columns = ["Run", "Suite", "Agents", "Tasks", "Seeds", "Noise", "Tools", "Episodes", "Success", "Last written"];
  fill(
    section,
    h("header.section-head", h("h2", { id: "runs-title" }, "Runs"), h("p.muted", `${count(runs.length, "run")} in `, h("code", root))),
    h(
      "div.scroll", { tabindex: "0", role: "region", "aria-label": "Table of runs" },
      h(
        "table",
        h("thead", h("tr", columns.map((name, at) => h(at > 2 ? "th.num" : "th", { scope: "col" }, name)))),
        h("tbody", runs.map(runRow)),
      ),
    ),
    runs.filter((run) => run.problems?.length).map((run) => problems(run)),
  );
}

function runRow(run) {
  const counted = (run.episodes ?? 0) - (run.missing ?? 0);
  return h(
    "tr",
    h("th", { scope: "row" }, h("a", { href: url("#/episodes", { run: run.id }) }, run.id)),
    h("td.suite", run.suite ?? "–"),
    h("td.wrap", fewAgents(run.agents ?? [])),
    h("td.num", run.tasks ?? "–"),
    h("td.num", run.seeds ?? "–"),
    h("td.num", run.noise ?? "–"),
    h("td.num", run.tools ?? "–"),
    h("td.num", (run.episodes ?? 0).toLocaleString("en"), run.missing ? h("span.muted", ` (${run.missing} without a result)`) : null),
    h("td.num", counted ? percent(run.successes / counted) : "–"),
    h("td.num", run.written ? moment(run.written) : "–"),
  );
}

/** A long list of agents would push everything else off the screen. */
function fewAgents(agents) {
  if (agents.length === 0) return "–";
  if (agents.length <= 4) return listed(agents);
  return h("details", h("summary", listed(agents.slice(0, 3)), ` and ${agents.length - 3} more`), listed(agents.slice(3)));
}

const listed = (agents) => agents.flatMap((agent, at) => (at ? [", ", ...broken(agent)] : broken(agent)));

function problems(run) {
  return h("details.notice.bad", h("summary", `${run.id}: ${count(run.problems.length, "line")} cannot be read`), h("ul", run.problems.map((text) => h("li", h("code", text)))));
}
