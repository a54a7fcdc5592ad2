// A terminal: a line at a prompt, the lines before it with the arrow keys, and what they printed.

import { h, fill, quoted } from "./dom.js";

/** A terminal; `run(line)` does a line. */
export function terminal(prompt, run) {
  const before = [];
  let at = 0;
  const line = h("textarea.prompt-line", { id: "raw", rows: "1", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "Command line", placeholder: "kubectl get pods" });
  const screen = h("ol.screen", { "aria-label": "Terminal", tabindex: "0" });
  const grow = () => (line.rows = Math.min(12, line.value.split("\n").length));
  const recall = (by) => {
    at = Math.max(0, Math.min(before.length, at + by));
    line.value = before[at] ?? "";
    grow();
  };
  line.addEventListener("input", grow);
  line.addEventListener("keydown", (event) => {
    const isOneLine = !line.value.includes("\n");
    if (event.key === "Enter" && !event.shiftKey) (event.preventDefault(), form.requestSubmit());
    else if (event.key === "ArrowUp" && isOneLine) (event.preventDefault(), recall(-1));
    else if (event.key === "ArrowDown" && isOneLine) (event.preventDefault(), recall(1));
    else if (event.key === "l" && event.ctrlKey) (event.preventDefault(), fill(screen));
  });
  const form = h("form.prompt-form", { onsubmit: (event) => (event.preventDefault(), line.value.trim() && run(line.value)) }, h("span.sign", { "aria-hidden": "true" }, prompt), line, h("button.primary", { type: "submit" }, "Run"));
  return {
    root: h("div.terminal", screen, form),
    line,
    /** All that was typed and answered so far. */
    show(said) {
      fill(screen, said.map((one, index) => h("li.step", h("div.typed-line", h("span.sign", prompt), h("code.call", one.text), h("span.spring"), one.invalid ? h("span.tag.bad", "invalid") : null, h("span.time", one.time)), quoted(one.observation, `Answer to line ${index + 1}`))));
      before.splice(0, before.length, ...said.map((one) => one.text));
      at = before.length;
      screen.scrollTop = screen.scrollHeight;
    },
    /** Waits for an answer. */
    wait(isWaiting) {
      line.disabled = isWaiting;
      form.classList.toggle("waiting", isWaiting);
      if (!isWaiting) ((line.value = ""), grow(), line.focus({ preventScroll: true }));
    },
  };
}
