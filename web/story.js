// One episode as it is told: its charts above, what was done and seen below. Used alone and side by side.

import { get } from "./api.js";
import { Cursor, metricChart, storyChart } from "./chart.js";
import { clusterPanel } from "./cluster.js";
import { conversation } from "./conversation.js";
import { h, broken, fill, oneLine, quoted } from "./dom.js";
import { clock, count, number, percent, signed, span, word } from "./format.js";
import { agentPage, mark } from "./marks.js";
import { QuestionStory } from "./question.js";
import { badge } from "./views/episodes.js";

/** Reads an episode and draws it. */
export async function story(run, key, { compact = false } = {}) {
  const found = await get("/api/episode", { run, key });
  if (found.line.question) return new QuestionStory(run, key, found, compact);
  const told = new Story(run, key, found, compact);
  if (told.header.backend === "cluster") {
    told.drawCluster(compact);
    return told;
  }
  // Side by side the charts wait for each other: they share their axes.
  if (!compact) told.drawCharts();
  return told;
}

const of = (events, kind) => events.find((event) => event.event === kind);

class Story {
  constructor(run, key, found, compact) {
    const { line, events } = found;
    Object.assign(this, { run, key, line, compact, stops: [], at: 0, truth: null });
    this.header = of(events, "started") ?? { task: {} };
    this.paged = of(events, "paged");
    this.ended = of(events, "ended");
    this.seal = of(events, "sealed") ?? {};
    this.steps = events.filter((event) => event.event === "stepped");
    this.course = h("section.charts", { "aria-label": this.named("Course of the episode") }, h("p.loading", "Playing the episode again for its charts…"));
    this.charts = h("section.charts", { "aria-label": this.named("Charts") });
    this.secret = h("section.truth", { "aria-label": this.named("The truth") });
    this.list = h("ol.steps", this.steps.map((step) => this.step(step)));
    this.root = h(
      "article.story-page",
      this.top(found),
      this.course,
      h("section", { "aria-label": this.named("Course of events") }, h(this.compact ? "h3" : "h2", "What happened"), this.brief(), this.list, this.end()),
      compact ? null : conversation(run, key, this.steps, (text) => this.named(text)),
      this.charts,
      this.secret,
    );
    this.hidden();
  }

  /** A label that tells two episodes on one page apart. */
  named(text) {
    return this.compact ? `${text}, ${this.key} in ${this.run}` : text;
  }

  stop() {
    this.isStopped = true;
    this.stops.forEach((stop) => stop());
  }

  top({ doubt, why }) {
    const { line, header } = this;
    const minutes = (value) => (value === null || value === undefined ? "–" : `${number(value, 1)} min`);
    const { stages } = line;
    // Evidence, harm and wrong fixes are counted in incidents alone; a problem in a cluster has two stages.
    const own = stages
      ? [["Diagnosis", stages.diagnosed === null ? "none" : stages.diagnosed ? "right" : "wrong"], ["Diagnosed in", minutes(stages.minutes_to_diagnosis)], ["Mitigated", stages.mitigated ? "yes" : "no"], ["Mitigated in", minutes(stages.minutes_to_mitigation)]]
      : [["Evidence seen", percent(line.evidence_coverage)], ["Resolved in", minutes(line.minutes_to_resolution)], ["Harm avoided", percent(line.harm_avoided)], ["Wrong fixes", line.wrong_remediations]];
    const cells = [["Reward", number(line.reward, 3)], ["Steps", `${line.steps} of ${line.budget}`], ...own, ["Invalid actions", line.invalid_actions]];
    if (line.usage) cells.push(["Tokens", `${line.usage.input.toLocaleString("en")} in, ${line.usage.output.toLocaleString("en")} out`]);
    if (line.cost_usd !== undefined && line.cost_usd !== null) cells.push(["Cost", `$${number(line.cost_usd, 4)}`]);
    return h(
      "header.story-head",
      h(this.compact ? "h2" : "h1", line.task, h("span.muted", ` seed ${line.seed}`)),
      h(
        "p.tags",
        badge(line.end === "provider_failed" ? "missing" : line.success ? "yes" : "no"),
        h("a.tag", { href: agentPage(line.agent) }, mark(line.agent), line.agent),
        h("span.tag", line.difficulty),
        line.success ? null : h("span.tag", word(line.failure_mode)),
        h("span.tag", `${header.tools} tools`),
        header.noise ? h("span.tag", `noise ${header.noise}`) : null,
        header.model ? h("span.tag", `${header.model.provider} ${header.model.model}, prompt ${header.model.prompt}`) : null,
        h("span.tag", header.incident ?? ""),
        h("span.tag", `run ${this.run}`),
      ),
      why?.length ? h("p.why", h("strong", line.end === "provider_failed" ? "Why there is no result: " : "Why it failed: "), why.join(" ")) : null,
      doubt ? h("p.notice.bad", `The figures of this page come from the run's list, and its record says something else: ${doubt}. Believe the record.`) : null,
      h("dl.facts", cells.map(([name, value]) => h("div", h("dt", name), h("dd", value)))),
    );
  }

  brief() {
    // An incident has one line of a page; in a cluster the first alert that fires stands for all.
    const lines = this.paged?.brief?.split("\n") ?? [];
    const page = lines.find((line) => line.startsWith("PAGE ")) ?? lines[lines.indexOf("Firing alerts:") + 1 || lines.length] ?? "";
    return h("details.brief", h("summary", h("span.time", clock(this.paged?.time ?? 0)), h("strong", "Paged"), " ", oneLine(page.replace(/^PAGE \S+ /, ""))), quoted(this.paged?.brief ?? "", this.named("What the agent was told")));
  }

  step(step) {
    const tags = [
      step.invalid ? h("span.tag.bad", "invalid") : null,
      step.touched?.length ? h("span.tag.act", "changed something") : null,
      step.fixed && step.touched?.length ? h("span.tag.good", "the fix holds") : null,
    ];
    const evidence = h("span.evidence");
    evidence.facts = step.facts ?? [];
    return h(
      "li.step", { id: this.stepId(step.index), tabindex: "-1" },
      h(
        "div.step-head",
        h("span.index", step.index),
        h("code.call", broken(oneLine(step.call ?? step.text, 200))),
        tags,
        evidence,
        h("span.spring"),
        h("span.time", `${clock(step.time)} · ${span(step.took)}`),
        h(`span.reward.${step.reward < 0 ? "minus" : step.reward > 0 ? "plus" : "zero"}`, { title: "reward of this step" }, signed(step.reward)),
      ),
      step.call !== null && step.text.trim() !== step.call ? h("details.raw", h("summary", "As it was written"), quoted(step.text, this.named(`The agent's words at step ${step.index}`))) : null,
      quoted(step.observation, this.named(`Observation of step ${step.index}`)),
      step.model ? model(step.model, (text) => this.named(`${text} at step ${step.index}`)) : null,
    );
  }

  stepId(index) {
    return `step-${this.compact ? `${encodeURIComponent(this.key)}-` : ""}${index}`;
  }

  end() {
    const { seal, ended } = this;
    const check = (check) => h("li", h(`span.tag.${check.ok ? "good" : "bad"}`, check.ok ? "✓ ok" : "✕ not"), h("strong", ` ${check.name} `), oneLine(check.found, 400));
    const harm = (name, harm) => h("tr", h("th", { scope: "row" }, name), ["requests", "failed", "slow"].map((part) => h("td.num", Math.round(harm?.[part] ?? 0).toLocaleString("en"))), h("td.num", number(harm?.minutes_out ?? 0, 1)));
    return h(
      "section.verdict",
      h("p", h("span.time", clock(ended?.time ?? 0)), h("strong", "End: "), word(ended?.reason ?? ""), ended?.cause ? ` (${word(ended.cause)})` : "", ". After the verification window the world was ", h("strong", seal.mitigated ? "mitigated" : "not mitigated"), "."),
      h("ul.checks", (seal.checks ?? []).map(check)),
      // Users of a problem in a cluster are not counted: its checks say how they fare.
      seal.impact && !seal.stages
        ? h("div.scroll", { tabindex: "0", role: "region", "aria-label": this.named("What users felt") }, h("table.harm", h("thead", h("tr", ["Users felt", "Requests", "Failed", "Slow", "Route minutes out"].map((n, at) => h(at ? "th.num" : "th", { scope: "col" }, n)))), h("tbody", harm("in the episode", seal.impact), harm("without any action", seal.impact_untouched), harm("had nothing broken", seal.impact_healthy))))
        : null,
    );
  }

  hidden() {
    fill(
      this.secret,
      h("h2", "The truth"),
      h("p.muted", "What was broken, in which order things went bad and what would have solved it stays hidden until you ask."),
      h("button", { type: "button", onclick: () => this.reveal() }, "Reveal the truth"),
    );
  }

  async reveal() {
    this.truth ??= await get("/api/truth", { run: this.run, key: this.key });
    fill(this.secret, truthOf(this.truth));
    for (const place of this.list.querySelectorAll(".evidence")) {
      const hits = (this.truth.evidence ?? []).filter((entry) => place.facts.some((fact) => shows(fact, entry)));
      if (hits.length) fill(place, h("span.tag.good", { title: hits.join(", ") }, "evidence"));
    }
  }

  /** The cluster in the place of charts; side by side there is only the way to it. */
  async drawCluster(compact) {
    this.readCharts = async () => null;
    if (compact) return fill(this.course, h("p", h("a", { href: `#/cluster?${new URLSearchParams({ run: this.run, key: this.key })}` }, "See the cluster")));
    try {
      const panel = await clusterPanel(this.run, this.key);
      if (this.isStopped) return panel.stop();
      this.stops.push(() => panel.stop());
      this.cluster = panel;
      fill(this.course, panel.root);
    } catch (error) {
      fill(this.course, h("p.notice", "No pictures of the cluster: ", error.message));
    }
  }

  async drawCharts() {
    const found = await this.readCharts();
    if (found) this.showCharts(found);
  }

  /** What the instruments showed; nothing, with the reason on the page, if the episode cannot be played again. */
  async readCharts() {
    try {
      return await get("/api/charts", { run: this.run, key: this.key });
    } catch (error) {
      fill(this.course, h("p.notice", "No charts: ", error.message));
      return null;
    }
  }

  /** The reward so far, after each step. */
  sums() {
    let sum = 0;
    return this.steps.map((step) => (sum += step.reward));
  }

  /** Draws the charts. `shared`: span of time, metrics and rewards that another episode beside this one has too. */
  showCharts(found, shared = {}, cursor = new Cursor()) {
    const [from, to] = shared.span ?? [found.times[0], found.times.at(-1)];
    const marks = [
      { time: found.onset, kind: "onset", label: "onset" },
      { time: found.paged, kind: "page", label: "page" },
      ...this.steps.filter((step) => step.touched?.length).map((step) => ({ time: step.time, kind: "act" })),
      { time: found.ended, kind: "end", label: "end" },
      found.recovered ? { time: found.recovered, kind: "recovered", label: "recovered" } : null,
    ].filter(Boolean);
    const own = this.sums();
    const steps = this.steps.map((step, at) => ({
      index: step.index, time: step.time, took: step.took, sum: own[at],
      label: oneLine(step.call ?? step.text, 80), kind: step.invalid ? "invalid" : step.touched?.length ? "act" : "look",
    }));
    const course = storyChart({ from, to, begin: found.begin, paged: found.paged, marks, steps, sums: shared.sums ?? own }, cursor, (index) => this.jump(index));
    this.stops.push(course.stop);
    const grid = h("div.grid");
    let wide = false;
    shared.telling ??= tellingOf([found]);
    const more = h("button", { type: "button", "aria-pressed": "false" }, "All metrics");
    const put = () => {
      more.setAttribute("aria-pressed", String(wide));
      fill(grid, found.services.map((service) => this.service(service, { times: found.times, span: [from, to], marks, cursor }, wide ? null : shared.telling?.get(service.name))));
    };
    this.moreCharts = () => ((wide = !wide), put());
    more.addEventListener("click", this.moreCharts);
    put();
    fill(this.course, course.root);
    fill(
      this.charts,
      h(this.compact ? "h3" : "h2", "What the instruments showed"),
      h("div.legend", [["episode", "this episode"], ["untouched", "without any action"], ["healthy", "had nothing broken"]].map(([kind, text]) => h("span", h(`span.swatch.${kind}`), text)), h("span", h("span.swatch.band"), "usual"), h("span.spring"), more),
      grid,
    );
  }

  /** The charts of a service: those of these names, or all. */
  service(service, about, names) {
    const shown = names ? service.metrics.filter((metric) => names.has(metric.name)) : service.metrics;
    const charts = shown.map((metric) => metricChart(metric, about));
    charts.forEach((chart) => this.stops.push(chart.stop));
    return h("section.service", { "aria-label": this.named(service.name) }, h(this.compact ? "h4" : "h3", service.name), h("div.service-charts", charts.map((chart) => chart.root)));
  }

  jump(index) {
    this.at = index;
    const step = document.getElementById(this.stepId(index));
    step?.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    step?.focus({ preventScroll: true });
    for (const other of this.list.children) other.classList.toggle("current", other === step);
  }

  move(by) {
    this.jump(Math.max(1, Math.min(this.steps.length, this.at + by)));
  }
}

/** By service the names of the metrics that tell most in any of these episodes. */
export function tellingOf(all) {
  const found = new Map();
  for (const service of all.flatMap((one) => one.services)) {
    const names = found.get(service.name) ?? new Set();
    telling(service.metrics).forEach((metric) => names.add(metric.name));
    found.set(service.name, names);
  }
  return found;
}

/** The metrics of a service that tell most: one of each aspect, and whatever left its usual band. */
function telling(metrics) {
  const first = ["errors", "latency", "load"].map((aspect) => metrics.find((metric) => metric.aspect === aspect)).filter(Boolean);
  const apart = (metric) => {
    const far = metric.episode.map((value, at) => (value === null || metric.healthy[at] === null ? 0 : Math.abs(value - metric.healthy[at]) / (metric.slack || 1)));
    return Math.max(...far);
  };
  const moved = metrics.filter((metric) => !first.includes(metric)).map((metric) => [apart(metric), metric]).filter(([far]) => far > 1);
  moved.sort((a, b) => b[0] - a[0]);
  return [...first, ...moved.slice(0, Math.max(0, 4 - first.length)).map(([, metric]) => metric)];
}

/** Whether a fact is the evidence that a task asks for, as `action:service[:KEY]`. */
function shows(fact, entry) {
  const [action, service, key] = entry.split(":");
  const kind = action.replace(/^(inspect|check)_/, "");
  return fact.telling && fact.kind === kind && fact.service === service && (!key || key.toLowerCase() === fact.item.toLowerCase());
}

function model(turn, named) {
  const { usage } = turn;
  const tokens = `${usage.input.toLocaleString("en")} in${usage.cached ? ` (${usage.cached.toLocaleString("en")} cached)` : ""}, ${usage.output.toLocaleString("en")} out${usage.reasoning ? ` (${usage.reasoning.toLocaleString("en")} reasoning)` : ""}`;
  return h(
    "details.model",
    h("summary", `Model: ${count(turn.calls, "call")}, ${tokens} tokens`, turn.cost_usd ? `, $${number(turn.cost_usd, 4)}` : "", turn.unparsable ? h("span.tag.bad", "no action found in it") : null),
    turn.reasoning ? [h("h4", "What it thought"), quoted(turn.reasoning, named("The model's reasoning"))] : null,
    h("h4", "What it wrote"),
    quoted(turn.output, named("The model's output")),
  );
}

/** The truth of an incident. */
export function truthOf(truth) {
  const list = (items) => h("ul", items.map((item) => h("li", h("code", typeof item === "string" ? item : fixText(item)))));
  const rows = [
    ["Task", h("code", truth.task)],
    ["Title", truth.title],
    truth.fault ? ["Fault", truth.fault] : null,
    ["Cause", truth.causes ? h("ul", truth.causes.map((cause) => h("li", cause))) : `${truth.component}: ${truth.concepts.join(", ")}`],
    ["Family", truth.families.join(", ")],
    truth.chain ? ["Went bad, in this order", h("ol.chain", truth.chain.map((name) => h("li", name)))] : null,
    truth.evidence ? ["Evidence", list(truth.evidence)] : null,
    truth.fix ? ["Fix", list(truth.fix)] : null,
    truth.distractors?.length ? ["Distractors", truth.distractors.join(", ")] : null,
    ["Solution", h("ol", truth.solution.map((call) => h("li", h("code", oneLine(call, 400)))))],
  ].filter(Boolean);
  return [h("h2", "The truth"), h("dl.truth-list", rows.map(([name, value]) => [h("dt", name), h("dd", value)]))];
}

function fixText(fix) {
  if (fix.restart) return `restart ${fix.restart}`;
  if (fix.rolled_back) return `roll back ${fix.rolled_back}`;
  return `${fix.config} ${fix.is}`;
}
