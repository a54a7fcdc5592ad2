// What an agent and its model said to each other, call by call, as it is on disk: requests of every provider's shape.

import { get } from "./api.js";
import { h, fill, quoted } from "./dom.js";
import { count, number } from "./format.js";

/** A section that is filled when it is opened; nothing for an agent without a model. */
export function conversation(run, key, steps, named) {
  const paid = steps.map((step) => step.model).filter(Boolean);
  if (!paid.length) return null;
  const cost = paid.reduce((sum, turn) => sum + (turn.cost_usd ?? 0), 0);
  const priced = paid.every((turn) => turn.cost_usd !== undefined && turn.cost_usd !== null);
  const sum = (part) => paid.reduce((all, turn) => all + turn.usage[part], 0).toLocaleString("en");
  const calls = paid.reduce((all, turn) => all + turn.calls, 0);
  const body = h("div.talk", h("p.loading", "Reading what was said…"));
  const about = `${count(calls, "call")}, ${sum("input")} tokens in, ${sum("output")} out, ${priced ? `$${number(cost, 4)}` : "price not known"}`;
  const box = h("details.conversation", h("summary", h("strong", "Conversation"), h("span.muted", ` ${about}`)), body);
  let asked = false;
  box.addEventListener("toggle", () => {
    if (!box.open || asked) return;
    asked = true;
    get("/api/exchanges", { run, key }).then(
      (found) => fill(body, told(found.entries, steps, named)),
      (error) => fill(body, h("p.notice", "It cannot be shown: ", error.message)),
    );
  });
  return h("section", { "aria-label": named("Conversation") }, box);
}

function told(entries, steps, named) {
  let before = { system: "", turns: [] };
  const cost = (step) => steps.find((one) => one.index === step)?.model?.cost_usd;
  let number_ = 0;
  return entries.map((entry) => {
    if (entry.line === "attempt") return h("p.notice.bad", `Try ${entry.attempt} failed: ${entry.fault}${entry.status ? `, status ${entry.status}` : ""}, after ${entry.took_ms} ms. ${entry.message}`);
    const now = asked(entry.request);
    const same = now.turns.findIndex((turn, at) => before.turns[at]?.text !== turn.text || before.turns[at]?.role !== turn.role);
    const old = same < 0 ? now.turns.length : same;
    const told = call(entry, now, { old, system: now.system !== before.system, number: (number_ += 1), cost: cost(entry.step), named });
    before = now;
    return told;
  });
}

function call(entry, now, { old, system, number: at, cost, named }) {
  const label = (text) => named(`${text} of call ${at}`);
  const answered = entry.reply.answered;
  const answer = answered ? answerOf(answered.body) : { text: "", thought: "", usage: "" };
  const facts = [`step ${entry.step}`, `${entry.took_ms} ms`, entry.attempts > 1 ? `${entry.attempts} tries` : null, answer.usage, cost ? `$${number(cost, 4)} for the step` : null].filter(Boolean);
  return h(
    "section.call-of-model", { "aria-label": named(`Call ${at}`) },
    h("p.call-head", h("strong", `Call ${at}`), h("span.muted", ` ${facts.join(", ")}`)),
    system ? said("system", now.system, label) : null,
    old ? h("p.muted", `${count(old, "earlier message")} as before`) : null,
    now.turns.slice(old).map((turn) => said(turn.role, turn.text, label)),
    answer.thought ? said("thought", answer.thought, label) : null,
    answered ? said("answer", answer.text, label) : h("p.notice.bad", `No answer: ${entry.reply.failed.fault}. ${entry.reply.failed.message}`),
  );
}

const said = (role, text, label) => h(`div.said.${role}`, h("span.role", role), quoted(text, label(role)));

/** The system message and the turns of a request, whatever interface it is for. */
function asked(request) {
  const list = request.messages ?? request.input ?? request.contents ?? [];
  const turns = (Array.isArray(list) ? list : [{ role: "user", content: list }]).map((one) => ({ role: one.role ?? one.type ?? "user", text: textOf(one) }));
  const first = turns.filter((turn) => turn.role === "system" || turn.role === "developer").map((turn) => turn.text);
  const own = [request.system, request.instructions, request.systemInstruction].filter(Boolean).map(textOf);
  return { system: [...own, ...first].join("\n\n"), turns: turns.filter((turn) => turn.role !== "system" && turn.role !== "developer") };
}

/** The text in a message: its content, parts, calls and results. */
function textOf(one) {
  if (one === null || one === undefined) return "";
  if (typeof one === "string") return one;
  if (Array.isArray(one)) return one.map(textOf).filter(Boolean).join("\n");
  const called = one.function ?? one.functionCall ?? one.toolUse ?? (one.type === "tool_use" || one.type === "function_call" ? one : null);
  if (called?.name) return `${called.name} ${plain(called.arguments ?? called.args ?? called.input ?? "")}`;
  const result = one.toolResult ?? one.functionResponse;
  if (result) return textOf(result.content ?? result.response);
  return [one.text, one.content, one.parts, one.output, one.tool_calls, one.message, one.json ? plain(one.json) : null].map(textOf).filter(Boolean).join("\n");
}

const plain = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** What came back: the words, the reasoning where it is told, and the tokens. */
function answerOf(body) {
  let found;
  try {
    found = JSON.parse(body);
  } catch {
    return { text: body, thought: "", usage: "" };
  }
  const message = found.choices?.[0]?.message ?? found.output?.message ?? found.candidates?.[0]?.content ?? { content: found.content ?? found.output };
  const thoughts = [message.reasoning, message.reasoning_content, ...(Array.isArray(message.content) ? message.content.map((part) => part.thinking ?? part.reasoningContent?.reasoningText?.text) : [])];
  const usage = found.usage ?? found.usageMetadata ?? {};
  const into = usage.prompt_tokens ?? usage.input_tokens ?? usage.inputTokens ?? usage.promptTokenCount;
  const out = usage.completion_tokens ?? usage.output_tokens ?? usage.outputTokens ?? usage.candidatesTokenCount;
  const tokens = into === undefined ? "" : `${into.toLocaleString("en")} tokens in, ${(out ?? 0).toLocaleString("en")} out`;
  return { text: textOf(message) || body, thought: thoughts.filter(Boolean).join("\n"), usage: tokens };
}
