//! Network ACLs: a subnet with a good route is cut off all the same if its ACL lets nothing through.

use crate::cloud::Cloud;
use crate::datum::Datum;
use crate::functions::contains_address;

/// Whether a subnet's ACL lets a call to an address out on 443 and its answer in. Without an ACL of its own a subnet has the
/// network's first one, which lets everything through.
pub(super) fn lets_through(cloud: &Cloud, subnet: &str, address: &str) -> bool {
    let holds = |list: &Datum| list.as_items().unwrap_or_default().iter().any(|id| id.as_text() == Some(subnet));
    let Some(acl) = cloud.all("aws_network_acl").find(|acl| holds(acl.get("subnet_ids"))) else { return true };
    // Answers come to a port that the caller's system picked.
    passes(acl.get("egress"), address, 443.0) && passes(acl.get("ingress"), address, 50_000.0)
}

/// The rule with the lowest number that fits decides; without one it is no.
fn passes(rules: &Datum, address: &str, port: f64) -> bool {
    let fits = |rule: &&Datum| {
        let all = matches!(rule.get("protocol").as_text(), Some("-1" | "all"));
        let tcp = matches!(rule.get("protocol").as_text(), Some("6" | "tcp"));
        let from = rule.get("from_port").as_number().unwrap_or(0.0);
        let to = rule.get("to_port").as_number().unwrap_or(0.0);
        let range = rule.get("cidr_block").as_text().unwrap_or_default();
        (all || tcp && (from..=to).contains(&port)) && contains_address(range, address)
    };
    let number = |rule: &&Datum| rule.get("rule_no").as_number().unwrap_or(f64::MAX);
    let first = rules.as_items().unwrap_or_default().iter().filter(fits).min_by(|a, b| number(a).total_cmp(&number(b)));
    first.and_then(|rule| rule.get("action").as_text()).is_some_and(|action| action.eq_ignore_ascii_case("allow"))
}
