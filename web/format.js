// Numbers and moments as people read them.

export const percent = (share) => (share === null || share === undefined ? "–" : `${Math.round(share * 100)} %`);

export const number = (value, digits = 2) =>
  value === null || value === undefined ? "–" : Number(value).toFixed(digits);

export const signed = (value, digits = 3) => {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return `±${text}`;
  return value < 0 ? `−${text}` : `+${text}`;
};

export const count = (n, what) => `${Number(n).toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

/** Milliseconds of world time as `01:23:45`, as the world's own texts have it. */
export function clock(ms) {
  const seconds = Math.floor(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** A moment in seconds since 1970, as the reader's clock has it: `2026-11-18 09:05`. */
export function moment(seconds) {
  const at = new Date(seconds * 1000);
  const two = (n) => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** A stretch of time: `45 s`, `2 min`, `1 h 5 min`. */
export function span(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (minutes < 60) return rest && minutes < 10 ? `${minutes} min ${rest} s` : `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A measured value, short enough for a label. */
export function figure(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 10_000) return `${(value / 1000).toFixed(size >= 100_000 ? 0 : 1)}k`;
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1) return value.toFixed(2);
  return size < 0.00005 ? "0" : String(Number(value.toPrecision(2)));
}

const WORDS = {
  success: "success",
  agent_provider_error: "provider failed",
  wrong_remediation: "wrong fix",
  premature_resolution: "premature",
  step_budget_exhausted: "out of steps",
  invalid_action: "invalid actions",
  other: "other",
  resolved: "said resolved",
  escalated: "escalated",
  gave_up: "gave up",
  budget_spent: "budget spent",
  provider_failed: "provider failed",
  yes: "success",
  no: "failure",
  missing: "no result",
};

/** A word of the files in the words of people. */
export const word = (text) => WORDS[text] ?? String(text).replaceAll("_", " ");
