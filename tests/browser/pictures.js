// Pictures of every screen and every report of a folder, for people to look at: two widths, light and dark.
//
//   SRE_ZERO=target/release/sre-zero SHOTS=/tmp/shots node pictures.js RUNS [NAME]
//
// RUNS is a folder of runs; those that have a report are shown with it. NAME stands before the names of the pictures.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { browser, page, shot, viewer } from "./stage.js";

const [root, name = "runs"] = process.argv.slice(2);
const SIZES = [["wide", { width: 1400, height: 900 }], ["phone", { width: 390, height: 844 }]];

const chromium = await browser();
const server = await viewer(root);
const get = async (one, path) => (await one.request.get(new URL(path, server.address).href)).json();

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
  // Questions of every family, and incidents as a model met them: what they share is the beginning of their names.
  const asked = new Map(rows.filter((row) => row.agent.includes("@")).map((row) => [row.task.split(/[-_]/).slice(0, 3).join("-"), row]));
  for (const [task, row] of [...asked].slice(0, 8)) list.push([`model-${task}`, `#/episode?${link(row)}`]);
  const pair = rows.find((row) => rows.some((other) => other.task === row.task && other.seed === row.seed && other.agent !== row.agent));
  const other = pair && rows.find((row) => row.task === pair.task && row.seed === pair.seed && row.agent !== pair.agent);
  if (other) list.push(["pair", `#/pair?${link(pair)}&${link(other).replace("run=", "run2=").replace("key=", "key2=")}`]);
  await one.context().close();
  return list;
}

for (const [screen, hash] of await screens()) {
  for (const [size, viewport] of SIZES) {
    for (const colorScheme of ["light", "dark"]) {
      const one = await page(chromium, server.address, { viewport, colorScheme });
      await one.goto(`${server.address}${hash}`);
      await one.waitForLoadState("networkidle");
      await shot(one, `${name}-${screen}-${size}-${colorScheme}`, { fullPage: true });
      if (one.troubles.length) console.log(screen, size, one.troubles);
      await one.context().close();
    }
  }
}
for (const run of readdirSync(root).filter((run) => existsSync(join(root, run, "report/index.html")))) {
  for (const [size, viewport] of SIZES) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await chromium.newContext({ viewport, colorScheme });
      const one = await context.newPage();
      await one.goto(`file://${join(root, run, "report/index.html")}`);
      await shot(one, `${name}-report-${run}-${size}-${colorScheme}`, { fullPage: true });
      await context.close();
    }
  }
}
await chromium.close();
await server.stop();
