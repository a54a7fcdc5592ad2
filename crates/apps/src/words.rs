//! Troubles on the way of a request, and how programs of each language word them.

mod dated;
mod frame;
mod http;
mod said;

use crate::spec::{ContainerProgram, Language, WireProtocol};
pub(crate) use dated::{dated, is_dated, moved};
pub(crate) use frame::{LogLevel, LogPlace, frame};
use http::failed_over_http;
pub(crate) use http::{failed_status, passed_on, phrase};
pub(crate) use said::{method_and_path, said};

/// Why a call came to nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// The program was told no address.
    NoAddress,
    /// The address is none.
    BadAddress,
    /// There is no such name.
    NoSuchName,
    /// The name server failed.
    DnsFails,
    /// No name server answers.
    DnsSilent,
    /// Refused at once, at this address.
    Refused(String),
    /// Nothing answers at this address.
    TimedOut(String),
    /// What listens there has no such operation.
    Unimplemented,
    /// What listens there speaks something else.
    WrongWire,
    /// Its certificate is not believed, and why.
    Untrusted(String),
    /// Refused in the other program's own words.
    Denied(String),
    /// Failed there, in the other program's own words.
    Failed(String),
    /// No answer in time.
    Late,
    /// Turned away because too many wait.
    Full,
    /// No port is left to connect from.
    NoPorts(String),
    /// No file is left to open.
    NoFiles,
}

/// Whom a call was for.
#[derive(Clone, Debug)]
pub(crate) struct Callee<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    pub(crate) wire: WireProtocol,
    pub(crate) operation: &'a str,
}

impl Trouble {
    /// A short word for figures: `refused`, `no-such-name`.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::NoAddress => "no-address",
            Self::BadAddress => "bad-address",
            Self::NoSuchName => "no-such-name",
            Self::DnsFails => "dns-failure",
            Self::DnsSilent => "dns-timeout",
            Self::Refused(_) => "refused",
            Self::TimedOut(_) => "connect-timeout",
            Self::Unimplemented => "unimplemented",
            Self::WrongWire => "protocol",
            Self::Untrusted(_) => "certificate",
            Self::Denied(_) => "denied",
            Self::Failed(_) => "error",
            Self::Late => "deadline",
            Self::Full => "overloaded",
            Self::NoPorts(_) => "no-ports",
            Self::NoFiles => "no-files",
        }
    }

    /// Seconds until the caller knows, before its own deadline cuts it short.
    pub(crate) fn takes(&self) -> f64 {
        match self {
            Self::TimedOut(_) | Self::DnsSilent => 20.0,
            Self::Late => 60.0,
            Self::NoSuchName | Self::DnsFails => 0.01,
            _ => 0.001,
        }
    }

    /// The trouble in the caller's words.
    pub(crate) fn told(&self, language: Language, callee: &Callee<'_>) -> String {
        if let Self::Denied(words) = self
            && !matches!(callee.wire, WireProtocol::Http | WireProtocol::Grpc | WireProtocol::Thrift)
        {
            return words.clone();
        }
        match callee.wire {
            WireProtocol::Grpc => self.over_grpc(language, callee),
            _ => self.plain(language, callee),
        }
    }

    /// Whether a program notes it in its log: a proxy passes on what the other side answered, be it a failure or not.
    pub(crate) fn is_noted_by(&self, program: &ContainerProgram, wire: WireProtocol) -> bool {
        let passes_on = program.passes_on || program.language == Language::Nginx;
        let is_answer = matches!(self, Self::Failed(_) | Self::Denied(_) | Self::Full | Self::Unimplemented);
        !(passes_on && is_answer && wire == WireProtocol::Http)
    }

    fn over_grpc(&self, language: Language, callee: &Callee<'_>) -> String {
        let (code, description) = match self {
            Self::Late => ("DeadlineExceeded", "context deadline exceeded".to_string()),
            Self::Unimplemented => {
                let service = callee.operation.split('/').next().unwrap_or_default();
                ("Unimplemented", format!("unknown service {service}"))
            }
            // A server in Python says of an exception that nothing caught that it was one.
            Self::Failed(words) if words.starts_with("<_InactiveRpcError") => {
                ("Unknown", format!("Exception calling application: {words}"))
            }
            Self::Failed(words) | Self::Denied(words) => ("Unknown", words.clone()),
            Self::Full => ("ResourceExhausted", "request queue is full".into()),
            Self::Untrusted(why) => (
                "Unavailable",
                format!("connection error: desc = \"transport: authentication handshake failed: {why}\""),
            ),
            Self::NoSuchName | Self::DnsFails | Self::DnsSilent if language == Language::Node => {
                ("Unavailable", format!("Name resolution failed for target dns:{}:{}", callee.host, callee.port))
            }
            Self::NoSuchName | Self::DnsFails | Self::DnsSilent if language == Language::Python => {
                let place = format!("{}:{}", callee.host, callee.port);
                let why = "C-ares status is not ARES_SUCCESS qtype=A";
                ("Unavailable", format!("DNS resolution failed for {place}: {why} name={}", callee.host))
            }
            Self::NoSuchName | Self::DnsFails | Self::DnsSilent if language == Language::Go => {
                ("Unavailable", format!("dns: A record lookup error: {}", self.plain(language, callee)))
            }
            other => ("Unavailable", other.unconnected(language, callee)),
        };
        let (upper, number) = grpc_code(code);
        match language {
            Language::Java => format!("io.grpc.StatusRuntimeException: {upper}: {description}"),
            Language::Node => format!("Error: {number} {upper}: {description}"),
            Language::Python => {
                format!(
                    "<_InactiveRpcError of RPC that terminated with: status = StatusCode.{upper} details = \"{description}\">"
                )
            }
            Language::Dotnet => {
                format!("Grpc.Core.RpcException: Status(StatusCode=\"{code}\", Detail=\"{description}\")")
            }
            Language::Rust => format!(
                "status: {code}, message: \"{description}\", details: [], metadata: MetadataMap {{ headers: {{}} }}"
            ),
            Language::Ruby => format!("GRPC::{code}: {number}:{description}"),
            Language::Php => format!("{upper}: {description}"),
            _ => format!("rpc error: code = {code} desc = {description}"),
        }
    }

    /// How the gRPC of each language says that it has no connection.
    fn unconnected(&self, language: Language, callee: &Callee<'_>) -> String {
        let reached = match self {
            Self::Refused(address) => Some((address, "Connection refused", "111")),
            Self::TimedOut(address) => Some((address, "Connection timed out", "110")),
            _ => None,
        };
        match (language, reached) {
            (Language::Node, Some(_)) => {
                format!("No connection established. Last error: Error: {}", self.node(callee))
            }
            (Language::Python | Language::Ruby | Language::Php, Some((address, why, _))) => format!(
                "failed to connect to all addresses; last error: UNKNOWN: ipv4:{address}: Failed to connect to remote \
                 host: {why}"
            ),
            (Language::Java, Some((address, why, _))) => format!("io exception: {why}: {}/{address}", callee.host),
            (Language::Dotnet, Some((address, why, _))) => {
                format!("Error connecting to subchannel. SocketException: {why} ({address})")
            }
            (Language::Rust, Some((_, why, number))) => {
                format!("error trying to connect: tcp connect error: {why} (os error {number})")
            }
            _ => {
                let dial = format!("transport: Error while dialing: {}", self.plain(Language::Go, callee));
                format!("connection error: desc = \"{dial}\"")
            }
        }
    }

    fn plain(&self, language: Language, callee: &Callee<'_>) -> String {
        if let (WireProtocol::Http, Self::Failed(words) | Self::Denied(words)) = (callee.wire, self) {
            return failed_over_http(language, callee, words);
        }
        match language {
            Language::Java if callee.wire == WireProtocol::Http => self.spring(callee),
            Language::Java => self.java(callee),
            Language::Node => self.node(callee),
            Language::Cpp => self.cpp(callee),
            Language::Nginx | Language::Envoy => self.proxy(language, callee),
            Language::Python if callee.wire == WireProtocol::Mysql => self.pymysql(callee),
            Language::Python if callee.wire == WireProtocol::Http => self.python_http(callee),
            Language::Python if callee.wire == WireProtocol::Redis => self.python_redis(callee),
            Language::Python | Language::Dotnet | Language::Ruby | Language::Php => self.errno(language, callee),
            Language::Plain => self.by_libc(callee),
            Language::Go | Language::Rust => self.go(callee),
        }
    }

    fn go(&self, callee: &Callee<'_>) -> String {
        let (host, port) = (callee.host, callee.port);
        match self {
            Self::NoAddress => format!("dial tcp {host}: missing address"),
            Self::BadAddress => format!("dial tcp: address {host}: missing port in address"),
            Self::NoSuchName => format!("dial tcp: lookup {host} on 10.96.0.10:53: no such host"),
            Self::DnsFails => format!("dial tcp: lookup {host} on 10.96.0.10:53: server misbehaving"),
            Self::DnsSilent => format!("dial tcp: lookup {host}: i/o timeout"),
            Self::Refused(address) => format!("dial tcp {address}: connect: connection refused"),
            Self::TimedOut(address) => format!("dial tcp {address}: i/o timeout"),
            Self::NoPorts(address) => format!("dial tcp {address}: connect: cannot assign requested address"),
            Self::NoFiles => format!("dial tcp {host}:{port}: socket: too many open files"),
            Self::Late => "context deadline exceeded (Client.Timeout exceeded while awaiting headers)".into(),
            Self::Unimplemented => format!("404 Not Found: {}", callee.operation),
            Self::WrongWire => "malformed response: unexpected bytes".into(),
            Self::Full => "503 Service Unavailable".into(),
            Self::Untrusted(words) | Self::Denied(words) | Self::Failed(words) => words.clone(),
        }
    }

    fn java(&self, callee: &Callee<'_>) -> String {
        let (host, port) = (callee.host, callee.port);
        match self {
            Self::NoSuchName | Self::DnsFails | Self::DnsSilent => format!("java.net.UnknownHostException: {host}"),
            Self::NoAddress | Self::BadAddress => "java.lang.IllegalArgumentException: invalid target URI".into(),
            Self::Refused(_) => format!("java.net.ConnectException: Connection refused ({host}:{port})"),
            Self::TimedOut(_) => format!("java.net.SocketTimeoutException: connect timed out ({host}:{port})"),
            Self::Late => "java.net.SocketTimeoutException: Read timed out".into(),
            Self::NoPorts(_) => "java.net.BindException: Cannot assign requested address".into(),
            Self::NoFiles => "java.net.SocketException: Too many open files".into(),
            Self::Unimplemented => format!("404 : \"{}\"", callee.operation),
            other => other.go(callee),
        }
    }

    /// How Spring words what Java says of a request over HTTP.
    fn spring(&self, callee: &Callee<'_>) -> String {
        let ((method, path), cause) = (method_and_path(callee.operation), self.java(callee));
        if method.is_empty() {
            return cause;
        }
        let short = cause.split_once(": ").map_or(&*cause, |(_, short)| short);
        let request = format!("{method} request for \"http://{}{path}\"", callee.host);
        format!(
            "org.springframework.web.client.ResourceAccessException: I/O error on {request}: {short}; nested exception is {cause}"
        )
    }

    /// The trouble alone, without what a client library says around it.
    pub(crate) fn cause(&self, language: Language, callee: &Callee<'_>) -> String {
        match language {
            Language::Java => self.java(callee),
            Language::Python => self.python_errno().map_or_else(|| self.told(language, callee), Into::into),
            _ => self.told(language, callee),
        }
    }

    fn node(&self, callee: &Callee<'_>) -> String {
        let (host, port) = (callee.host, callee.port);
        match self {
            Self::NoSuchName => format!("getaddrinfo ENOTFOUND {host}"),
            Self::DnsFails | Self::DnsSilent => format!("getaddrinfo EAI_AGAIN {host}"),
            Self::NoAddress | Self::BadAddress => "Name resolution failed for target dns:undefined".into(),
            Self::Refused(address) => format!("connect ECONNREFUSED {address}"),
            Self::TimedOut(address) => format!("connect ETIMEDOUT {address}"),
            Self::Late => "Deadline exceeded".into(),
            Self::NoPorts(address) => format!("connect EADDRNOTAVAIL {address}"),
            Self::NoFiles => format!("connect EMFILE {host}:{port}"),
            other => other.go(callee),
        }
    }

    fn cpp(&self, callee: &Callee<'_>) -> String {
        let (host, port) = (callee.host, callee.port);
        match self {
            Self::NoSuchName | Self::DnsFails | Self::DnsSilent => {
                format!("TSocket::open() getaddrinfo() <Host: {host} Port: {port}>Name or service not known")
            }
            Self::NoAddress | Self::BadAddress => "Could not resolve host for client socket.".into(),
            Self::Refused(_) => format!("TSocket::open() connect() <Host: {host} Port: {port}>: Connection refused"),
            Self::TimedOut(_) => format!("TSocket::open() timed out <Host: {host} Port: {port}>"),
            Self::Late => "THRIFT_EAGAIN (timed out)".into(),
            Self::NoPorts(_) => {
                format!("TSocket::open() connect() <Host: {host} Port: {port}>: Cannot assign requested address")
            }
            Self::NoFiles => "TSocket::open() socket() <Host: > Too many open files".into(),
            Self::Unimplemented => format!("Invalid method name: '{}'", callee.operation),
            other => other.go(callee),
        }
    }

    fn pymysql(&self, callee: &Callee<'_>) -> String {
        match self.python_errno() {
            Some(why) => format!("(2003, \"Can't connect to MySQL server on '{}' ({why})\")", callee.host),
            None if *self == Self::Late => "(2013, 'Lost connection to MySQL server during query (timed out)')".into(),
            None => self.errno(Language::Python, callee),
        }
    }

    fn python_http(&self, callee: &Callee<'_>) -> String {
        let place = format!("HTTPConnectionPool(host='{}', port={})", callee.host, callee.port);
        match self.python_errno() {
            Some(why) => format!("{place}: Max retries exceeded: Failed to establish a new connection: {why}"),
            None if *self == Self::Late => format!("{place}: Read timed out."),
            None => self.errno(Language::Python, callee),
        }
    }

    fn python_redis(&self, callee: &Callee<'_>) -> String {
        let place = format!("{}:{}", callee.host, callee.port);
        match self.python_errno().map(|why| why.trim_start_matches("[Errno ").split_once("] ").unwrap_or(("", why))) {
            Some(("", _)) => format!("Timeout connecting to {place}"),
            Some((number, why)) => format!("Error {number} connecting to {place}. {why}."),
            None if *self == Self::Late => format!("Timeout reading from {place}"),
            None => self.errno(Language::Python, callee),
        }
    }

    /// What Python says of a connection that did not come about.
    fn python_errno(&self) -> Option<&'static str> {
        match self {
            Self::NoSuchName => Some("[Errno -2] Name or service not known"),
            Self::DnsFails | Self::DnsSilent => Some("[Errno -3] Temporary failure in name resolution"),
            Self::Refused(_) => Some("[Errno 111] Connection refused"),
            Self::TimedOut(_) => Some("timed out"),
            Self::NoPorts(_) => Some("[Errno 99] Cannot assign requested address"),
            Self::NoFiles => Some("[Errno 24] Too many open files"),
            _ => None,
        }
    }

    /// Programs that say what the C library says.
    fn by_libc(&self, callee: &Callee<'_>) -> String {
        let (host, port) = (callee.host, callee.port);
        match self {
            Self::NoSuchName | Self::DnsFails | Self::DnsSilent => {
                format!("unable to resolve {host}: Name or service not known")
            }
            Self::Refused(_) => format!("unable to connect to {host}:{port} Connection refused"),
            Self::TimedOut(_) => format!("unable to connect to {host}:{port} Connection timed out"),
            Self::NoPorts(_) => format!("unable to connect to {host}:{port} Cannot assign requested address"),
            Self::NoFiles => format!("unable to connect to {host}:{port} Too many open files"),
            Self::Late => "no response in time".into(),
            other => other.go(callee),
        }
    }

    fn errno(&self, language: Language, callee: &Callee<'_>) -> String {
        match self {
            Self::NoSuchName | Self::DnsFails | Self::DnsSilent => {
                format!("could not translate host name \"{}\" to address: Name or service not known", callee.host)
            }
            Self::Refused(address) if callee.wire == WireProtocol::Postgres && language == Language::Dotnet => {
                format!("Failed to connect to {address}")
            }
            Self::Refused(address) if callee.wire == WireProtocol::Postgres => {
                let (address, port) = address.rsplit_once(':').unwrap_or((address, ""));
                let place = format!("\"{}\" ({address}), port {port}", callee.host);
                format!("connection to server at {place} failed: Connection refused")
            }
            Self::Refused(address) => format!("connection to server at {address} failed: Connection refused"),
            Self::TimedOut(address) => format!("connection to server at {address} timed out"),
            Self::NoAddress | Self::BadAddress => format!("invalid address {:?}", callee.host),
            Self::NoPorts(_) => "[Errno 99] Cannot assign requested address".into(),
            Self::NoFiles => "[Errno 24] Too many open files".into(),
            other => other.go(callee),
        }
    }

    fn proxy(&self, language: Language, callee: &Callee<'_>) -> String {
        let (host, port) = (callee.host, callee.port);
        if language == Language::Envoy {
            return match self {
                Self::NoSuchName | Self::DnsFails | Self::DnsSilent | Self::NoAddress | Self::BadAddress => {
                    format!("503 UH no_healthy_upstream - \"{host}:{port}\"")
                }
                Self::Refused(_) => {
                    "503 UF upstream_reset_before_response_started{remote_connection_failure,delayed_connect_error:_Connection_refused}".into()
                }
                Self::TimedOut(_) => "503 UF upstream_reset_before_response_started{connection_timeout}".into(),
                Self::Late => "504 UT response_timeout".into(),
                Self::Full => "503 UO overflow".into(),
                other => other.go(callee),
            };
        }
        match self {
            Self::NoSuchName | Self::DnsFails | Self::DnsSilent => {
                format!("{host} could not be resolved (3: Host not found)")
            }
            Self::Refused(_) => "connect() failed (111: Connection refused) while connecting to upstream".into(),
            Self::TimedOut(_) => "upstream timed out (110: Connection timed out) while connecting to upstream".into(),
            Self::Late => {
                "upstream timed out (110: Connection timed out) while reading response header from upstream".into()
            }
            Self::NoPorts(_) => {
                "connect() failed (99: Cannot assign requested address) while connecting to upstream".into()
            }
            Self::NoFiles => "socket() failed (24: Too many open files)".into(),
            other => other.go(callee),
        }
    }
}

fn grpc_code(code: &str) -> (&'static str, u8) {
    match code {
        "DeadlineExceeded" => ("DEADLINE_EXCEEDED", 4),
        "Unimplemented" => ("UNIMPLEMENTED", 12),
        "ResourceExhausted" => ("RESOURCE_EXHAUSTED", 8),
        "Unavailable" => ("UNAVAILABLE", 14),
        _ => ("UNKNOWN", 2),
    }
}
