// Takes the pictures of the documents that show figures: the report and the viewer's overview of one run.
//
//   sre-zero run --out /tmp/pics/srezero-40 && sre-zero report /tmp/pics/srezero-40
//   SRE_ZERO=target/release/sre-zero node tests/browser/images.js /tmp/pics srezero-40

import { join, resolve } from "node:path";
import { browser, page, viewer } from "./stage.js";

const [folder, run] = process.argv.slice(2);
const root = resolve(folder);
const images = new URL("../../docs/images/", import.meta.url).pathname;
const chromium = await browser();

/** One page, as high as the document has room for it. */
async function take(name, open, viewport) {
  const one = await open(viewport);
  await one.waitForLoadState("networkidle");
  await one.screenshot({ path: join(images, name) });
  await one.context().close();
}

await take("report.png", async (viewport) => {
  const one = await (await chromium.newContext({ viewport })).newPage();
  await one.goto(`file://${join(root, run, "report/index.html")}`);
  return one;
}, { width: 1200, height: 1120 });

const server = await viewer(root);
await take("viewer-overview.png", async (viewport) => {
  const one = await page(chromium, server.address, { viewport });
  await one.goto(`${server.address}#/?run=${encodeURIComponent(run)}`);
  return one;
}, { width: 1320, height: 460 });
await server.stop();
await chromium.close();
