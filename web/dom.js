// Elements from text. Nothing here, nor anywhere else, turns text into markup: what a model or a log
// wrote is only ever put into text nodes.

/** An element: `h("a.link", { href: "#/" }, "text", child)`. */
export function h(spec, ...rest) {
  const [tag, ...classes] = spec.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  const isProps = rest[0] && typeof rest[0] === "object" && !(rest[0] instanceof Node) && !Array.isArray(rest[0]);
  if (isProps) set(element, rest.shift());
  add(element, rest);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for drawings. */
export function s(tag, props = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  add(element, children);
  return element;
}

function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "value") element.value = value;
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, value);
  }
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Puts these in the place of everything that an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

/** A long name or call may be broken behind its separators, and nowhere else as long as there is room. */
export const broken = (name) => String(name).split(/(?<=[@/_(=-])/).flatMap((part) => [part, document.createElement("wbr")]).slice(0, -1);

const FOLDED = 4000;
const LINES = 40;
// What goes on for a little more is shown whole: a fold would take as much room as it saves.
const SPARE = 1.25;

/** Control characters as their numbers: they move no cursor and hide nothing. */
export function tame(text) {
  return String(text)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (c) => `\\x${hex(c, 2)}`)
    .replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, (c) => `\\u${hex(c, 4)}`);
}

const hex = (c, digits) => c.charCodeAt(0).toString(16).padStart(digits, "0");

/** Text that others wrote, to the letter. What is very long is folded until asked for. */
export function quoted(text, label = "text") {
  const whole = tame(text);
  const lines = whole.split("\n");
  const isLong = whole.length > FOLDED * SPARE || lines.length > LINES * SPARE;
  // Text without columns may break its lines on a telephone; a table may not. One of three columns or more may nowhere be broken.
  const isTable = lines.filter((line) => /\S {2,}\S.* {2,}\S/.test(line)).length > 1;
  const kind = isTable ? ".columns" : /\S {2,}\S/.test(whole) ? "" : ".sentences";
  const box = h(`pre.quoted${kind}`, { tabindex: "0", role: "region", "aria-label": label });
  if (!isLong) {
    box.textContent = whole;
    return box;
  }
  const head = lines.slice(0, LINES).join("\n").slice(0, FOLDED);
  box.textContent = head;
  const more = h("button.more", { type: "button", "aria-expanded": "false" });
  let shown = FOLDED;
  const rest = () => Math.max(0, whole.length - box.textContent.length);
  const name = () => `Show ${rest().toLocaleString("en")} more characters`;
  more.textContent = name();
  more.addEventListener("click", () => {
    // A megabyte at once would freeze the page.
    shown = Math.min(whole.length, Math.max(shown * 4, 200_000));
    box.textContent = whole.slice(0, shown);
    more.textContent = name();
    more.setAttribute("aria-expanded", "true");
    if (rest() === 0) more.remove();
  });
  return h("div.folded", box, more);
}

/** One line of text that others wrote. */
export function oneLine(text, most = 160) {
  const line = tame(String(text).slice(0, most * 4)).replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** Tells people who listen instead of looking. */
export function say(text) {
  document.getElementById("say").textContent = text;
}
