// Lines over time. Drawn anew when the width changes; one cursor runs through all charts of a page.

import { h, s, fill } from "./dom.js";
import { clock, figure, span } from "./format.js";

/** A moment that all charts of a page point at. */
export class Cursor {
  #listeners = new Set();
  listen(listener) {
    this.#listeners.add(listener);
  }
  move(time) {
    for (const listener of this.#listeners) listener(time);
  }
}

const PAD = { left: 46, right: 10, top: 8, bottom: 20 };

/** The axis of time that all charts share. */
export function scale(from, to, width, pad = PAD) {
  const inner = Math.max(1, width - pad.left - pad.right);
  const x = (time) => pad.left + ((time - from) / (to - from)) * inner;
  const time = (x) => from + ((x - pad.left) / inner) * (to - from);
  return { from, to, x, time };
}

/** Redraws as the place's width changes; gives the function that stops it. */
export function fitted(place, draw) {
  let width = 0;
  const observer = new ResizeObserver(() => {
    const now = Math.floor(place.clientWidth);
    if (now > 0 && now !== width) draw((width = now));
  });
  observer.observe(place);
  return () => observer.disconnect();
}

/**
 * One metric in three courses of events.
 * `metric`: name, unit, usual, slack, episode, untouched, healthy, and `extent` where another chart beside it has the same
 * axis. `marks`: moments of the story. `span`: the first and the last moment of the axis.
 */
export function metricChart(metric, { times, span: [from, to], marks, cursor }, height = 132) {
  const readout = h("span.readout");
  const place = h("div.plot");
  const unit = metric.unit || (metric.aspect === "errors" ? "share" : "");
  const root = h(
    "figure.chart",
    h("figcaption", h("span.metric", metric.name.replace(/_(ms|pct)$/, "").replaceAll("_", " ")), unit ? h("span.unit", unit) : null, readout),
    place,
  );
  let hair = null;
  let axis = null;
  const rest = () => {
    readout.textContent = `${figure(lastOf(metric.episode))} at the end`;
  };
  const stop = fitted(place, (width) => {
    axis = scale(from, to, width);
    const { svg, line } = draw(metric, times, marks, axis, width, height);
    hair = line;
    fill(place, svg);
    svg.addEventListener("pointermove", (event) => cursor.move(axis.time(event.offsetX)));
    svg.addEventListener("pointerleave", () => cursor.move(null));
  });
  cursor.listen((time) => {
    if (!axis || !hair) return;
    if (time === null) {
      hair.setAttribute("visibility", "hidden");
      return rest();
    }
    const at = nearest(times, time);
    hair.setAttribute("x1", axis.x(times[at]));
    hair.setAttribute("x2", axis.x(times[at]));
    hair.setAttribute("visibility", "visible");
    fill(
      readout,
      h("span.of-episode", figure(metric.episode[at])),
      h("span.of-untouched", figure(metric.untouched[at])),
      h("span.of-healthy", figure(metric.healthy[at])),
    );
  });
  rest();
  return { root, stop };
}

function draw(metric, times, marks, axis, width, height) {
  const courses = [metric.healthy, metric.untouched, metric.episode];
  const [low, high] = metric.extent ?? range(courses.flat(), metric);
  const inner = height - PAD.top - PAD.bottom;
  const y = (value) => PAD.top + inner - ((value - low) / (high - low)) * inner;
  const ticks = nice(low, high, 3);
  const svg = s("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": summary(metric),
  });
  const usual = [Math.max(low, metric.usual - metric.slack), Math.min(high, metric.usual + metric.slack)];
  if (usual[1] > usual[0]) {
    svg.append(s("rect", {
      class: "band", x: PAD.left, width: width - PAD.left - PAD.right, y: y(usual[1]), height: Math.max(1, y(usual[0]) - y(usual[1])),
    }));
  }
  for (const tick of ticks) {
    svg.append(
      s("line", { class: "grid", x1: PAD.left, x2: width - PAD.right, y1: y(tick), y2: y(tick) }),
      s("text", { class: "tick", x: PAD.left - 6, y: y(tick) + 3.5, "text-anchor": "end" }, figure(tick)),
    );
  }
  svg.append(...timeTicks(axis, width, height), ...marks.flatMap((mark) => markLine(mark, axis, height)));
  svg.append(
    s("path", { class: "course healthy", d: path(times, metric.healthy, axis.x, y) }),
    s("path", { class: "course untouched", d: path(times, metric.untouched, axis.x, y) }),
    s("path", { class: "course episode", d: path(times, metric.episode, axis.x, y) }),
  );
  const line = s("line", { class: "hair", y1: PAD.top, y2: height - PAD.bottom, visibility: "hidden" });
  svg.append(line);
  return { svg, line };
}

function timeTicks(axis, width, height) {
  const steps = [60, 120, 300, 600, 900, 1800, 3600].map((n) => n * 1000);
  const room = Math.max(2, Math.floor((width - PAD.left) / 70));
  const step = steps.find((n) => (axis.to - axis.from) / n <= room) ?? 7_200_000;
  const found = [];
  for (let time = Math.ceil(axis.from / step) * step; time <= axis.to; time += step) {
    const x = axis.x(time);
    if (x > width - 16) continue;
    found.push(s("text", { class: "tick", x, y: height - 6, "text-anchor": "middle" }, clock(time).slice(0, 5)));
  }
  return found;
}

function markLine(mark, axis, height) {
  const x = axis.x(mark.time);
  return [s("line", { class: `mark ${mark.kind}`, x1: x, x2: x, y1: PAD.top - 2, y2: height - PAD.bottom })];
}

/**
 * The story at full width: named moments above, one marker per step, and the reward so far below.
 * `onStep` is told when a step is picked.
 */
export function storyChart(story, cursor, onStep) {
  const place = h("div.plot");
  const readout = h("span.readout");
  const root = h(
    "figure.chart.story",
    h("figcaption", h("span.metric", "Course of the episode"), h("span.unit", "reward so far, and what was done when"), readout),
    place,
  );
  const stop = fitted(place, (width) => {
    const axis = scale(story.from, story.to, width);
    const rows = rowsOf(story.steps.map((step) => axis.x(step.time)));
    const high = HIGH * Math.max(2, ...rows.map((row) => row + 1));
    const height = 132 + high;
    const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Course of the episode" });
    svg.append(...timeTicks(axis, width, height), ...moments(story.marks, axis, width, height), ...rewards(story, axis, width, 38 + high, height), ...steps(story, axis, rows, onStep));
    const hair = s("line", { class: "hair", y1: 44, y2: height - PAD.bottom, visibility: "hidden" });
    svg.append(hair);
    svg.addEventListener("pointermove", (event) => cursor.move(axis.time(event.offsetX)));
    svg.addEventListener("pointerleave", () => cursor.move(null));
    cursor.listen((time) => {
      hair.setAttribute("visibility", time === null ? "hidden" : "visible");
      if (time === null) return (readout.textContent = "");
      hair.setAttribute("x1", axis.x(time));
      hair.setAttribute("x2", axis.x(time));
      readout.textContent = `${clock(time)}, ${sinceText(time, story)}`;
    });
    fill(place, svg);
  });
  return { root, stop };
}

function sinceText(time, story) {
  const away = time - story.paged;
  return away >= 0 ? `${span(away)} after the page` : `${span(-away)} before the page`;
}

/** Named moments; labels go to either side of their marks and to two lines, so that none touches another. */
function moments(marks, axis, width, height) {
  const named = [...marks].filter((mark) => mark.label).sort((a, b) => a.time - b.time);
  const choices = named.map((mark) => {
    const x = axis.x(mark.time);
    const wide = mark.label.length * 6.4 + 8;
    const places = [false, true].flatMap((left) => [0, 1].map((line) => ({ x, left, line, from: left ? x - wide : x, to: left ? x : x + wide })));
    const inside = places.filter(({ from, to }) => from >= 0 && to <= width - 4);
    return inside.length ? inside : places.slice(0, 1);
  });
  return apart(choices).flatMap(({ x, left, line }, at) => {
    const y = 14 + line * 15;
    const { kind, label } = named[at];
    return [
      s("line", { class: `mark ${kind}`, x1: x, x2: x, y1: y - 9, y2: height - PAD.bottom }),
      s("text", { class: `moment ${kind}`, x: left ? x - 5 : x + 5, y, "text-anchor": left ? "end" : "start" }, label),
    ];
  });
}

/** One place for each from its choices, with the fewest that touch; of equals those that come first. There are few: all are tried. */
export function apart(choices) {
  let best = { found: [], touching: Infinity };
  const walk = (found, touching) => {
    if (touching >= best.touching) return;
    if (found.length === choices.length) return (best = { found, touching });
    for (const place of choices[found.length]) {
      const hits = found.filter((other) => other.line === place.line && place.from < other.to && other.from < place.to).length;
      walk([...found, place], touching + hits);
    }
  };
  walk([], 0);
  return best.found;
}

function rewards(story, axis, width, top, height) {
  const bottom = height - PAD.bottom - 4;
  const values = story.sums;
  const high = Math.max(1, ...values);
  const low = Math.min(0, ...values);
  const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const points = [[axis.x(story.begin), y(0)]];
  for (const step of story.steps) {
    const x = axis.x(step.time + step.took);
    points.push([x, points.at(-1)[1]], [x, y(step.sum)]);
  }
  const d = points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  // A sum just below zero would print its figure over the zero's.
  const ticks = [low, 0, high].filter((v, at, all) => all.indexOf(v) === at && (v === 0 || Math.abs(y(v) - y(0)) >= 12));
  return [
    ...ticks.flatMap((tick) => [
      s("line", { class: "grid", x1: PAD.left, x2: width - PAD.right, y1: y(tick), y2: y(tick) }),
      s("text", { class: "tick", x: PAD.left - 6, y: y(tick) + 3.5, "text-anchor": "end" }, figure(tick)),
    ]),
    s("path", { class: "course reward", d }),
  ];
}

/** A step's mark is so wide, and its line so high. */
const [ROOM, HIGH, LINES] = [19, 18, 4];

/** The line of each step: where marks would touch, the next goes below; where all are full, over the one that is furthest away. */
function rowsOf(places) {
  const ends = Array(LINES).fill(-Infinity);
  return places.map((x) => {
    const free = ends.findIndex((end) => x - end >= ROOM);
    const row = free < 0 ? ends.indexOf(Math.min(...ends)) : free;
    ends[row] = x;
    return row;
  });
}

function steps(story, axis, rows, onStep) {
  return story.steps.map((step, at) => {
    const x = axis.x(step.time);
    const name = `Step ${step.index}: ${step.label}`;
    const pick = () => onStep(step.index);
    return s(
      "g",
      {
        class: `step ${step.kind}`, role: "button", tabindex: "0", "aria-label": name, transform: `translate(${x} ${52 + rows[at] * HIGH})`,
        onclick: pick,
        onkeydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick()),
      },
      s("title", {}, name),
      s("circle", { r: 8.5 }),
      s("text", { "text-anchor": "middle", y: 3.6 }, step.index),
    );
  });
}

/** Gives the same metric of two episodes one axis. */
export function shareAxis(one, other) {
  const values = [one, other].flatMap((metric) => [metric.healthy, metric.untouched, metric.episode].flat());
  one.extent = other.extent = range(values, one);
}

function range(values, metric) {
  const known = values.filter((value) => value !== null);
  let low = Math.min(...known, metric.usual);
  let high = Math.max(...known, metric.usual);
  if (low > 0 && low < high * 0.6) low = 0;
  // A flat line stands in the middle, not on an edge.
  const least = Math.max(metric.slack * 2, Math.abs(high) * 0.1, 1e-6);
  if (high - low < least) {
    high += least / 2;
    low = low >= 0 ? Math.max(0, low - least / 2) : low - least / 2;
  }
  return [low, high + (high - low) * 0.06];
}

/** Round numbers between two values. */
export function nice(low, high, about) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? raw;
  const found = [];
  for (let n = Math.ceil(low / step); n * step <= high; n += 1) found.push(Number((n * step).toPrecision(12)));
  return found;
}

/** A line that stops where samples are missing. */
function path(times, values, x, y) {
  let d = "";
  let pen = false;
  values.forEach((value, at) => {
    if (value === null) return (pen = false);
    d += `${pen ? "L" : "M"}${x(times[at]).toFixed(1)} ${y(value).toFixed(1)}`;
    pen = true;
  });
  return d;
}

function nearest(times, time) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle;
    else high = middle;
  }
  return time - times[low] < times[high] - time ? low : high;
}

const lastOf = (values) => values.findLast((value) => value !== null) ?? null;

function summary(metric) {
  const peak = (values) => figure(Math.max(...values.filter((v) => v !== null)));
  return (
    `${metric.name}: usually ${figure(metric.usual)} ${metric.unit}; at most ${peak(metric.episode)} in the episode, ` +
    `${peak(metric.untouched)} without any action; ${figure(lastOf(metric.episode))} at the end`
  );
}

/** A figure with its interval on a line from 0 to 1. */
export function intervalBar(interval, label) {
  if (!interval) return h("span.muted", "–");
  const [width, height] = [132, 20];
  const x = (value) => 4 + Math.min(1, Math.max(0, value)) * (width - 8);
  return s(
    "svg",
    { class: "interval", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    s("line", { class: "grid", x1: x(0), x2: x(1), y1: 10, y2: 10 }),
    [0, 0.5, 1].map((tick) => s("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 6, y2: 14 })),
    s("line", { class: "range", x1: x(interval.low), x2: x(interval.high), y1: 10, y2: 10 }),
    s("circle", { class: "point", cx: x(interval.point), cy: 10, r: 4.5 }),
  );
}
