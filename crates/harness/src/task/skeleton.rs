//! A task file to start from.

/// A commented file that is a valid task: change its middle.
pub const SKELETON: &str = r##"# One incident. `sre-zero check FILE` says whether it is fair, `sre-zero show FILE --spoilers` how it goes.
# All fields: docs/your-own-incident.md and tasks/README.md. Editors: `sre-zero schema` prints a JSON Schema.

# The id is the file's name. Agents never see it, nor the title.
id = "my_task"
title = "A change shortened the life of cache entries, and the database drowns in misses"
difficulty = "medium"            # easy: the page names the culprit; hard: it points elsewhere
split = "train"                  # train, dev or test
suites = []
steps = 9                        # the solution's length and room to look around
# noise = 2                      # imperfect telemetry, from 0 to 3
# tools = "full"                 # if the solution needs more than the eight published actions

# The world: the shop, and how it differs from it before anything breaks.
[world]
base = "shop"
load = { browse = 1.1, search = 1.1 }                  # route -> factor on its load
# config = { "database.DB_POOL_SIZE" = "120" }         # another healthy value
# tickets = ["cache"]                                  # alerts that do not page: a misleading page

# What breaks. Several are possible; `after_s` delays one.
[[fault]]
kind = "config_push"
service = "cache"
key = "TTL_SECONDS"
value = "3"

# What else happened, and did no harm.
[[decoy]]
service = "database"
minutes_before = 12
author = "data"
summary = "add a chart to the stock report"

# An earlier responder made it worse; the agent has to undo that, too.
# [[responder]]
# service = "database"
# key = "DB_POOL_SIZE"
# value = "60"
# minutes_after_onset = 8

[diagnosis]
component = "cache"              # the service at fault, not the one that shows it
concepts = ["cache_ttl"]         # the mechanism

[grading]
# Looks that really show something at the page.
evidence = ["metrics:database", "metrics:cache", "config:cache:TTL_SECONDS"]
# The state that ends it: also { restart = "cache" } or { rolled_back = "web_server" }.
fix = [{ config = "cache.TTL_SECONDS", is = ">= 120" }]
distractors = ["database"]       # looks guilty and is not

# Proof that it can be done, with full marks.
[solution]
calls = [
  "inspect_metrics(database)",
  "inspect_metrics(cache)",
  "inspect_config(cache, TTL_SECONDS)",
  "update_config(cache, TTL_SECONDS, 300)",
  """resolve_incident(\
    root_cause="cache TTL_SECONDS was lowered to 3, so entries expire before they are used again", \
    fix="raised cache TTL_SECONDS to 300")""",
]
"##;

/// The skeleton under another id.
pub fn skeleton(id: &str) -> String {
    SKELETON.replacen("\"my_task\"", &format!("\"{id}\""), 1)
}
