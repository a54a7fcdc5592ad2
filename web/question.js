// A question as it was asked and answered: the prompt with its diff coloured, the reply, what it was worth, and what others answered.

import { get } from "./api.js";
import { h, fill, oneLine, quoted, tame } from "./dom.js";
import { number, word } from "./format.js";
import { conversation } from "./conversation.js";
import { badge, link } from "./views/episodes.js";

/** Longer prompts are cut: a page of a megabyte would freeze. */
const LONGEST = 400_000;

const of = (events, kind) => events.find((event) => event.event === kind);

export class QuestionStory {
  constructor(run, key, { line, events }, compact) {
    Object.assign(this, { run, key, line, compact });
    const header = of(events, "started") ?? { task: {} };
    const step = of(events, "stepped");
    const others = h("section", { "aria-label": this.named("What others answered") });
    this.root = h(
      "article.story-page",
      this.top(header),
      h("section", { "aria-label": this.named("The question") }, this.heading("What was asked"), coloured(of(events, "paged")?.brief ?? "", this.named("The question"))),
      h("section", { "aria-label": this.named("The reply") }, this.heading("What was answered"), step ? quoted(step.text, this.named("The reply")) : h("p.muted", "There was no reply.")),
      h("section.verdict", { "aria-label": this.named("The verdict") }, this.heading("What it was worth"), verdict(line.question ?? {})),
      others,
      compact || !step ? null : conversation(run, key, [step], (text) => this.named(text)),
    );
    if (!compact) this.rivals(others);
  }

  named(text) {
    return this.compact ? `${text}, ${this.key} in ${this.run}` : text;
  }

  heading(text) {
    return h(this.compact ? "h3" : "h2", text);
  }

  top(header) {
    const { line } = this;
    const found = line.question ?? {};
    const cells = [
      ["Read as", found.reading ?? "missing"],
      ["Our score", number(line.reward, 2)],
      ["Published scoring", found.published === undefined || found.published === null ? "–" : number(found.published, 2)],
      ["Answer", oneLine(found.answer ?? "–", 60)],
    ];
    if (line.usage) cells.push(["Tokens", `${line.usage.input.toLocaleString("en")} in, ${line.usage.output.toLocaleString("en")} out`]);
    if (line.cost_usd !== undefined && line.cost_usd !== null) cells.push(["Cost", `$${number(line.cost_usd, 4)}`]);
    return h(
      "header.story-head",
      h(this.compact ? "h2" : "h1", line.task, h("span.muted", ` seed ${line.seed}`)),
      h(
        "p.tags",
        badge(line.end === "provider_failed" ? "missing" : line.success ? "yes" : "no"),
        [line.agent, line.family, line.cluster, header.model ? `${header.model.provider} ${header.model.model}` : null, `run ${this.run}`].filter(Boolean).map((text) => h("span.tag", text)),
      ),
      h("dl.facts", cells.map(([name, value]) => h("div", h("dt", name), h("dd", value)))),
    );
  }

  /** The same question in the hands of others, in any order of its options. */
  async rivals(place) {
    const found = await get("/api/episodes", { task: this.line.task, limit: 60 });
    const rows = found.rows.map((row) => Object.fromEntries(found.columns.map((name, at) => [name, row[at]])));
    const rest = rows.filter((row) => row.key !== this.key || row.run !== this.run);
    if (!rest.length) return;
    rest.sort((a, b) => Number(b.seed === String(this.line.seed)) - Number(a.seed === String(this.line.seed)) || a.agent.localeCompare(b.agent));
    const row = (one) => h("tr", h("th", { scope: "row" }, h("a", { href: link(one) }, one.agent)), h("td.answer", one.answer ? oneLine(one.answer, 120) : h("span.muted", word(one.reading ?? "missing"))), h("td", badge(one.success)), h("td.num", number(one.reward, 2)), h("td.num", one.seed), h("td", one.run));
    const columns = ["Agent", "Answer", "", "Score", "Seed", "Run"];
    fill(
      place,
      this.heading("What others answered"),
      h("p.muted", `Letters are those of the options in the order of each seed; those under seed ${this.line.seed} saw the same order.`),
      h("div.scroll", { tabindex: "0", role: "region", "aria-label": "What others answered" }, h("table", h("thead", h("tr", columns.map((name) => h(name === "Score" || name === "Seed" ? "th.num" : "th", { scope: "col" }, name || h("span.visually-hidden", "Outcome"))))), h("tbody", rest.map(row)))),
    );
  }

  stop() {}

  move() {}

  reveal() {}
}

/** What a reply was worth: remarks, and for a configuration its stages and the requirements that do not hold. */
function verdict(found) {
  const check = (one) => h("li", h(`span.tag.${one.ok ? "good" : "bad"}`, one.ok ? "✓ ok" : "✕ not"), h("strong", ` ${one.name} `), oneLine(one.found, 400));
  const lifecycle = found.lifecycle;
  return [
    h("p", found.correct ? "It is right." : found.reading === "answered" ? "It is not right." : `No answer was read: ${word(found.reading ?? "missing")}.`),
    (found.remarks ?? []).length ? h("ul", found.remarks.map((remark) => h("li", oneLine(remark, 400)))) : null,
    lifecycle ? h("ul.checks", lifecycle.stages.map(check)) : null,
    lifecycle?.requirements?.length ? h("details", h("summary", `${lifecycle.requirements.filter((one) => one.ok).length} of ${lifecycle.requirements.length} requirements hold`), h("ul.checks", lifecycle.requirements.map(check))) : null,
  ];
}

/** Text with the lines of its diffs coloured: those behind the head of a hunk. Signs carry the meaning; colour only helps. */
function coloured(text, label) {
  const box = h("pre.quoted.whole", { tabindex: "0", role: "region", "aria-label": label });
  let within = false;
  const kind = (line) => {
    if (line.startsWith("@@") || /^(\+\+\+|---) /.test(line)) {
      within = true;
      return "diff-head";
    }
    within = within && line !== "---" && /^([ +\-\\]|$)/.test(line);
    return !within ? "prose" : line.startsWith("+") ? "diff-plus" : line.startsWith("-") ? "diff-minus" : "";
  };
  const lines = tame(text.slice(0, LONGEST)).split("\n");
  const own = ownLines(lines);
  const spans = lines.map((line, at) => h("span", { class: own.has(at) ? `${kind(line)} own` : kind(line), title: own.has(at) ? "not in every choice" : null }, `${line}\n`));
  box.append(...spans);
  return box;
}

/** Where choices are versions of one text: the lines that not all of them have. Empty where they are texts of their own. */
function ownLines(lines) {
  const choices = [];
  lines.forEach((line, at) => {
    if (/^Choice [A-J]:/.test(line)) choices.push([]);
    else choices.at(-1)?.push(at);
  });
  const held = choices.map((places) => new Set(places.map((at) => lines[at])));
  const all = choices.flat();
  const own = all.filter((at) => !held.every((lines_of) => lines_of.has(lines[at])));
  return new Set(choices.length > 1 && own.length * 3 <= all.length ? own : []);
}
