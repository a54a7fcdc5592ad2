// Every view: it opens, it does what it offers, nothing is missing for people who do not see it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { browser, folder, page, shot, sreZero, start, until, viewer } from "./stage.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let place, server, chromium;

before(async () => {
  place = folder();
  sreZero(["run", "--suite", "easy", "--agents", "random,runbook,scripted", "--episodes", "3", "--out", `${place.path}/easy`]);
  sreZero(["run", "--suite", "hard", "--agents", "runbook", "--episodes", "1", "--noise", "2", "--out", `${place.path}/hard-noisy`]);
  server = await viewer(place.path);
  chromium = await browser();
});

after(async () => {
  await chromium?.close();
  await server?.stop();
  place?.remove();
});

async function open(hash, selector, options) {
  const one = await page(chromium, server.address, options);
  await one.goto(`${server.address}${hash}`);
  await one.waitForSelector(selector);
  return one;
}

/** No trouble on the page, and nothing that keeps people out. */
async function check(one, name) {
  await shot(one, name);
  // As a debugger does it: the page's own policy stays as it is.
  await one.evaluate(axe);
  const found = await one.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    const about = (node) => `${node.target}: ${node.failureSummary}`;
    return violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map(about).join(" | ")}`);
  });
  assert.deepEqual(found, [], name);
}

const SCREENS = [
  ["overview", "#/", ".board tbody tr"],
  ["episodes", "#/episodes", ".episodes tbody a"],
  ["live", "#/live", ".card"],
  ["lobby", "#/play", "#surprise"],
];

for (const colorScheme of ["light", "dark"]) {
  for (const [name, hash, selector] of SCREENS) {
    test(`${name} is accessible in ${colorScheme}`, async () => {
      const one = await open(hash, selector, { colorScheme });
      await check(one, `${name}-${colorScheme}`);
      assert.deepEqual(one.troubles, []);
      await one.context().close();
    });
  }

  test(`an episode is accessible in ${colorScheme}`, async () => {
    const one = await open("#/episodes?agent=runbook", ".episodes tbody a", { colorScheme });
    await one.click(".episodes tbody a");
    await one.waitForSelector(".service .chart svg");
    await one.click("text=Reveal the truth");
    await one.waitForSelector(".truth-list");
    await check(one, `episode-${colorScheme}`);
    await shot(one, `episode-whole-${colorScheme}`, { fullPage: true });
    assert.deepEqual(one.troubles, []);
    await one.context().close();
  });
}

test("two episodes side by side are accessible", async () => {
  const one = await open("#/episodes?agent=runbook", ".episodes tbody a");
  for (const key of ["x", "j", "x", "c"]) await one.keyboard.press(key);
  await one.waitForSelector(".side-by-side .service .chart svg");
  await check(one, "pair-access");
  // Tables are not broken in half of the width, lines of a log are.
  const look = (selector) => one.locator(`.side-by-side pre.quoted${selector}`).first().evaluate((box) => getComputedStyle(box).whiteSpace);
  assert.deepEqual([await look(".columns"), await look(":not(.columns)")], ["pre", "pre-wrap"]);
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

test("a game is accessible", async () => {
  const one = await open("#/play", "#surprise");
  await one.fill("#name", "ada");
  await one.selectOption("#tools", "full");
  await one.click("#surprise");
  await one.waitForSelector(".tools button");
  await one.fill("#raw", "list_alerts()");
  await one.press("#raw", "Enter");
  await one.waitForSelector("ol.steps > li");
  await one.click(".tools button[data-tool=query_metrics]");
  await check(one, "game-access");
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

for (const [name, hash, selector] of [...SCREENS, ["episode", "#/episodes?agent=runbook", ".episodes tbody a"]]) {
  test(`${name} fits a telephone`, async () => {
    const one = await open(hash, selector, { viewport: { width: 390, height: 800 } });
    if (name === "episode") {
      await one.click(".episodes tbody a");
      await one.waitForSelector(".service .chart svg");
    }
    await shot(one, `${name}-narrow`);
    const over = await one.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 1, `${name} is ${over} px too wide`);
    await one.context().close();
  });
}

test("a question with what others answered fits a telephone", async () => {
  const asked = folder();
  sreZero(["run", "--suite", "skills", "--tasks", "resources-azure-k8s-upgrades-walls-31", "--agents", "random,scripted", "--episodes", "2", "--out", `${asked.path}/asked`]);
  const own = await viewer(asked.path);
  const one = await page(chromium, own.address, { viewport: { width: 390, height: 800 } });
  await one.goto(`${own.address}#/episodes`);
  await one.click(".episodes tbody a");
  await one.waitForSelector("td.answer");
  const over = await one.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 1, `it is ${over} px too wide`);
  assert.deepEqual(one.troubles, []);
  await one.context().close();
  await own.stop();
  asked.remove();
});

test("the leaderboard leads to the agent and to the episodes behind it, and filters stand in the address", async () => {
  const one = await open("#/", ".board tbody tr");
  // Two suites are two tables, not one that pools them.
  assert.deepEqual(await one.locator(".board").evaluateAll((all) => all.map((one) => one.tBodies[0].rows.length)), [3, 1]);
  await one.click(".facet summary:has-text('Run')");
  await one.click(".facet[data-facet=run] label:has-text('hard-noisy')");
  await until(one, () => document.querySelectorAll(".board tbody tr").length === 1);
  assert.match(one.url(), /run=hard-noisy/);
  await one.reload();
  await one.waitForSelector(".board tbody tr");
  assert.equal(await one.locator(".board tbody tr").count(), 1);
  await one.click(".board tbody th a");
  await one.waitForSelector("h1:has-text('runbook')");
  assert.match(one.url(), /#\/agent\?.*agent=runbook.*run=hard-noisy/);
  assert.match(await one.locator("p.lead").innerText(), /^Resolved (\d+|none|all \d+) (of \d+ )?episodes?\./);
  assert.ok((await one.locator("h2").allInnerTexts()).includes("By family"));
  await one.waitForSelector("h2:has-text('Calls by tool')");
  const tools = await one.locator("section[aria-labelledby=tools] tbody th").allInnerTexts();
  assert.ok(tools.includes("resolve_incident") && tools.length > 2, tools.join());
  await one.click("a:has-text('Show episodes')");
  await one.waitForSelector(".episodes tbody a");
  assert.match(one.url(), /#\/episodes\?.*run=hard-noisy.*agent=runbook|#\/episodes\?.*agent=runbook.*run=hard-noisy/);
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

test("episodes are searched, sorted and walked with the keyboard", async () => {
  const one = await open("#/episodes", ".episodes tbody a");
  await one.keyboard.press("/");
  await one.keyboard.type("scripted success");
  await until(one, () => /q=scripted/.test(location.hash) && !document.querySelector(".episodes tbody .badge.no"));
  await one.keyboard.press("Escape");
  await one.click("th button:has-text('Steps')");
  await one.waitForSelector("th[aria-sort=ascending]");
  await one.click("th button:has-text('Steps')");
  await one.waitForSelector(".episodes[aria-busy=false] th[aria-sort=descending]");
  for (const key of ["j", "x", "j", "j", "x"]) await one.keyboard.press(key);
  await one.waitForSelector("button:has-text('Compare')");
  await one.keyboard.press("c");
  await one.waitForSelector(".side-by-side .service .chart svg");
  assert.equal(await one.locator(".side-by-side > article").count(), 2);
  await shot(one, "pair");
  await one.goBack();
  await one.waitForSelector(".episodes tbody a");
  await one.keyboard.press("Enter");
  await one.waitForSelector(".story-page");
  await one.keyboard.press("j");
  await one.keyboard.press("j");
  assert.match(await one.locator("li.step.current").textContent(), /^2/);
  await one.keyboard.press("?");
  await one.waitForSelector("dialog[open]");
  await shot(one, "keys");
  assert.match(await one.locator("dialog").textContent(), /Reveal the truth/);
  await one.keyboard.press("Escape");
  await one.keyboard.press("g");
  await one.keyboard.press("l");
  await one.waitForSelector(".card");
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

test("a failed episode says in words why, and an agent has one mark everywhere", async () => {
  const one = await open("#/episodes?agent=random&success=no", ".episodes tbody a");
  await one.click(".episodes tbody a");
  await one.waitForSelector(".why");
  assert.match(await one.locator(".why").innerText(), /^Why it failed: .+ (sign|signs) of the cause/s);
  await one.waitForSelector(".agent-mark .look-2");
  await one.click("a.tag:has-text('random')");
  await one.waitForSelector("h1 .agent-mark .look-2");
  await one.goto(new URL("#/", server.address).href);
  await one.waitForSelector(".board tr:has-text('random') .agent-mark .look-2");
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

test("an episode shows what the agent saw, and its truth only when asked", async () => {
  const one = await open("#/episodes?agent=scripted&q=easy", ".episodes tbody a");
  const heard = [];
  one.on("response", async (answer) => answer.url().includes("/api/episode?") && heard.push(await answer.text()));
  await one.click(".episodes tbody a");
  await one.waitForSelector(".service .chart svg");
  const marks = await one.locator(".story text.moment").allTextContents();
  for (const word of ["onset", "page", "end"]) assert.ok(marks.includes(word), `${marks} has ${word}`);
  const [record] = heard.map((text) => JSON.parse(text));
  const seen = record.events.filter((event) => event.event === "stepped").map((event) => event.observation);
  const shown = await one.locator("li.step > pre.quoted").allTextContents();
  assert.deepEqual(shown, seen);
  await one.locator(".service .chart svg").first().hover();
  await until(one, () => document.querySelector(".of-untouched"));
  await one.keyboard.press("r");
  await one.waitForSelector(".truth-list");
  const title = await one.locator(".truth-list dd").nth(1).textContent();
  assert.ok(title.length > 10 && !heard.some((text) => text.includes(title)));
  assert.ok((await one.locator(".evidence .tag").count()) > 0);
  await shot(one, "truth");
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

test("a sweep is followed while it runs", async () => {
  const one = await open("#/live", ".card");
  const sweep = start(["run", "--suite", "srezero-40", "--agents", "random,runbook", "--episodes", "60", "--jobs", "1", "--out", `${place.path}/running`]);
  try {
    await one.waitForSelector(".card.running", { timeout: 20_000 });
    const done = async () => Number(((await one.locator(".card.running .facts dd").first().textContent()) ?? "").replace(/ of.*|,/g, ""));
    const before = await done();
    await until(one, (n) => Number((document.querySelector(".card.running .facts dd")?.textContent ?? "0").replace(/ of.*|,/g, "")) > n, before);
    await until(one, () => /a minute/.test(document.querySelector(".card.running")?.textContent ?? ""), null);
    await shot(one, "live-running");
  } finally {
    sweep.kill("SIGINT");
  }
  await until(one, () => !document.querySelector(".card.running"), null);
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});

test("the theme is chosen and kept", async () => {
  const one = await open("#/", ".board tbody tr");
  const ground = () => one.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await one.keyboard.press("t");
  await one.keyboard.press("t");
  assert.notEqual(await ground(), light);
  await one.reload();
  await one.waitForSelector(".board tbody tr");
  assert.notEqual(await ground(), light);
  await one.context().close();
});
