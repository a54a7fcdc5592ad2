// Problems in a cluster: an episode in pictures that can be rewound, an agent looked at while it works, a person at a terminal.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { browser, folder, page, shot, sreZero, start, until, viewer } from "./stage.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const { cluster } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url)));
let place, server, chromium;

before(async () => {
  place = folder();
  sreZero(["run", "--tasks", cluster.task, "--agents", "scripted", "--episodes", "1", "--out", `${place.path}/solved`]);
  server = await viewer(place.path);
  chromium = await browser();
});

after(async () => {
  await chromium?.close();
  await server?.stop();
  place?.remove();
});

const episode = (view = "episode") => `#/${view}?run=solved&key=${encodeURIComponent(`scripted/${cluster.task}/0`)}`;

async function open(hash, options) {
  const one = await page(chromium, server.address, options);
  await one.goto(`${server.address}${hash}`);
  return one;
}

/** Nothing keeps people out. */
async function accessible(one, name) {
  await one.evaluate(axe);
  const found = await one.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target}: ${node.failureSummary}`).join(" | ")}`);
  });
  assert.deepEqual(found, [], name);
}

for (const [width, name] of [[1400, "wide"], [390, "phone"]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`the cluster of an episode is drawn and accessible, ${name}, ${colorScheme}`, async () => {
      const one = await open(episode(), { viewport: { width, height: 900 }, colorScheme });
      await one.waitForSelector(".node .pod", { timeout: 120_000 });
      await accessible(one, `cluster-${name}-${colorScheme}`);
      await shot(one, `cluster-${name}-${colorScheme}`, { fullPage: true });
      assert.ok(await one.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), "the page is not wider than the screen");
      assert.deepEqual(one.troubles, []);
      await one.context().close();
    });
  }
}

test("an episode can be rewound to any moment, and what was typed stands beside what happened", async () => {
  const one = await open(episode("cluster"));
  await one.waitForSelector(".node .pod", { timeout: 120_000 });
  // At the page calls fail, and the edges of the map say so.
  await one.click("button[aria-label='To the page']");
  await one.waitForSelector("path.call.failing", { state: "attached" });
  assert.match(await one.locator(".failing li").first().textContent(), /%.*fail/);
  // In the beginning all was well.
  await one.focus(".moment");
  await one.press(".moment", "Home");
  await until(one, () => !document.querySelector("path.call.failing") && document.querySelector(".cluster-now")?.textContent.includes("no call fails"));
  assert.match(await one.locator(".typed h2").textContent(), /Nothing was typed/);
  // In the end it is again, and the whole course stands there.
  await one.press(".moment", "End");
  await until(one, () => !document.querySelector("path.call.failing") && document.querySelectorAll("ol.course .typed-line").length > 1);
  const last = await one.locator(".typed h2").textContent();
  await one.click("button[aria-label='Step before']");
  await until(one, (before) => document.querySelector(".typed h2").textContent !== before, last);
  await one.click("#normal-events");
  await one.waitForSelector("ol.course .event");
  // A pod tells of itself, and still does at another moment.
  await one.click(".node .pod >> nth=0");
  assert.match(await one.locator(".pod-about").textContent(), /containers ready/);
  await one.click("button[aria-label='To the page']");
  await until(one, () => /containers ready|not there/.test(document.querySelector(".pod-about").textContent));
  // It plays by itself.
  const before = await one.inputValue(".moment");
  await one.click(".cluster-bar >> text=Play");
  await until(one, (at) => Number(document.querySelector(".moment").value) > Number(at) + 2, before);
  await one.click(".cluster-bar >> text=Pause");
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

test("an agent is looked at while it works", async () => {
  // An agent that takes its time: a program that waits between its calls.
  const child = start(["run", "--tasks", cluster.task, "--agents", `exec:python3 ${new URL("slow_agent.py", import.meta.url).pathname}`, "--episodes", "1", "--out", `${place.path}/live`]);
  const ended = new Promise((done) => child.on("exit", done));
  try {
    const one = await open("#/live");
    await one.waitForSelector(".under-way a", { timeout: 120_000 });
    await one.click(".under-way a");
    await one.waitForSelector(".node .pod", { timeout: 120_000 });
    await until(one, () => document.querySelectorAll("ol.course .typed-line").length >= 1, null, 60_000);
    const seen = await one.locator("ol.course .typed-line").count();
    await until(one, (n) => document.querySelectorAll("ol.course .typed-line").length > n, seen, 60_000);
    assert.match(await one.locator(".cluster-now").textContent(), /under way/);
    await shot(one, "cluster-live");
    assert.deepEqual(one.troubles, []);
    await one.context().close();
  } finally {
    child.kill("SIGINT");
    await ended;
  }
});

test("a person solves a problem at a terminal with kubectl", async () => {
  const one = await open("#/play");
  await one.fill("#name", "ada");
  await one.click("summary:has-text('tasks')");
  await one.fill("#find", cluster.task);
  await one.click(`button[aria-label='Play ${cluster.task}']`);
  await one.waitForSelector(".terminal .prompt-line", { timeout: 120_000 });
  const type = async (line) => {
    const said = await one.locator(".screen > li").count();
    await one.fill("#raw", line);
    await one.press("#raw", "Enter");
    await until(one, (n) => document.querySelectorAll(".screen > li").length === n, said + 1, 60_000);
    return one.locator(".screen > li").last().textContent();
  };
  assert.match(await type("kubectl get pods | head -4"), /NAME\s+READY\s+STATUS/);
  assert.match(await type("kubectl get nosuchthing"), /the server doesn't have a resource type/);
  await one.press("#raw", "ArrowUp");
  assert.equal(await one.inputValue("#raw"), "kubectl get nosuchthing");
  await shot(one, "terminal");
  await accessible(one, "terminal");
  await one.click("button[data-tool=submit_diagnosis]");
  await one.fill("#p-diagnosis", cluster.diagnosis);
  await one.fill("#p-cause", cluster.cause);
  await one.click(".builder button[type=submit]");
  await until(one, () => document.querySelectorAll(".screen > li").length === 3);
  for (const line of cluster.fix) await type(line);
  await one.click("button[data-tool=submit]");
  await one.click(".builder button[type=submit]");
  await one.waitForSelector(".aftermath", { timeout: 120_000 });
  assert.match(await one.locator(".aftermath h2").first().textContent(), /^Resolved$/);
  await shot(one, "terminal-over");
  await one.click("text=See it with the cluster");
  await one.waitForSelector(".node .pod", { timeout: 120_000 });
  await one.goto(`${server.address}#/`);
  await one.waitForSelector(".board tbody tr");
  assert.ok((await one.locator(".board tbody th").allTextContents()).includes("human:ada"));
  sreZero(["replay", `${place.path}/human-ada`]);
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});
