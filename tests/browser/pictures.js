// Pictures of every screen and every report of a folder, for people to look at: two widths, light and dark.
//
//   SRE_ZERO=target/release/sre-zero SHOTS=/tmp/shots node pictures.js RUNS [NAME]
//
// RUNS is a folder of runs; those that have a report are shown with it. NAME stands before the names of the pictures. A long page
// is cut into pieces that can be looked at. What a machine sees is printed: errors, pages that are too wide, overprinted words.
// Incidents are played and a run is made for these pictures in RUNS, so give it a folder that may be thrown away.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { browser, page, shot, start, until, viewer } from "./stage.js";

const [folder, name = "runs"] = process.argv.slice(2);
const root = resolve(folder);
const SIZES = [["wide", { width: 1400, height: 900 }], ["phone", { width: 390, height: 844 }]];
const LOOKS = SIZES.flatMap(([size, viewport]) => ["light", "dark"].map((colorScheme) => [`${size}-${colorScheme}`, { viewport, colorScheme }]));
const PIECE = 1600;
const { cluster, play } = JSON.parse(readFileSync(new URL("cases.json", import.meta.url)));

const chromium = await browser();
const server = await viewer(root);
const get = async (one, path) => (await one.request.get(new URL(path, server.address).href)).json();

/** The whole page in pieces, and what is wrong with it as far as a machine can tell. */
async function pieces(one, called) {
  await one.evaluate(() => scrollTo(0, 0));
  const { width } = one.viewportSize();
  const height = await one.evaluate(() => document.documentElement.scrollHeight);
  for (let at = 0; at * PIECE < height; at += 1) {
    const clip = { x: 0, y: at * PIECE, width, height: Math.min(PIECE, height - at * PIECE) };
    await shot(one, `${name}-${called}${height > PIECE ? `-${at + 1}` : ""}`, { fullPage: true, clip });
  }
  const wrong = await one.evaluate(() => {
    const found = [];
    const over = document.documentElement.scrollWidth - innerWidth;
    if (over > 1) found.push(`${over} px too wide`);
    for (const drawing of document.querySelectorAll("svg")) {
      const words = [...drawing.querySelectorAll("text")].filter((text) => text.textContent.trim() && !text.hasAttribute("transform") && getComputedStyle(text).visibility !== "hidden" && getComputedStyle(text).opacity > 0.2);
      const boxes = words.map((text) => text.getBoundingClientRect());
      for (let a = 0; a < boxes.length; a += 1) {
        for (let b = a + 1; b < boxes.length; b += 1) {
          const wide = Math.min(boxes[a].right, boxes[b].right) - Math.max(boxes[a].left, boxes[b].left);
          const high = Math.min(boxes[a].bottom, boxes[b].bottom) - Math.max(boxes[a].top, boxes[b].top);
          if (wide > 2 && high > 4) found.push(`overprinted: ${words[a].textContent.trim()} | ${words[b].textContent.trim()}`);
        }
      }
    }
    return found;
  });
  for (const problem of [...wrong, ...(one.troubles ?? [])]) console.log(`${called}: ${problem}`);
}

/** The screens, with an episode of each kind that the folder has. */
async function screens() {
  const one = await page(chromium, server.address);
  await one.goto(server.address);
  const found = await get(one, "/api/episodes?limit=1000");
  const rows = found.rows.map((row) => Object.fromEntries(found.columns.map((column, at) => [column, row[at]])));
  const link = (row) => `run=${encodeURIComponent(row.run)}&key=${encodeURIComponent(row.key)}`;
  const list = [["overview", "#/"], ["episodes", "#/episodes"], ["live", "#/live"], ["play", "#/play"]];
  const agents = new Map(rows.map((row) => [row.agent, row]));
  for (const [agent, row] of [...agents].slice(0, 4)) list.push([`episode-${agent.replace(/\W+/g, "-")}`, `#/episode?${link(row)}`]);
  const longest = [...agents.keys()].sort((a, b) => b.length - a.length)[0];
  for (const agent of new Set(["runbook", longest])) if (agents.has(agent)) list.push([`agent-${agent.replace(/\W+/g, "-")}`, `#/agent?agent=${encodeURIComponent(agent)}`]);
  // Questions of every family, and incidents as a model met them: what they share is the beginning of their names.
  const asked = new Map(rows.filter((row) => row.agent.includes("@")).map((row) => [row.task.split(/[-_]/).slice(0, 3).join("-"), row]));
  for (const [task, row] of [...asked].slice(0, 8)) list.push([`model-${task}`, `#/episode?${link(row)}`]);
  const pair = rows.find((row) => rows.some((other) => other.task === row.task && other.seed === row.seed && other.agent !== row.agent));
  const other = pair && rows.find((row) => row.task === pair.task && row.seed === pair.seed && row.agent !== pair.agent);
  if (other) list.push(["pair", `#/pair?${link(pair)}&${link(other).replace("run=", "run2=").replace("key=", "key2=")}`]);
  await one.context().close();
  return list;
}

/** Opens a screen in every look, does something there, and takes its picture. */
async function inEveryLook(screen, hash, act = async () => {}) {
  for (const [look, options] of LOOKS) {
    const one = await page(chromium, server.address, options);
    try {
      await one.goto(`${server.address}${hash}`);
      await one.waitForLoadState("networkidle");
      await act(one, look);
      await pieces(one, `${screen}-${look}`);
    } catch (error) {
      console.log(`${screen}-${look}: ${error.message}`);
    }
    await one.context().close();
  }
}

/** A person plays: chooses a task by name and types lines. */
const playing = (task, ready, lines) => async (one, look) => {
  await one.fill("#name", look);
  await one.click("summary:has-text('tasks')");
  await one.fill("#find", task);
  await one.click(`button[aria-label='Play ${task}']`);
  await one.waitForSelector(ready, { timeout: 120_000 });
  for (const line of lines) {
    await one.fill("#raw", line);
    await one.press("#raw", "Enter");
    await until(one, (line) => document.querySelector("#raw").value !== line, line, 60_000);
  }
  await one.waitForLoadState("networkidle");
};

for (const [screen, hash] of await screens()) {
  await inEveryLook(screen, hash, async (one) => {
    const talk = one.locator("details.conversation > summary");
    if (await talk.count()) await talk.first().click();
    await one.waitForLoadState("networkidle");
  });
}
await inEveryLook("game", "#/play", playing(play.task, ".tools button", ["list_alerts()", play.typed, "inspect_logs(database)", "nonsense"]));
await inEveryLook("terminal", "#/play", playing(cluster.task, ".terminal .prompt-line", ["kubectl get pods | head -4", "kubectl get nosuchthing"]));

const agent = `exec:python3 ${new URL("slow_agent.py", import.meta.url).pathname}`;
const worker = start(["run", "--tasks", cluster.task, "--agents", agent, "--episodes", "1", "--fresh", "--out", join(root, "at-work")]);
const ended = new Promise((done) => worker.on("exit", done));
await inEveryLook("live-at-work", "#/live", async (one) => one.waitForSelector(".under-way a", { timeout: 60_000 }));
await inEveryLook("cluster-at-work", "#/live", async (one) => {
  await one.click(".under-way a", { timeout: 60_000 });
  await one.waitForSelector("ol.course .typed-line", { timeout: 120_000 });
});
worker.kill("SIGINT");
await ended;

for (const run of readdirSync(root).filter((run) => existsSync(join(root, run, "report/index.html")))) {
  for (const [look, options] of LOOKS) {
    const context = await chromium.newContext(options);
    const one = await context.newPage();
    await one.goto(`file://${join(root, run, "report/index.html")}`);
    await pieces(one, `report-${run}-${look}`);
    await context.close();
  }
}
await chromium.close();
await server.stop();
