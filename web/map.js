// The map of services: who calls whom, red where calls fail. Places stay where they are while time moves.

import { h, s, oneLine } from "./dom.js";
import { figure, percent } from "./format.js";

const [WIDE, HIGH, ACROSS, DOWN, EDGE] = [132, 26, 196, 38, 14];
/** A map is not drawn smaller than so many pixels wide. */
const LEGIBLE = 640;
/** From this share on, calls count as failing. */
export const FAILING = 0.005;

/** Columns from those who call to those who are called; cycles are cut where they close. */
export function layers(edges) {
  const names = [...new Set(edges.flat())].sort();
  const callees = new Map(names.map((name) => [name, edges.filter(([from, to]) => from === name && to !== name).map(([, to]) => to)]));
  const depth = new Map();
  const visit = (name, at, path) => {
    if (path.has(name) || (depth.get(name) ?? -1) >= at) return;
    depth.set(name, at);
    path.add(name);
    callees.get(name).forEach((to) => visit(to, at + 1, path));
    path.delete(name);
  };
  const called = new Set(edges.filter(([from, to]) => from !== to).map(([, to]) => to));
  names.filter((name) => !called.has(name)).forEach((name) => visit(name, 0, new Set()));
  // What is left calls itself in a circle.
  names.forEach((name) => depth.has(name) || visit(name, 0, new Set()));
  const columns = [];
  names.forEach((name) => (columns[depth.get(name)] ??= []).push(name));
  return order(columns, edges);
}

/** Neighbours stand near each other: each column in the order of the middle of those that it is tied to. */
function order(columns, edges) {
  const rank = new Map();
  const note = (column) => column.forEach((name, at) => rank.set(name, at / column.length));
  columns.forEach(note);
  for (const sweep of [columns, [...columns].reverse(), columns]) {
    for (const column of sweep) {
      const tied = (name) => edges.filter((edge) => edge.includes(name)).map(([from, to]) => rank.get(from === name ? to : from));
      const middle = new Map(column.map((name) => [name, mean(tied(name))]));
      column.sort((one, other) => middle.get(one) - middle.get(other) || one.localeCompare(other));
      note(column);
    }
  }
  return columns;
}

const mean = (list) => (list.length ? list.reduce((sum, one) => sum + one, 0) / list.length : 0);

/** The map of all edges of a film; `show(calls)` colours it for a moment. */
export function serviceMap(edges) {
  const columns = layers(edges);
  const tallest = Math.max(1, ...columns.map((column) => column.length));
  const [width, height] = [columns.length * ACROSS - (ACROSS - WIDE) + 2 * EDGE, tallest * DOWN + 2 * EDGE];
  const place = new Map();
  columns.forEach((column, x) => column.forEach((name, y) => place.set(name, [EDGE + x * ACROSS, EDGE + (y + (tallest - column.length) / 2) * DOWN])));
  const lines = new Map();
  const drawn = edges.map(([from, to]) => {
    const title = s("title");
    const path = s("path", { d: curve(place.get(from), place.get(to)), class: "call idle" }, title);
    const label = s("text", { class: "share", ...middle(place.get(from), place.get(to)) });
    lines.set(`${from} ${to}`, { path, label, title });
    return [path, label];
  });
  const boxes = new Map();
  const services = [...place].map(([name, [x, y]]) => {
    const box = s("rect", { x, y, width: WIDE, height: HIGH, rx: 6, class: "service" });
    boxes.set(name, box);
    const short = name.length > 19 ? `${name.slice(0, 18)}…` : name;
    return s("g", {}, s("title", {}, name), box, s("text", { x: x + WIDE / 2, y: y + HIGH / 2 + 4, "text-anchor": "middle" }, short));
  });
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "Map of services" }, drawn.map(([path]) => path), services, drawn.map(([, label]) => label));
  // A small map is not blown up, and a large one stays legible.
  svg.style.minWidth = `${Math.min(LEGIBLE, width)}px`;
  const told = h("ul.failing");
  const root = h("div", h("div.map-scroll.scroll", { tabindex: "0", role: "region", "aria-label": "Map of services" }, svg), told);
  return { root, show: (calls) => show(calls, { lines, boxes, svg, told }) };
}

function show(calls, { lines, boxes, svg, told }) {
  lines.forEach(({ path, label, title }) => {
    path.setAttribute("class", "call idle");
    label.textContent = "";
    title.textContent = "no calls at this moment";
  });
  boxes.forEach((box) => box.setAttribute("class", "service"));
  const failing = calls.filter((call) => call.failing >= FAILING).sort((a, b) => b.failing * b.rate - a.failing * a.rate);
  for (const call of calls) {
    const line = lines.get(`${call.from} ${call.to}`);
    if (!line) continue;
    const fails = call.failing >= FAILING;
    line.path.setAttribute("class", fails ? "call failing" : "call");
    line.label.textContent = fails ? percent(call.failing) : "";
    line.title.textContent = sentence(call);
    if (fails) boxes.get(call.to).setAttribute("class", "service troubled");
  }
  svg.setAttribute("aria-label", failing.length ? `Map of services, ${failing.length} of ${calls.length} edges fail` : `Map of services, ${calls.length} edges, none fails`);
  told.replaceChildren(...failing.slice(0, 8).map((call) => h("li", h("span.tag.bad", percent(call.failing)), " ", sentence(call))));
}

const sentence = (call) => `${call.from} → ${call.to}: ${figure(call.rate)} calls a second, 95 of 100 within ${figure(call.p95)} ms${call.failing >= FAILING ? `, ${percent(call.failing)} fail${call.reason ? ` (${oneLine(call.reason, 120)})` : ""}` : ""}`;

function curve([x, y], [toX, toY]) {
  const [from, to, a, b] = toX > x ? [x + WIDE, toX, y + HIGH / 2, toY + HIGH / 2] : [x, toX + WIDE, y + HIGH / 2, toY + HIGH / 2];
  // Within a column the line bends out to the right, so that it is seen.
  if (x === toX) return `M ${x + WIDE} ${a} C ${x + WIDE + 40} ${a} ${x + WIDE + 40} ${b} ${x + WIDE} ${b}`;
  const bend = (to - from) / 2;
  return `M ${from} ${a} C ${from + bend} ${a} ${to - bend} ${b} ${to} ${b}`;
}

function middle([x, y], [toX, toY]) {
  if (x === toX) return { x: x + WIDE + 34, y: (y + toY) / 2 + HIGH / 2 + 4, "text-anchor": "middle" };
  const near = toX > x ? toX - 24 : toX + WIDE + 24;
  return { x: near, y: toY + HIGH / 2 - 3 - (toY === y ? 0 : Math.sign(toY - y) * 5), "text-anchor": "middle" };
}
