// All episodes, filtered and ordered by the server; only the rows on the screen are drawn.

import { get, url } from "../api.js";
import { h, fill, say } from "../dom.js";
import { chosen, filterBar } from "../filters.js";
import { count, number, percent, word } from "../format.js";
import { keysOf } from "../keys.js";
import { groups } from "./overview.js";

const ROW = 36;
const PAGE = 200;
const MARGIN = 12;

/** The columns of the list: what an episode is, its metrics as the server names them, how it went. */
const columns = (metrics) => [
  ["success", "Outcome", ""],
  ["agent", "Agent", ""],
  ["task", "Task", ""],
  ["seed", "Seed", "num"],
  ["difficulty", "Difficulty", ""],
  ["steps", "Steps", "num"],
  ...metrics.map((metric) => [metric.name, metric.title, "num", metric.about]),
  ["failure", "How it went", ""],
  ["run", "Run", "of-run"],
];

/** A metric's value as its unit wants it. */
function shown(metric, value) {
  if (value === null) return h("span.muted", "–");
  if (metric.unit === "share") return percent(value);
  if (metric.unit === "minutes") return `${number(value, 1)} min`;
  return value || metric.digits ? number(value, Math.min(metric.digits, 2)) : h("span.muted", "0");
}

export async function draw(main, params, { isCurrent }) {
  const view = new Episodes(params);
  await view.load();
  if (!isCurrent()) return view.stop();
  fill(main, h("h1.visually-hidden", "Episodes"), view.root);
  view.render();
  keysOf("Episodes", [
    ["j", "Next row", () => view.move(1)],
    ["k", "Previous row", () => view.move(-1)],
    ["Enter", "Open the episode", () => view.open()],
    ["x", "Mark for a comparison", () => view.mark()],
    ["c", "Compare the two marked ones", () => view.compare()],
  ]);
  return { title: "Episodes", leave: () => view.stop(), update: (next) => view.update(next) };
}

class Episodes {
  constructor(params) {
    this.params = new URLSearchParams(params);
    this.pages = new Map();
    this.at = 0;
    this.marked = [];
    this.metrics = [];
    this.columns = columns([]);
    this.bar = filterBar(this.params, (next) => this.go(next));
    this.body = h("tbody");
    this.table = h("table.episodes", h("thead", this.head()), this.body);
    this.scroll = h("div.scroll.tall", { tabindex: "0", role: "region", "aria-label": "Table of episodes" }, this.table);
    this.note = h("p.muted", { role: "status" });
    this.pair = h("div.pair-bar");
    this.root = h("div.page-episodes", this.bar.root, h("div.table-head", this.note, this.pair), this.scroll);
    this.scroll.addEventListener("scroll", () => this.soon());
    this.resize = new ResizeObserver(() => this.soon());
    this.resize.observe(this.scroll);
  }

  stop() {
    this.bar.stop();
    this.resize.disconnect();
  }

  go(next) {
    location.hash = url("#/episodes", Object.fromEntries(groups(next)));
  }

  update(next) {
    this.params = new URLSearchParams(next);
    this.at = 0;
    this.bar.take(this.params);
    const focused = document.activeElement?.dataset?.sort;
    fill(this.table.tHead, this.head());
    if (focused) this.table.tHead.querySelector(`[data-sort=${focused}]`)?.focus();
    this.table.setAttribute("aria-busy", "true");
    this.load().then(() => {
      this.table.setAttribute("aria-busy", "false");
      this.scroll.scrollTop = 0;
      this.render();
      say(this.note.textContent);
    });
    return true;
  }

  async load() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const found = await get("/api/episodes", { ...this.query(), limit: PAGE, choices: "yes" });
    if (turn !== this.turn) return;
    this.pages.clear();
    this.pages.set(0, found.rows.map((row) => named(found.columns, row)));
    this.matched = found.matched;
    if (!this.metrics.length) {
      this.metrics = found.metrics;
      this.columns = columns(found.metrics);
      fill(this.table.tHead, this.head());
    }
    this.bar.update(found.choices);
    // One run needs no column of its own.
    this.table.classList.toggle("one-run", Object.keys(found.choices.run ?? {}).length < 2);
    this.note.textContent = found.matched === found.all ? count(found.all, "episode") : `${found.matched.toLocaleString("en")} of ${count(found.all, "episode")}`;
    this.table.setAttribute("aria-rowcount", found.matched + 1);
  }

  query() {
    return { ...chosen(this.params), sort: this.params.get("sort") };
  }

  async page(number) {
    if (this.pages.has(number)) return;
    this.pages.set(number, null);
    const turn = this.turn;
    const found = await get("/api/episodes", { ...this.query(), limit: PAGE, offset: number * PAGE });
    if (turn !== this.turn) return;
    this.pages.set(number, found.rows.map((row) => named(found.columns, row)));
    this.soon();
  }

  row(at) {
    return this.pages.get(Math.floor(at / PAGE))?.[at % PAGE];
  }

  soon() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  render() {
    if (this.matched === 0) {
      return fill(this.body, h("tr", h("td.empty", { colspan: this.columns.length }, "No episode fits these filters.")));
    }
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - MARGIN);
    const last = Math.min(this.matched, Math.ceil((this.scroll.scrollTop + Math.max(400, this.scroll.clientHeight)) / ROW) + MARGIN);
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page += 1) this.page(page);
    const rows = [];
    for (let at = first; at < last; at += 1) rows.push(this.draw(at));
    const width = this.columns.length;
    fill(this.body, spacer(first, width), rows, spacer(this.matched - last, width));
  }

  draw(at) {
    const row = this.row(at);
    if (!row) return h("tr.waiting", { "aria-rowindex": at + 2 }, h("td", { colspan: this.columns.length }, "…"));
    const marked = this.marked.some((other) => other.key === row.key && other.run === row.run);
    return h(
      "tr",
      { "aria-rowindex": at + 2, class: `${at === this.at ? "current" : ""} ${marked ? "marked" : ""}`, onclick: (event) => this.pick(event, at) },
      h("td", badge(row.success)),
      h("td.clip", { title: row.agent }, row.agent),
      h("td.clip", h("a", { href: link(row), title: row.key }, row.task)),
      h("td.num", row.seed, row.repeat ? h("span.muted", ` r${row.repeat}`) : null),
      h("td", row.difficulty),
      h("td.num", `${row.steps}/${row.budget}`),
      this.metrics.map((metric) => h("td.num", shown(metric, row[metric.name]))),
      h("td", word(row.failure)),
      h("td.clip.of-run", { title: row.run }, row.run),
    );
  }

  head() {
    const sort = this.params.get("sort") ?? "";
    const name = sort.replace(/^-/, "");
    return h(
      "tr", { "aria-rowindex": 1 },
      this.columns.map(([column, title, kind, about]) => {
        const on = column === name;
        const order = on ? (sort.startsWith("-") ? "descending" : "ascending") : undefined;
        return h(
          kind ? `th.${kind}` : "th", { scope: "col", title: about, "aria-sort": order },
          h("button.sort", { type: "button", dataset: { sort: column }, onclick: () => this.sort(column, sort) }, title, h("span.arrow", { "aria-hidden": "true" }, on ? (sort.startsWith("-") ? " ↓" : " ↑") : "")),
        );
      }),
    );
  }

  sort(column, sort) {
    const next = new URLSearchParams(this.params);
    next.set("sort", sort === column ? `-${column}` : column);
    this.go(next);
  }

  move(by) {
    this.at = Math.max(0, Math.min(this.matched - 1, this.at + by));
    const top = this.at * ROW;
    const seen = this.scroll.clientHeight - 2 * ROW;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    if (top > this.scroll.scrollTop + seen) this.scroll.scrollTop = top - seen;
    this.render();
    const row = this.row(this.at);
    if (row) say(`${row.agent}, ${row.task}, seed ${row.seed}, ${word(row.success)}`);
  }

  pick(event, at) {
    if (event.target.closest("a, button")) return;
    this.at = at;
    if (event.shiftKey) return this.mark();
    this.open();
  }

  open() {
    const row = this.row(this.at);
    if (row) location.hash = link(row).slice(1);
  }

  mark() {
    const row = this.row(this.at);
    if (!row) return;
    const rest = this.marked.filter((other) => other.key !== row.key || other.run !== row.run);
    this.marked = rest.length < this.marked.length ? rest : [...rest.slice(-1), row];
    this.drawPair();
    this.render();
  }

  drawPair() {
    const name = (row) => h("span.tag", `${row.agent} · ${row.task} · ${row.seed}`);
    fill(
      this.pair,
      this.marked.length ? [h("span.muted", "Marked:"), this.marked.map(name)] : null,
      this.marked.length === 2 ? h("button.primary", { type: "button", onclick: () => this.compare() }, "Compare") : null,
      this.marked.length === 1 ? h("span.muted", "mark another with x or Shift-click") : null,
    );
  }

  compare() {
    if (this.marked.length < 2) return say("Mark two episodes with x first");
    const [a, b] = this.marked;
    location.hash = url("#/pair", { run: a.run, key: a.key, run2: b.run, key2: b.key }).slice(1);
  }
}

const spacer = (rows, width) => (rows > 0 ? h("tr.spacer", { "aria-hidden": "true" }, h("td", { colspan: width, style: { height: `${rows * ROW}px` } })) : null);

const named = (columns, row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]));

/** The address of an episode. */
export const link = (row) => url("#/episode", { run: row.run, key: row.key });

/** How an episode went: a word and a shape, never colour alone. */
export function badge(success) {
  const shape = { yes: "✓", no: "✕", missing: "∅" }[success];
  return h(`span.badge.${success}`, h("span", { "aria-hidden": "true" }, `${shape} `), word(success));
}
