// An agent's mark, and the way to its page.

import { get } from "./api.js";
import { s } from "./dom.js";
import { looksOf } from "./looks.js";

const polygon = (...points) => `M${points.map(([x, y]) => `${x} ${y}`).join("L")}Z`;
const SHAPES = [
  "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
  polygon([-4, -4], [4, -4], [4, 4], [-4, 4]),
  polygon([0, -5.6], [5.6, 0], [0, 5.6], [-5.6, 0]),
  polygon([0, -5.2], [5, 3.8], [-5, 3.8]),
  polygon([0, 5.2], [5, -3.8], [-5, -3.8]),
  polygon([-1.9, -5.2], [1.9, -5.2], [1.9, -1.9], [5.2, -1.9], [5.2, 1.9], [1.9, 1.9], [1.9, 5.2], [-1.9, 5.2], [-1.9, 1.9], [-5.2, 1.9], [-5.2, -1.9], [-1.9, -1.9]),
];

let all = null;

/** The marks of all agents of the folder, read once. */
const known = () => (all ??= get("/api/runs").then(({ runs }) => looksOf(runs.flatMap((run) => run.agents ?? []))));

/** An agent's mark. It comes as soon as all agents are known, because they share the colours. */
export function mark(agent) {
  const shape = s("path", { d: "" });
  known().then((looks) => {
    // One that came after the page was opened has the first look that no other has.
    const look = looks.get(agent) ?? looks.size;
    shape.setAttribute("d", SHAPES[look % SHAPES.length]);
    shape.setAttribute("class", `look-${look % 8}`);
  }, () => {});
  return s("svg", { class: "agent-mark", width: 13, height: 13, viewBox: "-6.5 -6.5 13 13", "aria-hidden": "true" }, shape);
}

/** Where an agent's own page is. */
export const agentPage = (agent, more = {}) => `#/agent?${new URLSearchParams([["agent", agent], ...Object.entries(more).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))])}`;
