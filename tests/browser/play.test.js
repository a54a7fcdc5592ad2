// A person plays an incident to success and stands in the leaderboard and the report.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { browser, folder, page, shot, sreZero, until, viewer } from "./stage.js";

const { play } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url)));
let place, server, chromium;

before(async () => {
  place = folder();
  sreZero(["run", "--tasks", play.task, "--agents", "random,runbook,scripted", "--episodes", "2", "--out", `${place.path}/baselines`]);
  server = await viewer(place.path);
  chromium = await browser();
});

after(async () => {
  await chromium?.close();
  await server?.stop();
  place?.remove();
});

async function build(one, { tool, service }) {
  await one.click(`.tools button[data-tool=${tool}]`);
  await one.selectOption("#p-service", service);
  const steps = await one.locator("ol.steps > li").count();
  await one.click(".builder button[type=submit]");
  await until(one, (n) => document.querySelectorAll("ol.steps > li").length === n, steps + 1);
}

test("a person plays a task to success, and the human row appears", async () => {
  const one = await page(chromium, server.address);
  await one.goto(`${server.address}#/play`);
  await one.fill("#name", "ada");
  await one.click("summary:has-text('tasks')");
  await one.fill("#find", play.task);
  await shot(one, "lobby-tasks");
  await one.click(`button[aria-label='Play ${play.task}']`);
  await one.waitForSelector(".tools button");
  for (const look of play.looks) {
    await build(one, look);
    assert.match(await one.locator("ol.steps > li").last().textContent(), new RegExp(look.shows));
  }
  await one.fill("#note", "all instances of the cache are down");
  await one.click(".card:has(#note) button[type=submit]");
  await one.fill("#raw", "nonsense");
  await one.press("#raw", "Enter");
  await one.waitForSelector("li.step .tag.bad");
  await one.fill("#raw", play.typed);
  await one.press("#raw", "Enter");
  await until(one, () => document.querySelectorAll("ol.steps > li").length === 4);
  await shot(one, "game");
  await one.reload();
  await until(one, () => document.querySelectorAll("ol.steps > li").length === 4 && document.querySelectorAll(".notes li").length === 1);
  await build(one, play.fix);
  await one.click(".tools button[data-tool=resolve_incident]");
  await one.fill("#p-root_cause", play.diagnosis.root_cause);
  await one.fill("#p-fix", play.diagnosis.fix);
  await one.click(".builder button[type=submit]");
  await one.waitForSelector(".aftermath");
  assert.match(await one.locator(".aftermath h2").first().textContent(), /^Resolved$/);
  await shot(one, "game-over");
  await one.click("text=See it with charts");
  await one.waitForSelector(".service .chart svg");
  await one.goto(`${server.address}#/`);
  await one.waitForSelector(".board tbody tr");
  const rows = await one.locator(".board tbody th").allTextContents();
  assert.ok(rows.includes("human:ada"), `${rows}`);
  await shot(one, "overview-human");
  sreZero(["replay", `${place.path}/human-ada/records/human:ada/${play.task}/0.jsonl`]);
  sreZero(["rescore", `${place.path}/human-ada`]);
  const out = folder();
  try {
    sreZero(["report", `${place.path}/baselines`, `${place.path}/human-ada`, "--out", out.path]);
    const pages = readdirSync(out.path).filter((name) => name.endsWith(".html"));
    assert.ok(pages.some((name) => readFileSync(`${out.path}/${name}`, "utf8").includes("human:ada")), "the report has a human row");
  } finally {
    out.remove();
  }
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

test("a surprise is not given away before it is over", async () => {
  const one = await page(chromium, server.address);
  const heard = [];
  one.on("response", async (answer) => /\/api\/(play|games)/.test(answer.url()) && heard.push(await answer.text().catch(() => "")));
  await one.goto(`${server.address}#/play`);
  await one.fill("#name", "grace");
  await one.click("#surprise");
  await one.waitForSelector(".tools button");
  await one.fill("#raw", "check_status(cache)");
  await one.press("#raw", "Enter");
  await one.waitForSelector("ol.steps > li");
  await shot(one, "surprise");
  const before = heard.splice(0).concat(await one.content());
  one.removeAllListeners("dialog");
  one.on("dialog", (dialog) => dialog.accept());
  await one.click("text=Give up");
  await one.waitForSelector(".aftermath .truth-list");
  const task = await one.locator(".truth-list dd code").first().textContent();
  assert.match(task, /^[a-z0-9_]+$/);
  for (const text of before) assert.ok(!text.includes(task), "the task's name was told too early");
  await one.context().close();
});
