// The looks of agents follow from their names, here as in the report: crates/report/src/plots/looks.rs has the same cases.

import assert from "node:assert/strict";
import { test } from "node:test";
import { looksOf } from "../../web/looks.js";

const looks = (...names) => names.map((name) => looksOf(names).get(name));

test("a name has its look wherever it stands", () => {
  assert.deepEqual(looks("scripted", "runbook", "random"), [0, 1, 2]);
  assert.deepEqual(looks("random", "scripted"), [2, 0]);
  assert.deepEqual(["steady", "lost", "react@lab/model-1", "été"].map((name) => looks(name)[0]), [1, 5, 5, 1]);
  // Both want the sixth: the later in the alphabet gives way.
  assert.deepEqual(looks("react@lab/model-1", "lost"), [0, 5]);
});

test("no two agents look the same", () => {
  const names = [...Array(24).keys()].map((n) => `agent-${n}`);
  assert.equal(new Set(looks(...names)).size, 24);
  assert.ok(looks(...names.slice(0, 6)).every((look) => look < 6));
});
