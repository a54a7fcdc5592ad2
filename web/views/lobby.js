// Before a game: who plays, and what.

import { get, post, url } from "../api.js";
import { h, fill } from "../dom.js";
import { count } from "../format.js";
import { keysOf } from "../keys.js";

export async function draw(main, params, { isCurrent }) {
  const [tasks, games, all] = await Promise.all([get("/api/tasks"), get("/api/games"), get("/api/runs")]);
  if (!isCurrent()) return;
  if (all.single) {
    fill(main, h("div.welcome", h("h1", "Play"), h("p", "This viewer shows a single run. To play, start ", h("code", "sre-zero view"), " on the folder that holds your runs.")));
    return {};
  }
  const lobby = new Lobby(tasks, all.runs);
  fill(
    main,
    h("header.section-head", h("h1", "Play"), h("p.muted", "You are on call. Find the cause, put it right, say so. What you do is recorded as a human baseline.")),
    games.length ? open(games) : null,
    lobby.root,
  );
  keysOf("Play", [["s", "Surprise me", () => lobby.start({})]]);
  return { title: "Play" };
}

function open(games) {
  return h(
    "section.card",
    h("h2", "Open incidents"),
    h("ul.plain", games.map((game) => h("li", h("a", { href: url("#/game", { session: game.session }) }, game.incident), h("span.muted", ` ${game.name}, step ${game.steps} of ${game.budget}`)))),
  );
}

class Lobby {
  constructor(tasks, runs) {
    this.tasks = tasks;
    // A person is paired with agents, not with other people.
    this.like = select("like", runs.filter((run) => !run.id.includes("human-") && !["skills", "terraform", "terraform-generated"].includes(run.suite)).map((run) => [run.id, run.id]));
    this.trouble = h("p.notice.bad", { role: "alert", hidden: true });
    this.name = h("input", { id: "name", maxlength: "40", pattern: "[A-Za-z0-9_-]+", value: localStorage.getItem("name") ?? "", autocomplete: "off", spellcheck: "false", placeholder: "ada" });
    this.toolset = select("tools", [["classic", "classic: the eight published actions"], ["full", "full: everything at hand"]]);
    this.noise = select("noise", [["0", "0: clean telemetry"], ["1", "1"], ["2", "2"], ["3", "3: very imperfect"]]);
    this.difficulty = select("difficulty", [["", "any"], ["easy", "easy"], ["medium", "medium"], ["hard", "hard"]]);
    this.seed = h("input", { id: "seed", type: "number", min: "0", value: "0" });
    this.find = h("input", { id: "find", type: "search", placeholder: "Filter tasks…", dataset: { search: "" }, oninput: () => this.list() });
    this.rows = h("tbody");
    this.root = h(
      "div.lobby",
      this.trouble,
      h("section.card", h("h2", "You"), h("div.fields", field("name", "Your name", this.name, "letters, digits, - and _"), field("tools", "Tools", this.toolset), field("noise", "Noise", this.noise))),
      this.like.options.length
        ? h(
            "section.card",
            h("h2", "Beside a run"),
            h("p.muted", "The next incident of a run that you have not had, with its tools and its noise. Each has its pair among the agents' episodes, so the report ranks you beside them."),
            h("div.fields", field("like", "Run", this.like), h("button.primary", { type: "button", id: "beside", onclick: () => this.start({ like: this.like.value }) }, "Next incident")),
          )
        : null,
      h(
        "section.card",
        h("h2", "A surprise"),
        h("p.muted", "An incident that you do not know. The page learns which one it was only when it is over."),
        h("div.fields", field("difficulty", "Difficulty", this.difficulty), h("button.primary", { type: "button", id: "surprise", onclick: () => this.start({}) }, "Surprise me")),
      ),
      h(
        "section.card",
        h("h2", "A problem in a cluster"),
        h("p.muted", "A Kubernetes cluster in which something is broken, and a terminal with kubectl. Setting it up takes some seconds."),
        h("div.fields", h("button.primary", { type: "button", id: "cluster-surprise", onclick: () => this.start({ cluster: true }) }, "Open a terminal")),
      ),
      h(
        "section.card",
        h("h2", "A task by name"),
        h("p.muted", "Beware: a task's name may tell its cause."),
        h("details", h("summary", `Show ${count(tasks.length, "task")}`), h("div.fields", field("find", "Find", this.find), field("seed", "Seed", this.seed)), h("div.scroll.list", { tabindex: "0", role: "region", "aria-label": "Tasks" }, h("table", h("thead", h("tr", ["Task", "Difficulty", "Split", "Steps", "Suites", "Play"].map((n) => h("th", { scope: "col" }, n)))), this.rows))),
      ),
    );
    this.list();
  }

  list() {
    const text = this.find.value.toLowerCase();
    const fits = (task) => [task.id, task.difficulty, task.split, ...task.suites].join(" ").toLowerCase().includes(text);
    fill(
      this.rows,
      this.tasks.filter(fits).map((task) =>
        h("tr", h("th", { scope: "row" }, task.id), h("td", task.difficulty), h("td", task.split), h("td.num", task.steps ?? "60"), h("td", task.suites.join(", ")), h("td", h("button", { type: "button", "aria-label": `Play ${task.id}`, onclick: () => this.start({ task: task.id, seed: Number(this.seed.value) || 0 }) }, "Play"))),
      ),
    );
  }

  async start(wish) {
    localStorage.setItem("name", this.name.value);
    this.trouble.hidden = true;
    try {
      const body = { name: this.name.value.trim(), tools: this.toolset.value, noise: Number(this.noise.value), ...wish };
      if (!wish.task && !wish.like && !wish.cluster && this.difficulty.value) body.difficulty = this.difficulty.value;
      const game = await post("/api/play/start", body);
      location.hash = url("/game", { session: game.session });
    } catch (error) {
      this.trouble.textContent = error.message;
      this.trouble.hidden = false;
      this.name.focus();
    }
  }
}

const select = (id, options) => h("select", { id }, options.map(([value, text]) => h("option", { value }, text)));

const field = (id, label, control, hint) => h("div.field", h("label", { for: id }, label), control, hint ? h("span.hint", hint) : null);
