// Ten thousand episodes that the real program played: the first screen, the table and an episode are
// there at once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser, folder, page, shot, sreZero, until, viewer } from "./stage.js";

const EPISODES = 10_000;
// Machines that test are often busy; what people are promised stands behind it, and is printed.
const PATIENCE = Number(process.env.PATIENCE ?? 3);
let place, server, chromium;

before(async () => {
  place = folder();
  sreZero(["run", "--suite", "srezero-40", "--agents", "random", "--episodes", String(EPISODES / 40), "--out", `${place.path}/many`]);
  chromium = await browser();
  server = await viewer(place.path);
});

after(async () => {
  await chromium?.close();
  await server?.stop();
  place?.remove();
});

async function timed(act) {
  const begin = performance.now();
  await act();
  return performance.now() - begin;
}

function promised(name, took, limit) {
  console.log(`    ${name}: ${took.toFixed(0)} ms (promised: ${limit} ms)`);
  assert.ok(took < limit * PATIENCE, `${name} took ${took.toFixed(0)} ms`);
}

test("ten thousand episodes open in less than a second", async () => {
  const one = await page(chromium, server.address);
  await one.goto("about:blank");
  const first = await timed(async () => {
    await one.goto(server.address);
    await one.waitForSelector(".board tbody tr");
  });
  promised("first screen, the server's first look at the files included", first, 1000);
  assert.match(await one.locator(".section-head").first().textContent(), /10,000 episodes/);
  const again = await timed(async () => {
    await one.reload();
    await one.waitForSelector(".board tbody tr");
  });
  promised("first screen again", again, 1000);
  const table = await timed(async () => {
    await one.click("nav >> text=Episodes");
    await one.waitForSelector(".episodes tbody a");
  });
  promised("table of episodes", table, 1000);
  const drawn = await one.locator(".episodes tbody tr").count();
  assert.ok(drawn < 100, `${drawn} rows are drawn`);
  const middle = await timed(async () => {
    await one.evaluate(() => (document.querySelector(".tall").scrollTop = 5000 * 36));
    await until(one, () => [...document.querySelectorAll(".episodes tbody tr:not(.spacer)")].some((row) => row.getAttribute("aria-rowindex") === "5010" && row.querySelector("a")));
  });
  promised("jump into the middle", middle, 300);
  await shot(one, "many");
  const search = await timed(async () => {
    await one.fill("[data-search]", "hard success");
    await until(one, () => / of 10,000 episodes/.test(document.querySelector(".table-head").textContent));
  });
  promised("search", search, 500);
  const hash = await one.locator(".episodes tbody a").first().getAttribute("href");
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    await one.goto(`${server.address}#/episodes?seed=${round * 7}`);
    await one.waitForSelector(".episodes tbody a");
    times.push(
      await timed(async () => {
        await one.locator(".episodes tbody a").first().click();
        await one.waitForSelector(".service .chart svg");
      }),
    );
  }
  assert.ok(hash.startsWith("#/episode?"));
  times.sort((a, b) => a - b);
  promised("an episode with its charts, the middle of five", times[2], 300);
  assert.deepEqual(one.troubles, []);
  await one.context().close();
});
