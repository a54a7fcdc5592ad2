// Which colour and shape an agent has: the same on every page here and in every report (crates/report/src/plots/looks.rs), as far
// as there are enough of them.

/** The agents that stand in most reports keep theirs. */
const KNOWN = ["scripted", "runbook", "random"];

/** So many colours are told apart at a glance; the others are for the agents that are left. */
const CLEAR = 6;

/** The look of each agent: it follows from the name, and of two that would have the same the later one takes the next. */
export function looksOf(names) {
  const place = (name) => (KNOWN.includes(name) ? KNOWN.indexOf(name) : KNOWN.length);
  const bytes = (name) => new TextEncoder().encode(name);
  const order = [...new Set(names)].sort((a, b) => place(a) - place(b) || compare(bytes(a), bytes(b)));
  const [taken, looks] = [new Set(), new Map()];
  for (const name of order) {
    const wanted = KNOWN.includes(name) ? KNOWN.indexOf(name) : hash(bytes(name)) % CLEAR;
    let look = [...Array(CLEAR).keys()].map((step) => (wanted + step) % CLEAR).find((one) => !taken.has(one)) ?? CLEAR;
    while (taken.has(look)) look += 1;
    taken.add(look);
    looks.set(name, look);
  }
  return looks;
}

/** Letters in the order of their bytes, as the report sorts them. */
function compare(a, b) {
  const at = a.findIndex((byte, at) => byte !== b[at]);
  return at < 0 ? a.length - b.length : at >= b.length ? 1 : a[at] - b[at];
}

/** FNV-1a with 32 bits. */
const hash = (bytes) => bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
