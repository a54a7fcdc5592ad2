// Text that others wrote does nothing but be read, and no other site's page may use the viewer.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, folder, page, shot, sreZero, TOKEN, viewer } from "./stage.js";

const EVIL = [
  "<script>window.hit = 1</script>",
  "<img src=x onerror=\"window.hit = 1\">",
  "<svg onload=window.hit=1>",
  "javascript:window.hit=1",
  "</pre><h1 id=broken>broken</h1>",
  "{{constructor.constructor('window.hit=1')()}}",
  "\u001b[31mred\u001b[0m \u0007\u0000\u0008 \u202egnp.exe\u202c \u200b",
].join("\n");
const MEGABYTE = "A".repeat(1_000_000);
let place, server, chromium;

before(async () => {
  place = folder();
  const run = join(place.path, "evil");
  sreZero(["run", "--suite", "easy", "--agents", "runbook", "--episodes", "1", "--out", run]);
  const index = join(run, "episodes.jsonl");
  const [first, ...rest] = readFileSync(index, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const evil = { ...first, key: `evil<img src=x onerror="window.hit=1">/${first.task}/0`, agent: "evil<img src=x onerror=\"window.hit=1\">", suite: "<b>suite</b>" };
  writeFileSync(index, [evil, ...rest].map((line) => JSON.stringify(line)).join("\n") + "\n");
  const old = join(run, "records", `${first.key}.jsonl`);
  const events = readFileSync(old, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  events[0].agent = evil.agent;
  events[0].model = { provider: "<i>p</i>", model: "<script>window.hit=1</script>", prompt: "x" };
  events.filter((event) => event.event === "stepped").forEach((step, at) => {
    if (at === 0) step.observation = EVIL;
    if (at === 1) step.observation = MEGABYTE;
    step.text = `${EVIL} ${step.text}`;
    step.model = { calls: 1, output: EVIL + MEGABYTE, reasoning: EVIL, usage: { input: 10, output: 20, reasoning: 0, cached: 0 } };
  });
  events.find((event) => event.event === "paged").brief = EVIL;
  const fresh = join(run, "records", `${evil.key}.jsonl`);
  mkdirSync(join(fresh, ".."), { recursive: true });
  writeFileSync(fresh, events.map((event) => JSON.stringify(event)).join("\n") + "\n");
  server = await viewer(place.path);
  chromium = await browser();
});

after(async () => {
  await chromium?.close();
  await server?.stop();
  place?.remove();
});

test("hostile text is only read", async () => {
  const one = await page(chromium, server.address);
  for (const [hash, selector] of [["#/", ".board tbody tr"], ["#/episodes?q=evil", ".episodes tbody a"], ["#/live", ".card"]]) {
    await one.goto(`${server.address}${hash}`);
    await one.waitForSelector(selector);
    await shot(one, `hostile-${selector.replace(/\W/g, "")}`);
    assert.equal(await one.locator("#broken, main img").count(), 0);
  }
  await one.goto(`${server.address}#/episodes?sort=agent`);
  await one.click(".episodes tbody tr:has-text('evil<img') a");
  await one.waitForSelector(".story-page");
  for (const summary of await one.locator("li.step summary, .brief summary").all()) await summary.click();
  const text = await one.locator("li.step").first().textContent();
  assert.ok(text.includes("<script>window.hit = 1</script>"), "it is shown to the letter");
  assert.ok(!/[\u0000-\u0008\u001b\u202e]/.test(text), "control characters do nothing");
  assert.equal(await one.locator("#broken, main img, main script").count(), 0);
  assert.equal(await one.evaluate(() => window.hit), undefined);
  assert.ok((await one.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 1, "long lines are folded");
  const drawn = await one.evaluate(() => document.body.textContent.length);
  assert.ok(drawn < 200_000, `${drawn} characters are drawn at once`);
  await one.locator("button.more").first().click();
  await shot(one, "hostile-episode");
  assert.deepEqual(one.troubles.filter((text) => !text.includes("422")), []);
  await one.context().close();
});

/** A request as no browser of ours would send it. */
function ask(path, { method = "GET", headers = {}, body } = {}) {
  const { port } = new URL(server.address);
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } }, (answer) => {
      let text = "";
      answer.on("data", (bytes) => (text += bytes));
      answer.on("end", () => resolve({ status: answer.statusCode, text, headers: answer.headers }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

test("strangers are turned away", async () => {
  const { port } = new URL(server.address);
  const known = { cookie: `sre-zero-${port}=${TOKEN}` };
  const status = async (path, options = {}) => (await ask(path, { ...options, headers: { ...known, ...options.headers } })).status;
  // Programs of the same machine, agents under test among them, do not have the token.
  for (const path of ["/", "/main.js", "/api/runs", "/api/truth"]) assert.equal((await ask(path)).status, 401, path);
  assert.equal(await status("/api/runs"), 200);
  assert.equal(await status("/api/runs", { headers: { host: `evil.example:${port}` } }), 403);
  assert.equal(await status("/", { headers: { host: "evil.example" } }), 403);
  assert.equal(await status("/api/runs", { headers: { "sec-fetch-site": "cross-site" } }), 403);
  const opened = await ask(`/?token=${TOKEN}`);
  assert.match(opened.headers["set-cookie"][0], /HttpOnly; SameSite=Lax/);
  const token = opened.text.match(/name="token" content="([0-9a-f]+)"/)[1];
  const start = (headers) => status("/api/play/start", { method: "POST", headers, body: JSON.stringify({ name: "eve" }) });
  const own = `http://127.0.0.1:${port}`;
  assert.equal(await start({}), 403);
  assert.equal(await start({ origin: own }), 403);
  assert.equal(await start({ origin: "http://evil.example", "x-sre-zero-token": token }), 403);
  assert.equal(await start({ origin: own, "x-sre-zero-token": "0".repeat(48) }), 403);
  assert.equal(await start({ origin: own, "x-sre-zero-token": token }), 200);
  for (const path of ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2fCargo.toml", "/web/main.js"]) assert.equal(await status(path), 404, path);
  for (const run of ["..", "/etc", "evil/../evil", "%00"]) assert.equal(await status(`/api/episode?run=${run}&key=x`), 404, run);
  const { headers } = await ask("/", { headers: known });
  assert.match(headers["content-security-policy"], /default-src 'none'.*script-src 'self'/);
  assert.equal(headers["access-control-allow-origin"], undefined);
  // A surprise may be a task that has tools or noise of its own, which the folder's name then says.
  assert.ok(readdirSync(place.path).some((name) => name.startsWith("human-eve")));
});
