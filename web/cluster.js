// A cluster while it was worked on: nodes with their pods, the map of services, what was typed beside what happened. Any
// moment can be gone back to; an episode under way is followed.

import { get } from "./api.js";
import { h, s, fill, oneLine, quoted, say } from "./dom.js";
import { clock, count, percent, span } from "./format.js";
import { serviceMap } from "./map.js";
import { nodeView } from "./nodes.js";

const FOLLOW = 2000;
const PLAY = 250;
/** So many lines stand in the course of events. */
const LINES = 60;

/** The cluster of an episode. `onStep(index)` hears which step was picked. */
export async function clusterPanel(run, key) {
  const film = await get("/api/cluster", { run, key });
  return new ClusterPanel(run, key, film);
}

class ClusterPanel {
  constructor(run, key, film) {
    Object.assign(this, { run, key, film, at: 0, kept: new Map(), timer: 0, isPlaying: false, isBusy: false, wanted: null });
    this.nodes = nodeView();
    this.slider = h("input.moment", { type: "range", min: "0", "aria-label": "Moment", oninput: () => this.go(Number(this.slider.value)) });
    this.strip = h("div.strip");
    this.now = h("span.time");
    this.summary = h("p.cluster-now", { "aria-live": "polite" });
    this.player = h("button", { type: "button", onclick: () => this.play(!this.isPlaying) }, "Play");
    this.course = h("ol.course");
    this.step = h("section.typed", { "aria-label": "What was typed" });
    this.normal = h("input", { type: "checkbox", id: "normal-events", onchange: () => this.tell() });
    this.map = h("section.cluster-map", { "aria-label": "Services" });
    const button = (text, label, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    this.root = h(
      "section.cluster", { "aria-label": "The cluster" },
      h("div.cluster-bar", button("|◀", "To the page", () => this.seek(this.film.paged)), button("◀", "Step before", () => this.move(-1)), this.player, button("▶", "Next step", () => this.move(1)), button("▶|", "To the latest moment", () => this.go(this.film.times.length - 1)), this.now, this.summary),
      h("div.slide", this.strip, this.slider),
      h("div.cluster-grid", h("div.cluster-left", this.map, this.nodes.root), h("div.cluster-right", this.step, h("section", { "aria-label": "What was typed and told" }, h("div.section-row", h("h2", "What happened"), h("label.check", { for: "normal-events" }, this.normal, " Normal events too")), this.course))),
    );
    this.take(film);
    this.seek(film.steps.at(-1)?.time ?? film.paged);
    if (film.under_way) this.follow();
  }

  /** Takes a film that may have grown. */
  take(film) {
    const edges = JSON.stringify(film.edges);
    this.film = film;
    this.slider.max = String(film.times.length - 1);
    if (edges !== this.edges) {
      this.edges = edges;
      this.drawn = serviceMap(film.edges);
      fill(this.map, h("h2", "Services"), film.edges.length ? this.drawn.root : h("p.muted", "Nothing calls anything here."));
    }
    this.drawStrip();
  }

  /** How many pods were in trouble and how many calls failed, over all of the time. */
  drawStrip() {
    const { times, troubled, failing, paged, steps } = this.film;
    const [from, to, width, height] = [times[0], times.at(-1), 1000, 40];
    const x = (time) => ((time - from) / Math.max(1, to - from)) * width;
    const area = (values, most) => `M 0 ${height} ${values.map((value, at) => `L ${x(times[at]).toFixed(1)} ${(height - (Math.min(value, most) / most) * (height - 4)).toFixed(1)}`).join(" ")} L ${width} ${height} Z`;
    const most = Math.max(4, ...troubled);
    fill(
      this.strip,
      s("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `Trouble over time: up to ${Math.max(...troubled)} pods not well, up to ${percent(Math.max(...failing))} of calls failing` },
        s("path", { d: area(troubled, most), class: "troubled-pods" }), s("path", { d: area(failing, Math.max(0.05, ...failing)), class: "failing-calls" }),
        steps.map((step) => s("line", { x1: x(step.time), x2: x(step.time), y1: height - 9, y2: height, class: step.invalid ? "tick invalid" : "tick" })),
        s("line", { x1: x(paged), x2: x(paged), y1: 0, y2: height, class: "mark page" })),
    );
  }

  /** The moment of a time. */
  seek(time) {
    const after = this.film.times.findIndex((one) => one > time);
    this.go(after < 0 ? this.film.times.length - 1 : Math.max(0, after - 1));
  }

  /** To the step before the one that is told now, or to the one after it. */
  move(by) {
    const { steps, times } = this.film;
    // A step is told from the first moment on at which it had been typed.
    const moment = (step) => times.filter((time) => time < step.time).length;
    const current = steps.findLast((step) => step.time <= times[this.at]);
    const found = by > 0 ? steps.find((step) => moment(step) > this.at) : current && steps.findLast((step) => moment(step) < moment(current));
    if (found) this.go(moment(found));
    else this.go(by > 0 ? times.length - 1 : 0);
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.film.times.length - 1));
    this.slider.value = String(this.at);
    const time = this.film.times[this.at];
    const away = time - this.film.paged;
    const when = `${time < 0 ? `−${clock(-time)}` : clock(time)}, ${span(Math.abs(away))} ${away < 0 ? "before" : "after"} the page`;
    this.slider.setAttribute("aria-valuetext", when);
    this.now.textContent = when;
    this.tell();
    return this.load(time);
  }

  /** Shows the picture of a time; of several that are wanted at once, the last. */
  async load(time) {
    this.wanted = time;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.wanted !== null) {
        const next = this.wanted;
        const found = this.kept.get(next) ?? (await get("/api/cluster", { run: this.run, key: this.key, time: next })).picture;
        this.kept.set(next, found);
        if (this.kept.size > 200) this.kept.delete(this.kept.keys().next().value);
        if (this.wanted === next) this.wanted = null;
        this.show(found);
      }
    } catch (error) {
      this.wanted = null;
      fill(this.summary, h("span.tag.bad", error.message));
    } finally {
      this.isBusy = false;
    }
  }

  show(picture) {
    this.nodes.show(picture);
    this.drawn.show(picture.calls);
    const troubled = picture.pods.filter((pod) => !pod.ok).length;
    const failing = picture.calls.filter((call) => call.failing >= 0.005).length;
    const down = picture.nodes.filter((node) => !node.ready).length;
    fill(
      this.summary,
      h(`span.tag.${down ? "bad" : "good"}`, down ? `${count(down, "node")} not ready` : `${count(picture.nodes.length, "node")} ready`),
      h(`span.tag.${troubled ? "bad" : "good"}`, troubled ? `${count(troubled, "pod")} of ${picture.pods.length} not well` : `${count(picture.pods.length, "pod")} well`),
      h(`span.tag.${failing ? "bad" : "good"}`, failing ? `${count(failing, "edge")} of ${picture.calls.length} failing` : "no call fails"),
      this.film.under_way ? h("span.tag.act", "under way") : null,
    );
  }

  /** What was typed and told until this moment, the latest first. */
  tell() {
    const time = this.film.times[this.at];
    const steps = this.film.steps.filter((step) => step.time <= time);
    const current = steps.at(-1);
    const events = this.film.events.filter(({ time: at, event }) => at <= time && (this.normal.checked || event.kind !== "Normal"));
    const all = [...steps.map((step) => ({ time: step.time, step })), ...events.slice(-LINES)].sort((one, other) => one.time - other.time);
    fill(this.course, all.slice(-LINES).reverse().map((one) => (one.step ? this.typed(one.step, current) : told(one))));
    fill(
      this.step,
      h("h2", current ? `Typed, step ${current.index}` : "Nothing was typed yet"),
      current ? [h("pre.prompt", `$ ${oneLine(current.text, 600)}`), quoted(current.observation + (current.is_cut ? "\n… the rest stands in the record" : ""), `Answer to step ${current.index}`)] : h("p.muted", "The agent is called at the page."),
    );
  }

  typed(step, current) {
    return h(`li.typed-line${step === current ? ".current" : ""}`, h("span.time", clock(step.time)), h("button.quiet", { type: "button", "aria-label": `To step ${step.index}`, onclick: () => this.seek(step.time) }, h("code", `$ ${oneLine(step.text, 120)}`)));
  }

  play(on) {
    this.isPlaying = on;
    this.player.textContent = on ? "Pause" : "Play";
    clearTimeout(this.timer);
    if (on && this.at >= this.film.times.length - 1) this.go(0);
    const tick = async () => {
      if (!this.isPlaying) return;
      if (this.at >= this.film.times.length - 1) return this.play(false);
      await this.go(this.at + 1);
      this.timer = setTimeout(tick, PLAY);
    };
    if (on) this.timer = setTimeout(tick, PLAY);
  }

  /** Looks again and again while the episode is under way; who stands at the latest moment is taken along. */
  follow() {
    const look = async () => {
      const wasLast = this.at >= this.film.times.length - 1 || this.film.times[this.at] >= (this.film.steps.at(-1)?.time ?? Infinity);
      const film = await get("/api/cluster", { run: this.run, key: this.key }).catch(() => null);
      if (this.isStopped) return;
      if (film) {
        const steps = this.film.steps.length;
        this.take(film);
        if (wasLast) this.go(film.times.length - 1);
        if (film.steps.length > steps) say(`Step ${film.steps.length}: ${oneLine(film.steps.at(-1).text, 100)}`);
      }
      if (!film || film.under_way) this.following = setTimeout(look, FOLLOW);
    };
    this.following = setTimeout(look, FOLLOW);
  }

  stop() {
    this.isStopped = true;
    this.isPlaying = false;
    clearTimeout(this.timer);
    clearTimeout(this.following);
  }
}

const told = ({ time, event }) =>
  h(`li.event${event.kind === "Normal" ? "" : ".warning"}`, h("span.time", time < 0 ? `−${clock(-time)}` : clock(time)), h("span", h("strong", event.reason), ` ${event.object}`, event.count > 1 ? h("span.muted", ` ×${event.count}`) : null, h("span.message", ` ${oneLine(event.message, 240)}`)));
