// The bar of filters that the overview and the table of episodes share. What is chosen stands in the
// address.

import { h, fill } from "./dom.js";
import { word } from "./format.js";

const FACETS = [
  ["run", "Run"],
  ["agent", "Agent"],
  ["task", "Task"],
  ["suite", "Suite"],
  ["difficulty", "Difficulty"],
  ["family", "Family"],
  ["success", "Outcome"],
  ["failure", "Failure"],
  ["end", "End"],
  ["seed", "Seed"],
  ["noise", "Noise"],
  ["tools", "Tools"],
  ["split", "Split"],
];

const NAMES = FACETS.map(([name]) => name);

/** What else an address may say. */
const OTHERS = ["q", "sort"];

/** What of an address filters. */
export function chosen(params) {
  const query = {};
  for (const name of NAMES) {
    const values = params.getAll(name);
    if (values.length) query[name] = values;
  }
  if (params.get("q")) query.q = params.get("q");
  return query;
}

/** The bar. `change` is told of new parameters; `update(choices)` shows what there is to choose. */
export function filterBar(params, change) {
  const search = h("input", {
    type: "search", placeholder: "Search agent, task, run, outcome…", "aria-label": "Search episodes", value: params.get("q") ?? "",
    dataset: { search: "" }, autocomplete: "off", spellcheck: "false",
  });
  let timer = 0;
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => put("q", [search.value.trim()]), 120);
  });
  const facets = h("div.facets");
  const root = h("div.filters", { role: "search", "aria-label": "Filter episodes" }, search, facets);
  let now = new URLSearchParams(params);
  let last = {};

  function put(name, values) {
    const next = new URLSearchParams(now);
    next.delete(name);
    values.filter(Boolean).forEach((value) => next.append(name, value));
    now = next;
    change(next);
  }

  function facet([name, title], choices) {
    const picked = now.getAll(name);
    const values = Object.entries(choices).sort((a, b) => compare(name, a[0], b[0]));
    for (const one of picked) if (!(one in choices)) values.push([one, 0]);
    if (values.length < 2 && !picked.length) return null;
    const label = picked.length === 0 ? title : `${title}: ${picked.length === 1 ? word(picked[0]) : picked.length}`;
    const box = ([value, n]) =>
      h(
        "label.choice",
        h("input", { type: "checkbox", checked: picked.includes(value), onchange: (event) => put(name, toggled(picked, value, event.target.checked)) }),
        h("span.choice-name", value === "" ? "(none)" : word(value)),
        h("span.choice-count", n.toLocaleString("en")),
      );
    const open = root.querySelector(`details[data-facet="${name}"]`)?.open;
    const list = h("div.choices", values.map(box));
    const find = values.length > 12 ? narrowing(list) : null;
    return h("details.facet", { open, dataset: { facet: name }, class: picked.length ? "facet picked" : "facet" }, h("summary", label), h("div.drop", find, list));
  }

  function update(choices) {
    last = choices ?? last;
    const focused = document.activeElement?.closest?.("details.facet")?.dataset.facet;
    const any = [...now.keys()].some((name) => NAMES.includes(name) || name === "q");
    fill(
      facets,
      FACETS.map((entry) => (last[entry[0]] ? facet(entry, last[entry[0]]) : null)),
      any ? h("button.quiet", { type: "button", onclick: clear }, "Clear") : null,
      strange().map((name) => h("p.notice", `There is no filter “${name}”, so it filters nothing. There are ${NAMES.join(", ")}.`)),
    );
    if (focused) facets.querySelector(`details[data-facet="${focused}"] summary`)?.focus();
  }

  /** Names in the address that mean nothing here. */
  function strange() {
    return [...new Set(now.keys())].filter((name) => !NAMES.includes(name) && !OTHERS.includes(name));
  }

  function clear() {
    for (const name of [...NAMES, "q"]) now.delete(name);
    search.value = "";
    change(new URLSearchParams(now));
  }

  function take(next) {
    now = new URLSearchParams(next);
    if (document.activeElement !== search) search.value = now.get("q") ?? "";
    update(null);
  }

  // One list at a time is open, and it closes with a click elsewhere.
  root.addEventListener("toggle", (event) => {
    if (!event.target.open) return;
    for (const other of root.querySelectorAll("details[open]")) if (other !== event.target) other.open = false;
  }, true);
  const elsewhere = (event) => {
    if (!root.contains(event.target)) for (const other of root.querySelectorAll("details[open]")) other.open = false;
  };
  document.addEventListener("pointerdown", elsewhere);
  root.addEventListener("keydown", (event) => {
    const open = event.key === "Escape" && event.target.closest("details[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  });
  return { root, update, take, stop: () => document.removeEventListener("pointerdown", elsewhere) };
}

function narrowing(list) {
  return h("input", {
    type: "search", placeholder: "Narrow…", "aria-label": "Narrow the list",
    oninput: (event) => {
      const text = event.target.value.toLowerCase();
      for (const choice of list.children) choice.hidden = !choice.textContent.toLowerCase().includes(text);
    },
  });
}

const toggled = (list, value, on) => (on ? [...list, value] : list.filter((other) => other !== value));

const ORDER = ["easy", "medium", "hard", "yes", "no", "missing"];

/** Values of a filter in the order in which they are listed. */
export function compare(name, a, b) {
  if (name === "seed" || name === "noise") return Number(a) - Number(b);
  const [one, other] = [ORDER.indexOf(a), ORDER.indexOf(b)];
  return one >= 0 && other >= 0 ? one - other : a.localeCompare(b);
}
