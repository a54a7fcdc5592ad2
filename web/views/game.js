// An incident in a person's hands: what was said so far, an action to build or to type, findings, and
// the budget.

import { get, post, url } from "../api.js";
import { h, broken, fill, oneLine, quoted, say, tame } from "../dom.js";
import { number, percent, span } from "../format.js";
import { keysOf } from "../keys.js";
import { truthOf } from "../story.js";
import { terminal } from "../terminal.js";
import { badge, link } from "./episodes.js";

export async function draw(main, params, { isCurrent }) {
  const state = await get("/api/play", { session: params.get("session") });
  if (!isCurrent()) return;
  const game = state.terminal ? new TerminalGame(state) : new Game(state);
  fill(main, game.root);
  keysOf("Incident", [
    ["i", "Type an action", () => game.raw.focus()],
    ["a", "Pick an action", () => game.root.querySelector(".tools button")?.focus()],
    ["n", "Write a finding", () => game.note.focus()],
  ]);
  return { title: state.incident };
}

class Game {
  constructor(state) {
    this.state = state;
    this.budget = h("section.budget", { "aria-label": "Budget" });
    this.log = h("ol.steps", { "aria-label": "What was done and seen" });
    this.form = h("div.builder");
    this.raw = h("input.raw-action", { id: "raw", autocomplete: "off", spellcheck: "false", placeholder: "check_status(service)" });
    this.note = h("textarea", { id: "note", rows: "3", placeholder: "What you know, and what you suspect" });
    this.notes = h("ul.notes");
    this.trouble = h("p.notice.bad", { role: "alert", hidden: true });
    this.aside = h("div.desk");
    this.root = h("div.game", h("div.game-main", this.head(), this.trouble, this.log), this.aside);
    this.draw();
  }

  head() {
    const { state } = this;
    return h(
      "header",
      h("h1", state.incident, state.task ? h("span.muted", ` ${state.task}, seed ${state.seed}`) : null),
      h("p.page", h("span.tag.bad", "PAGE"), " ", tame(state.page).slice(0, 800)),
      // Open as long as nothing else is to be read.
      h("details", { open: state.said.length === 0 }, h("summary", "The whole brief"), quoted(state.brief, "Brief")),
      state.repeat ? h("p.notice", "You have had this incident before: it is recorded as a repetition.") : null,
    );
  }

  draw() {
    const { state } = this;
    fill(this.log, state.said.map((said, at) => this.said(said, at + 1)));
    this.drawBudget();
    if (state.over) {
      fill(this.aside, aftermath(state), this.findings());
      return;
    }
    fill(this.aside, this.budget, this.actions(), this.findings());
  }

  drawBudget() {
    const { state } = this;
    const left = state.budget - state.steps;
    fill(
      this.budget,
      h("div.pips", { role: "img", "aria-label": `${left} of ${state.budget} steps left` }, Array.from({ length: state.budget }, (_, at) => h(at < state.steps ? "span.pip.used" : "span.pip"))),
      h("p", h("strong", `${left} of ${state.budget}`), " steps left · ", h("span.time", state.clock), state.since_page !== null ? `, ${span(state.since_page)} since the page` : ""),
    );
  }

  said(said, index) {
    return h(
      "li.step",
      h("div.step-head", h("span.index", index), h("code.call", broken(oneLine(said.text, 200))), said.invalid ? h("span.tag.bad", "invalid") : null, h("span.spring"), h("button.quiet", { type: "button", title: "Keep the selected text, or the action, as a finding", onclick: () => this.keep(index, said) }, "Keep"), h("span.time", said.time)),
      quoted(said.observation, `Answer to action ${index}`),
    );
  }

  actions() {
    const { state } = this;
    const tools = h("div.tools", { role: "group", "aria-label": "Actions" }, state.tools.map((tool) => h("button", { type: "button", title: `${tool.about} (${tool.seconds} s)`, dataset: { tool: tool.name }, onclick: () => this.build(tool) }, tool.name.replaceAll("_", " "))));
    const raw = h("form.raw-form", { onsubmit: (event) => (event.preventDefault(), this.act(this.raw.value)) }, h("label", { for: "raw" }, "Or type it"), h("div.row", this.raw, h("button", { type: "submit" }, "Do it")));
    return h("section.card", h("h2", "Act"), tools, this.form, raw, h("button.quiet.danger", { type: "button", onclick: () => this.giveUp() }, "Give up"));
  }

  /** A form for one tool; what is chosen first narrows what comes after it. */
  build(tool) {
    const fields = new Map();
    const form = h("form", { onsubmit: (event) => (event.preventDefault(), this.act(call(tool, fields))) });
    const named = tool.params.find((param) => param.is_service);
    const service = () => named?.options.indexOf(fields.get(named.name).value);
    const refill = () => {
      for (const param of tool.params) if (param.by_service) options(fields.get(param.name), param.by_service[service()] ?? [], param.optional);
    };
    for (const param of tool.params) {
      const control = this.control(param, `p-${param.name}`);
      if (param.is_service) control.addEventListener("change", refill);
      fields.set(param.name, control);
    }
    refill();
    fill(
      form,
      h("p.muted", tool.about),
      tool.params.map((param) => h("div.field", h("label", { for: `p-${param.name}` }, param.name.replaceAll("_", " "), param.optional ? h("span.hint", " (may be left out)") : null), fields.get(param.name))),
      h("div.row", h("button.primary", { type: "submit" }, `Do it (${tool.seconds} s)`)),
    );
    fill(this.form, form);
    (form.querySelector("select, input, textarea") ?? form.querySelector("button")).focus();
  }

  control(param, id) {
    const required = !param.optional;
    if (param.options || param.by_service) return options(h("select", { id, required }), param.options ?? [], param.optional);
    if (param.long) return h("textarea", { id, rows: "2", required });
    if (param.schema.type === "integer") return h("input", { id, type: "number", min: param.schema.minimum, max: param.schema.maximum, required });
    return h("input", { id, required, autocomplete: "off", spellcheck: "false" });
  }

  findings() {
    const put = () => this.note.value.trim() && (this.remember(this.note.value.trim()), (this.note.value = ""));
    this.drawNotes();
    return h("section.card", h("h2", "Findings"), this.notes, h("form", { onsubmit: (event) => (event.preventDefault(), put()) }, h("label", { for: "note" }, "Note"), this.note, h("div.row", h("button", { type: "submit" }, "Add"))));
  }

  keep(index, said) {
    const picked = String(getSelection()).trim();
    this.remember(picked ? `${index}: ${picked.slice(0, 500)}` : `${index}: ${oneLine(said.text, 100)}`);
  }

  /** Findings are the person's own; they stay in this browser. */
  stored() {
    try {
      return JSON.parse(localStorage.getItem(`findings ${this.state.session}`)) ?? [];
    } catch {
      return [];
    }
  }

  remember(text) {
    localStorage.setItem(`findings ${this.state.session}`, JSON.stringify([...this.stored(), text]));
    this.drawNotes();
    say("Kept");
  }

  drawNotes() {
    const drop = (at) => {
      localStorage.setItem(`findings ${this.state.session}`, JSON.stringify(this.stored().filter((_, other) => other !== at)));
      this.drawNotes();
    };
    fill(this.notes, this.stored().map((text, at) => h("li", h("span", text), h("button.quiet", { type: "button", "aria-label": `Remove finding ${at + 1}`, onclick: () => drop(at) }, "×"))));
  }

  act(action) {
    return this.send("/api/play/act", { session: this.state.session, action });
  }

  giveUp() {
    if (confirm("Leave the incident unresolved? The record will say so.")) this.send("/api/play/give-up", { session: this.state.session });
  }

  async send(path, body) {
    this.trouble.hidden = true;
    try {
      this.state = await post(path, body);
      this.raw.value = "";
      fill(this.form);
      this.draw();
      const last = this.log.lastElementChild;
      last?.scrollIntoView({ block: "nearest" });
      say(this.state.over ? "The incident is over" : `Step ${this.state.steps}: ${this.state.said.at(-1)?.observation.slice(0, 200)}`);
      if (this.state.over) this.aside.querySelector("h2")?.focus();
    } catch (error) {
      this.trouble.textContent = error.message;
      this.trouble.hidden = false;
    }
  }
}

/** A problem in a cluster: a terminal in the place of the list of actions, and forms for what ends it. */
class TerminalGame extends Game {
  screen() {
    if (!this.terminal) {
      this.terminal = terminal("$", (line) => this.act(line));
      this.raw = this.terminal.line;
    }
    return this.terminal.root;
  }

  draw() {
    const { state } = this;
    const main = this.root.querySelector(".game-main");
    const log = this.screen();
    if (this.log.parentNode === main) this.log.replaceWith(log);
    this.terminal.show(state.said);
    log.querySelector("form").hidden = Boolean(state.over);
    this.drawBudget();
    fill(this.aside, state.over ? aftermath(state) : [this.budget, this.actions()], this.findings());
  }

  actions() {
    const beside = this.state.tools.filter((tool) => tool.name !== "kubectl");
    const tools = h("div.tools", { role: "group", "aria-label": "Beside the terminal" }, beside.map((tool) => h("button", { type: "button", title: `${tool.about} (${tool.seconds} s)`, dataset: { tool: tool.name }, onclick: () => this.build(tool) }, tool.name.replaceAll("_", " "))));
    return h("section.card", h("h2", "Beside the terminal"), tools, this.form, h("button.quiet.danger", { type: "button", onclick: () => this.giveUp() }, "Give up"));
  }

  async send(path, body) {
    this.terminal.wait(true);
    await super.send(path, body);
    this.terminal.wait(false);
  }
}

function aftermath(state) {
  const { over } = state;
  const { score } = over;
  const facts = state.terminal ? [["Diagnosis", over.diagnosed === null ? "none" : over.diagnosed ? "right" : "wrong"], ["Mitigated", over.mitigated ? "yes" : "no"], ["Steps", `${score.steps} of ${score.budget}`]] : [["Reward", number(score.reward, 3)], ["Evidence", percent(score.evidence_coverage)], ["Steps", `${score.steps} of ${score.budget}`], ["Wrong fixes", score.wrong_remediations], ["Harm avoided", percent(score.harm_avoided)], ["Cause named", score.root_cause_identified ? "yes" : "no"]];
  return h(
    "section.card.aftermath",
    h("h2", { tabindex: "-1" }, score.success ? "Resolved" : "Not resolved"),
    h("p", badge(score.success ? "yes" : "no"), " recorded as ", h("strong", state.agent)),
    h("dl.facts", facts.map(([name, value]) => h("div", h("dt", name), h("dd", value)))),
    h("ul.checks", over.checks.map((check) => h("li", h(`span.tag.${check.ok ? "good" : "bad"}`, check.ok ? "✓ ok" : "✕ not"), h("strong", ` ${check.name} `), oneLine(check.found, 300)))),
    h("div.row", h("a.button.primary", { href: link({ run: over.run, key: over.key }) }, state.terminal ? "See it with the cluster" : "See it with charts"), h("a.button", { href: "#/play" }, "Play another")),
    h("div.truth", truthOf(over.truth)),
  );
}

/** The text of a call, as an agent would write it. */
function call(tool, fields) {
  const given = tool.params.map((param) => [param, fields.get(param.name).value.trim()]).filter(([, value]) => value !== "");
  const plain = new Set(["service", "key", "metric", "route", "alert", "level", "whole", "change"]);
  const text = ([param, value]) => `${param.name}=${plain.has(param.takes) ? value : JSON.stringify(value)}`;
  return `${tool.name}(${given.map(text).join(", ")})`;
}

function options(select, values, optional) {
  const before = select.value;
  fill(select, optional ? h("option", { value: "" }, "–") : null, values.map((value) => h("option", { value }, value)));
  if (values.includes(before)) select.value = before;
  return select;
}
