//! Who asks: the administrator by the server's token, a service account by a token of the cluster, or a stranger.

use cluster::Cluster;
use cluster::api::User;

/// The user of a request by its `Authorization`; nothing if the credentials are wrong.
pub(crate) fn user(cluster: &Cluster, admin: &str, authorization: Option<&str>) -> Option<User> {
    let Some(shown) = authorization else { return Some(anonymous()) };
    let token = shown.strip_prefix("Bearer ").or_else(|| shown.strip_prefix("bearer "))?.trim();
    if same(token.as_bytes(), admin.as_bytes()) {
        return Some(User::admin());
    }
    cluster.token_user(token)
}

/// Who shows nothing may see what everybody may see.
fn anonymous() -> User {
    User { name: "system:anonymous".into(), uid: String::new(), groups: vec!["system:unauthenticated".into()] }
}

/// Compares without telling by the time it takes how much was right.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |odd, (a, b)| odd | (a ^ b)) == 0
}
