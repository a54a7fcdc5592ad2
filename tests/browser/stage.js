// What every test needs: a folder of runs that the real program made, its viewer, and a browser.

import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const program = process.env.SRE_ZERO;
if (!program) throw new Error("say where the program is: SRE_ZERO=target/release/sre-zero (run.sh does)");

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A folder of the test's own. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "sre-zero-browser-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs the program to its end; gives what it printed. */
export function sreZero(args, options = {}) {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], ...options });
}

/** Starts the program and leaves it running. */
export function start(args, options = {}) {
  return spawn(program, args, { stdio: "ignore", ...options });
}

/** What the viewers of the tests ask for. */
export const TOKEN = "0123456789abcdef0123456789abcdef";

/** The viewer of a folder: its address, and how to stop it. */
export async function viewer(path) {
  const env = { ...process.env, SRE_ZERO_VIEW_TOKEN: TOKEN };
  const child = spawn(program, ["view", path, "--port", "0"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const address = await new Promise((resolve, reject) => {
    let told = "";
    child.stderr.on("data", (bytes) => {
      told += bytes;
      const found = told.match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (found) resolve(found[0]);
    });
    child.on("exit", () => reject(new Error(`the viewer ended: ${told}`)));
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return { address, stop: () => (child.kill("SIGINT"), ended) };
}

/** A browser. */
export function browser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** A page that notes every error, every dialog and every request that leaves the viewer. */
export async function page(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, colorScheme: "light", reducedMotion: "reduce", ...options });
  // As a browser has it that opened the printed address before.
  await context.addCookies([{ name: `sre-zero-${new URL(address).port}`, value: TOKEN, url: address }]);
  const page = await context.newPage();
  page.troubles = [];
  page.on("pageerror", (error) => page.troubles.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && page.troubles.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) page.troubles.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => (page.troubles.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  return page;
}

const shots = process.env.SHOTS ?? new URL("shots", import.meta.url).pathname;

/** A picture for people. */
export async function shot(page, name, options = {}) {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), ...options });
}

/** Waits until something holds on the page. Asked from outside: the page's policy forbids evaluation. */
export async function until(page, holds, arg = null, timeout = 20_000) {
  const end = Date.now() + timeout;
  while (!(await page.evaluate(holds, arg))) {
    if (Date.now() > end) throw new Error(`it never came to be: ${holds}`);
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
  }
}
