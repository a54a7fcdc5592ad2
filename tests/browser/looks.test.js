// The looks of agents follow from their names, here as in the report: crates/report/src/plots/looks.rs has the same cases.

import assert from "node:assert/strict";
import { test } from "node:test";
import { apart } from "../../web/chart.js";
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

test("labels of moments that are near each other do not touch", () => {
  // As on a telephone: onset, page, recovery and end within sixty pixels.
  const choices = [[142, 40], [172, 34], [188, 66], [203, 27]].map(([x, wide]) =>
    [false, true].flatMap((left) => [0, 1].map((line) => ({ line, from: left ? x - wide : x, to: left ? x : x + wide }))));
  const found = apart(choices);
  assert.equal(found.length, 4);
  for (const [at, one] of found.entries()) {
    assert.ok(found.slice(0, at).every((other) => other.line !== one.line || one.to <= other.from || other.to <= one.from), JSON.stringify(found));
  }
  // Where there is no room some touch, and all are still there.
  assert.equal(apart([0, 1, 2].map(() => [{ line: 0, from: 0, to: 9 }])).length, 3);
});
