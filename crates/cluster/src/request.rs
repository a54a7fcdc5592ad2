//! A request as it comes from a client, already freed from its connection.

/// One request to the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiRequest {
    /// What to do.
    pub method: HttpMethod,
    path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    /// The body, freed from compression.
    pub body: Vec<u8>,
    /// Who asks, as the connection proved it. None means a request without credentials.
    pub user: Option<User>,
}

/// The methods that the API knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpMethod {
    /// Read.
    #[default]
    Get,
    /// Create.
    Post,
    /// Replace.
    Put,
    /// Change a part.
    Patch,
    /// Remove.
    Delete,
    /// Anything else; refused.
    Other,
}

/// Who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// `dev`, `system:serviceaccount:shop:cart`.
    pub name: String,
    /// A uid, for service accounts.
    pub uid: String,
    /// The groups; `system:authenticated` is among them.
    pub groups: Vec<String>,
}

impl User {
    /// A person of this name, in these groups and in that of all who proved who they are.
    pub fn new(name: &str, groups: &[&str]) -> Self {
        let groups = groups.iter().copied().chain(["system:authenticated"]);
        Self { name: name.into(), uid: String::new(), groups: groups.map(Into::into).collect() }
    }

    /// The administrator of kubeconfig files.
    pub fn admin() -> Self {
        Self::new("kubernetes-admin", &["system:masters"])
    }

    /// A service account.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        let own = format!("system:serviceaccounts:{namespace}");
        Self::new(&format!("system:serviceaccount:{namespace}:{name}"), &["system:serviceaccounts", &own])
    }

    /// Whether access rules are not asked.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == "system:masters")
    }
}

impl HttpMethod {
    /// Reads the method of a request line.
    pub fn parse(text: &str) -> Self {
        match text {
            "GET" | "HEAD" => Self::Get,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "PATCH" => Self::Patch,
            "DELETE" => Self::Delete,
            _ => Self::Other,
        }
    }

    /// As a request line has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Other => "OTHER",
        }
    }
}

impl ApiRequest {
    /// A request of the administrator; `target` is the path with its query, as in a request line.
    pub fn new(method: HttpMethod, target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(key, true), decoded(value, true))
        });
        Self {
            method,
            path: decoded(path, false),
            query: query.collect(),
            user: Some(User::admin()),
            ..Self::default()
        }
    }

    /// With a header; names are compared without case.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// With a JSON body.
    pub fn json(self, body: &serde_json::Value) -> Self {
        self.typed("application/json", crate::write_json::write_json(body))
    }

    /// With a body of a content type.
    pub fn typed(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self.header("content-type", content_type)
    }

    /// From another user than the administrator.
    pub fn by(mut self, user: User) -> Self {
        self.user = Some(user);
        self
    }

    /// The path, without its query and decoded.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path with its query, as a request line has it.
    pub fn target(&self) -> String {
        let pairs: Vec<String> =
            self.query.iter().map(|(key, value)| format!("{}={}", encoded(key, ""), encoded(value, ""))).collect();
        let mark = if pairs.is_empty() { "" } else { "?" };
        format!("{}{mark}{}", encoded(&self.path, "/"), pairs.join("&"))
    }

    /// All headers, in the order in which they came.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The first value of a query parameter; empty if there is none.
    pub fn query(&self, name: &str) -> &str {
        self.query.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// All values of a query parameter.
    pub fn queries<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.query.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a query parameter is true, in any spelling that Go takes for true.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.query(name), "1" | "t" | "T" | "true" | "True" | "TRUE")
    }

    /// A header; empty if there is none.
    pub fn header_value(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    /// All values of a header.
    pub fn header_values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The content type without its parameters.
    pub fn content_type(&self) -> &str {
        self.header_value("content-type").split(';').next().unwrap_or_default().trim()
    }

    /// Whether nothing shall be stored.
    pub fn is_dry_run(&self) -> bool {
        self.queries("dryRun").any(|value| value == "All")
    }
}

/// Undoes percent-encoding, and `+` for a space in queries. Bytes that are no text are replaced.
fn decoded(text: &str, plus: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |offset: usize| bytes.get(at + offset).and_then(|b| char::from(*b).to_digit(16));
        match (bytes[at], hex(1), hex(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
                continue;
            }
            (b'+', ..) if plus => out.push(b' '),
            (byte, ..) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Percent-encodes all but letters, digits, `-._~` and what is `kept`.
fn encoded(text: &str, kept: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.as_bytes().contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_written_as_they_are_read() {
        let check = |target: &str| {
            let request = ApiRequest::new(HttpMethod::Get, target);
            let again = ApiRequest::new(HttpMethod::Get, &request.target());
            assert_eq!(again, request, "{target}");
        };
        check("/api/v1/pods");
        check("/api/v1/pods?labelSelector=a%3Db%2Cc+d&watch=True&x");
        check("/a%20b/%C3%A4?command=sh&command=-c&command=echo+%22a%26b%22");
    }

    #[test]
    fn targets_are_decoded() {
        let request = ApiRequest::new(HttpMethod::Get, "/api/v1/pods?labelSelector=a%3Db%2Cc+d&watch=True&x");
        assert_eq!(request.path(), "/api/v1/pods");
        assert_eq!(request.query("labelSelector"), "a=b,c d");
        assert!(request.flag("watch"));
        assert!(!request.flag("x"));
        assert_eq!(ApiRequest::new(HttpMethod::Get, "/a%2").path(), "/a%2");
    }
}
