//! A Harbor task: the incident runs in a container of its own beside the agent's and shares its loopback.

use harness::{Scenario, ToolSet};

/// The folder in which the incident keeps its records, as the verifier sees it.
const RECORDS: &str = "/incident";

/// What a task is made of.
pub struct HarborTask<'a> {
    /// Its name, which says nothing of the cause.
    pub name: &'a str,
    /// The incident.
    pub scenario: &'a Scenario,
    /// The tools at hand.
    pub tools: ToolSet,
    /// The image of the program.
    pub image: &'a str,
}

impl HarborTask<'_> {
    /// The files of its folder, by path.
    pub fn files(&self) -> [(&'static str, String); 6] {
        [
            ("task.toml", self.card()),
            ("instruction.md", self.instruction()),
            ("environment/Dockerfile", DOCKERFILE.to_string()),
            ("environment/docker-compose.yaml", self.compose()),
            ("solution/solve.sh", self.solution()),
            ("tests/test.sh", VERIFIER.replace("RECORDS", RECORDS)),
        ]
    }

    fn card(&self) -> String {
        let task = self.scenario.task();
        format!(
            "schema_version = \"1.4\"\n\n[task]\nname = \"sre-zero/{}\"\ndescription = \"An incident in a simulated company\"\n\n\
             [metadata]\ndifficulty = \"{}\"\ncategory = \"incident-response\"\nseed = {}\n\n[agent]\ntimeout_sec = 1800.0\n\n\
             [verifier]\ntimeout_sec = 60.0\n\n[environment]\ncpus = 1\nmemory_mb = 1024\n\n[[environment.mcp_servers]]\n\
             name = \"incident\"\ntransport = \"streamable-http\"\nurl = \"http://127.0.0.1:8000/mcp\"\n",
            self.name,
            task.difficulty.text(),
            self.scenario.seed()
        )
    }

    fn instruction(&self) -> String {
        format!(
            "{}\n\n## How to act\n\nThe tools above are those of the MCP server `incident`. Without MCP, use HTTP:\n\n```sh\n\
             curl -s http://127.0.0.1:8000/episode/reset -d '{{}}'      # once; the answer holds session_id and the page\n\
             curl -s http://127.0.0.1:8000/episode/step -d '{{\"session_id\": \"...\", \"raw_action\": \"check_status(SERVICE)\"}}'\n```\n\n\
             There is one incident. The first episode that ends is the one that counts.\n",
            self.scenario.brief(self.tools).text.trim_end()
        )
    }

    /// The incident listens on the loopback of the agent's container, so no token is needed, and one client plays at a time.
    fn compose(&self) -> String {
        let (task, seed) = (self.scenario.task(), self.scenario.seed());
        let words = [
            "serve",
            "--task",
            &task.id,
            "--seed",
            &seed.to_string(),
            "--tools",
            &self.tools.to_string(),
            "--noise",
            &self.scenario.noise().0.to_string(),
            "--agent",
            "harbor",
            "--max-sessions",
            "1",
            "--out",
            "/runs/harbor",
        ]
        .map(|word| format!("\"{word}\""))
        .join(", ");
        format!(
            "services:\n  main:\n    volumes:\n      - incident-records:{RECORDS}:ro\n  incident:\n    image: {}\n    network_mode: \"service:main\"\n    \
             command: [{words}]\n    volumes:\n      - incident-records:/runs\nvolumes:\n  incident-records:\n",
            self.image
        )
    }

    fn solution(&self) -> String {
        let steps = self.scenario.solution();
        let quoted = |call: &String| {
            let json = serde_json::Value::String(call.clone()).to_string();
            format!("act '{}'\n", json.replace('\'', "'\\''"))
        };
        let steps: String = steps.iter().map(quoted).collect();
        format!(
            "#!/bin/sh\n# The task's own solution, over HTTP.\nset -eu\nserver=http://127.0.0.1:8000\nsession=$(curl -sS --retry 30 \
             --retry-delay 1 --retry-all-errors \"$server/episode/reset\" -d '{{\"seed\": {}}}' | sed 's/.*\"session_id\":\"\\([^\"]*\\)\".*/\\1/')\n\
             act() {{\n    curl -sS \"$server/episode/step\" -d \"{{\\\"session_id\\\": \\\"$session\\\", \\\"raw_action\\\": $1}}\" >/dev/null\n}}\n{steps}",
            self.scenario.seed()
        )
    }
}

const DOCKERFILE: &str = "\
FROM debian:12-slim
RUN apt-get update -qq && apt-get install --yes --quiet --no-install-recommends ca-certificates curl
WORKDIR /app
";

const VERIFIER: &str = r#"#!/bin/sh
# The first episode that was finished counts; without one there is no reward.
line=$(head -n 1 RECORDS/harbor/episodes.jsonl 2>/dev/null)
field() {
    printf '%s' "$line" | sed -n "s/.*\"$1\":\([-0-9.eE+a-z]*\)[,}].*/\1/p"
}
reward=$(field reward)
success=0
[ "$(field success)" = true ] && success=1
mkdir -p "${LOGS:=/logs/verifier}"
printf '{"reward": %s, "success": %s}\n' "${reward:-0}" "$success" >"$LOGS/reward.json"
"#;
