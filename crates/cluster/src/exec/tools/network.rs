//! Programs over the network: getent, nslookup, dig, ping, curl, wget, nc, ss, netstat, ip.
//!
//! Names and connections are those of the cluster; what a program answers on a port is asked of it.

use std::time::Duration;

use super::{ContainerTool, ContainerToolCall, Since};
use crate::exec::{ContainerHost, proc};
use crate::network::{Connection, ConnectionOrigin, DnsAnswer};

pub(super) const TOOLS: &[(&str, Since, ContainerTool)] = &[
    ("curl", Since::Large, curl),
    ("dig", Since::Large, dig),
    ("getent", Since::Small, getent),
    ("host", Since::Large, nslookup),
    ("ifconfig", Since::Small, ip),
    ("ip", Since::Small, ip),
    ("nc", Since::Small, nc),
    ("netstat", Since::Small, sockets),
    ("nslookup", Since::Small, nslookup),
    ("ping", Since::Small, ping),
    ("ss", Since::Large, sockets),
    ("telnet", Since::Small, nc),
    ("wget", Since::Small, wget),
];

/// How long a client waits for a connection that nothing answers.
const PATIENCE: Duration = Duration::from_secs(130);

/// What came of one request.
enum Fetched {
    Answer {
        head: String,
        body: Vec<u8>,
        status: u16,
    },
    /// The name does not resolve.
    NoName,
    Refused(String),
    TimedOut(String),
    /// It was there and closed without a word.
    Empty,
}

impl ContainerHost<'_> {
    fn origin(&self) -> (String, String) {
        (self.run.namespace.clone(), self.run.pod.clone())
    }

    fn lookup(&self, name: &str) -> DnsAnswer {
        let (namespace, pod) = self.origin();
        self.cluster.resolve(ConnectionOrigin::Pod(&namespace, &pod), name)
    }

    fn connect(&mut self, host: &str, port: u16) -> Connection {
        let (namespace, pod) = self.origin();
        let nonce = self.cluster.now.0 as u64 ^ self.takes.as_micros() as u64;
        self.cluster.connect(ConnectionOrigin::Pod(&namespace, &pod), host, port, nonce)
    }

    /// One exchange of bytes with whatever listens there.
    fn exchange(&mut self, host: &str, port: u16, bytes: &[u8]) -> Result<Vec<u8>, Fetched> {
        match self.connect(host, port) {
            Connection::Unresolved(_) => Err(Fetched::NoName),
            Connection::Refused(address) => Err(Fetched::Refused(address)),
            Connection::TimedOut(address) => {
                self.takes += PATIENCE;
                Err(Fetched::TimedOut(address))
            }
            Connection::Outside { host, port } | Connection::Node { node: host, port } => {
                self.takes += PATIENCE;
                Err(Fetched::TimedOut(format!("{host}:{port}")))
            }
            Connection::Pod(end) => {
                self.takes += Duration::from_millis(2);
                let address = format!("{}:{port}", end.address);
                match self.cluster.talk_to(self.programs, &end.namespace, &end.pod, end.port, bytes) {
                    Some(answer) => Ok(answer.reply),
                    None => Err(Fetched::Refused(address)),
                }
            }
        }
    }

    fn fetch(&mut self, url: &Url, method: &str, headers: &[String], body: &[u8]) -> Fetched {
        let mut request = format!("{method} {} HTTP/1.1\r\nHost: {}\r\n", url.path, url.host_header());
        for header in headers {
            request.push_str(&format!("{header}\r\n"));
        }
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str("Connection: close\r\n\r\n");
        let bytes = [request.as_bytes(), body].concat();
        match self.exchange(&url.host, url.port, &bytes) {
            Err(trouble) => trouble,
            Ok(reply) if reply.is_empty() => Fetched::Empty,
            Ok(reply) => {
                let end = reply.windows(4).position(|four| four == b"\r\n\r\n").map_or(reply.len(), |at| at + 4);
                let head = String::from_utf8_lossy(&reply[..end]).into_owned();
                let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
                Fetched::Answer { head, body: reply[end..].to_vec(), status }
            }
        }
    }
}

/// `\\n` and `\\t` as what they stand for.
fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")
}

struct Url {
    host: String,
    port: u16,
    path: String,
    is_default_port: bool,
}

impl Url {
    fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let (place, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let place = place.rsplit('@').next().unwrap_or_default();
        let (host, port) = place.rsplit_once(':').map_or((place, None), |(host, port)| (host, Some(port)));
        let default = if scheme == "https" { 443 } else { 80 };
        let port = match port {
            Some(port) => port.parse().ok()?,
            None => default,
        };
        (!host.is_empty()).then(|| Self {
            host: host.into(),
            port,
            path: path.into(),
            is_default_port: port == default,
        })
    }

    fn host_header(&self) -> String {
        if self.is_default_port { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }
}

fn limited(machine: &mut ContainerHost<'_>, before: Duration, limit: Option<f64>) -> bool {
    let Some(limit) = limit.map(|seconds| Duration::from_secs_f64(seconds.clamp(0.0, 86_400.0))) else { return false };
    let is_over = machine.takes - before > limit;
    if is_over {
        machine.takes = before + limit;
    }
    is_over
}

fn curl(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let takes = [
        "-X",
        "--request",
        "-H",
        "--header",
        "-d",
        "--data",
        "--data-raw",
        "-o",
        "--output",
        "-m",
        "--max-time",
        "--connect-timeout",
        "-w",
        "--write-out",
        "-u",
        "-A",
        "--retry",
        "--cacert",
    ];
    let Some(target) = call.plain(&takes).into_iter().next() else {
        call.complain("curl: try 'curl --help' for more information");
        return 2;
    };
    let Some(url) = Url::read(&target) else {
        call.complain("curl: (3) URL rejected: Port number was not a decimal number between 0 and 65535");
        return 3;
    };
    let data = call.value("-d", "--data").or_else(|| call.value("--data-raw", ""));
    let method = call.value("-X", "--request").unwrap_or_else(|| {
        if data.is_some() {
            "POST"
        } else if call.has('I') {
            "HEAD"
        } else {
            "GET"
        }
        .into()
    });
    let mut headers: Vec<String> = Vec::new();
    let mut words = call.words.iter();
    while let Some(word) = words.next() {
        if word == "-H" || word == "--header" {
            headers.extend(words.next().cloned());
        }
    }
    headers.push("User-Agent: curl/7.88.1".into());
    headers.push("Accept: */*".into());
    let limit = call
        .value("-m", "--max-time")
        .or_else(|| call.value("--connect-timeout", ""))
        .and_then(|s| s.parse::<f64>().ok());
    let silent = call.has('s') || call.words.iter().any(|word| word == "--silent");
    let tells = !silent || call.has('S') || call.words.iter().any(|word| word == "--show-error");
    let before = machine.takes;
    let fetched = machine.fetch(&url, &method, &headers, data.unwrap_or_default().as_bytes());
    let (host, port) = (&url.host, url.port);
    let is_over = limited(machine, before, limit);
    let spent = (machine.takes - before).as_millis();
    let mut fail = |code: i32, why: String| curl_fails(call, tells, code, &why);
    match fetched {
        _ if is_over => fail(28, format!("Connection timed out after {spent} milliseconds")),
        Fetched::NoName => fail(6, format!("Could not resolve host: {host}")),
        Fetched::Refused(_) => {
            fail(7, format!("Failed to connect to {host} port {port} after {spent} ms: Couldn't connect to server"))
        }
        Fetched::TimedOut(_) => {
            fail(28, format!("Failed to connect to {host} port {port} after {spent} ms: Couldn't connect to server"))
        }
        Fetched::Empty => fail(52, "Empty reply from server".into()),
        Fetched::Answer { head, body, status } => {
            if call.has('v') {
                call.complain(&format!(
                    "* Connected to {host} port {port} (#0)\n> {method} {} HTTP/1.1\n< {}",
                    url.path,
                    head.trim_end().replace("\r\n", "\n< ")
                ));
            }
            if call.has('f') && status >= 400 {
                return curl_fails(call, tells, 22, &format!("The requested URL returned error: {status}"));
            }
            if call.has('i') || call.has('I') {
                call.print(&head);
            }
            if !call.has('I') {
                match call.value("-o", "--output") {
                    Some(path) => drop(machine.files.write(&machine.absolute(&path), &body)),
                    None => call.output.stdout.extend(body),
                }
            }
            if let Some(format) = call.value("-w", "--write-out") {
                let seconds = (machine.takes - before).as_secs_f64();
                let text = unescaped(&format)
                    .replace("%{http_code}", &status.to_string())
                    .replace("%{time_total}", &format!("{seconds:.6}"));
                call.print(&text);
            }
            0
        }
    }
}

fn curl_fails(call: &mut ContainerToolCall<'_>, tells: bool, code: i32, why: &str) -> i32 {
    if tells {
        call.complain(&format!("curl: ({code}) {why}"));
    }
    if let Some(format) = call.value("-w", "--write-out") {
        let text = unescaped(&format).replace("%{http_code}", "000");
        call.print(&text);
    }
    code
}

fn wget(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let Some(target) = call.plain(&["-O", "-T", "-t", "--header"]).into_iter().next() else {
        return call.fail("missing URL");
    };
    let Some(url) = Url::read(&target) else { return call.fail(&format!("bad address '{target}'")) };
    let limit = call.value("-T", "--timeout").and_then(|s| s.parse::<f64>().ok());
    let out = match call.words.iter().find_map(|word| word.strip_prefix("-qO")) {
        Some(path) if !path.is_empty() => Some(path.to_string()),
        _ => call
            .value("-O", "")
            .or_else(|| call.words.iter().position(|w| w == "-qO").and_then(|at| call.words.get(at + 1).cloned())),
    };
    let quiet = call.has('q');
    let before = machine.takes;
    let fetched = machine.fetch(&url, "GET", &["User-Agent: Wget".to_string()], &[]);
    let (host, port) = (url.host.clone(), url.port);
    if limited(machine, before, limit) {
        return call.fail("download timed out");
    }
    match fetched {
        Fetched::NoName => call.fail(&format!("bad address '{host}'")),
        Fetched::Refused(address) => call.fail(&format!(
            "can't connect to remote host ({}): Connection refused",
            address.split(':').next().unwrap_or(&host)
        )),
        Fetched::TimedOut(address) => call.fail(&format!(
            "can't connect to remote host ({}): Operation timed out",
            address.split(':').next().unwrap_or(&host)
        )),
        Fetched::Empty => call.fail("error getting response"),
        Fetched::Answer { head, status, .. } if status >= 400 => {
            let line = head.lines().next().unwrap_or_default().to_string();
            call.fail(&format!("server returned error: {line}"))
        }
        Fetched::Answer { body, .. } => {
            if !quiet {
                call.complain(&format!("Connecting to {host} ({host}:{port})"));
            }
            match out.as_deref() {
                Some("-" | "/dev/stdout") => call.output.stdout.extend(body),
                other => {
                    let name = url.path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("index.html");
                    let path = machine.absolute(other.unwrap_or(name));
                    if let Err(why) = machine.files.write(&path, &body) {
                        return call.fail(&format!("can't open '{path}': {}", why.text()));
                    }
                }
            }
            0
        }
    }
}

fn nc(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let plain = call.plain(&["-w", "-i"]);
    let [host, port, ..] = plain.as_slice() else { return call.fail("usage: nc [-zv] [-w SECONDS] HOST PORT") };
    let Ok(port) = port.parse::<u16>() else { return call.fail(&format!("bad port '{port}'")) };
    let limit = call.value("-w", "").and_then(|s| s.parse::<f64>().ok());
    let (before, input) = (machine.takes, if call.has('z') { Vec::new() } else { call.input.to_vec() });
    let outcome = machine.exchange(host, port, &input);
    limited(machine, before, limit);
    match outcome {
        Ok(reply) => {
            if call.has('v') {
                call.complain(&format!("{host} ({host}:{port}) open"));
            }
            call.output.stdout.extend(reply);
            0
        }
        Err(Fetched::NoName) => call.fail(&format!("bad address '{host}'")),
        Err(Fetched::Refused(address)) if call.has('v') || !call.has('z') => {
            call.fail(&format!("{host} ({address}): Connection refused"))
        }
        Err(Fetched::TimedOut(address)) if call.has('v') || !call.has('z') => {
            call.fail(&format!("{host} ({address}): Connection timed out"))
        }
        Err(_) => 1,
    }
}

fn getent(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let plain = call.plain(&[]);
    let [kind, name, ..] = plain.as_slice() else { return 2 };
    if kind == "passwd" {
        let line = String::from_utf8_lossy(&machine.files.read("/etc/passwd").unwrap_or_default())
            .lines()
            .find(|line| line.starts_with(&format!("{name}:")))
            .map(str::to_string);
        return line.map_or(2, |line| {
            call.line(&line);
            0
        });
    }
    match machine.lookup(name) {
        DnsAnswer::Addresses(addresses) => {
            addresses.iter().for_each(|address| call.line(&format!("{address:<15} {name}")));
            0
        }
        _ => 2,
    }
}

/// The server that answers, as `/etc/resolv.conf` names it.
fn server(machine: &ContainerHost<'_>) -> String {
    let text = proc::resolv_conf(machine.cluster, machine.run, machine.pod);
    text.lines().find_map(|line| line.strip_prefix("nameserver ")).unwrap_or("127.0.0.1").to_string()
}

fn nslookup(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let Some(name) = call.plain(&[]).into_iter().next() else { return call.fail("missing name") };
    let server = server(machine);
    match machine.lookup(&name) {
        DnsAnswer::Addresses(addresses) => {
            call.line(&format!("Server:\t\t{server}\nAddress:\t{server}#53\n"));
            for address in addresses {
                call.line(&format!("Name:\t{name}\nAddress: {address}"));
            }
            call.line("");
            0
        }
        DnsAnswer::NoSuchName | DnsAnswer::Outside(_) => {
            call.line(&format!("Server:\t\t{server}\nAddress:\t{server}#53\n"));
            call.line(&format!("** server can't find {name}: NXDOMAIN\n"));
            1
        }
        _ => {
            machine.takes += Duration::from_secs(15);
            call.line(";; connection timed out; no servers could be reached\n");
            1
        }
    }
}

fn dig(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let words: Vec<String> = call.words.iter().filter(|word| !word.starts_with(['+', '@', '-'])).cloned().collect();
    let Some(name) = words.iter().find(|word| !matches!(word.as_str(), "A" | "AAAA" | "SRV" | "ANY")) else { return 0 };
    let short = call.words.iter().any(|word| word == "+short");
    let searched = call.words.iter().any(|word| word == "+search");
    let full = if searched || name.ends_with('.') { name.clone() } else { format!("{name}.") };
    let answer = machine.lookup(&full);
    let (status, addresses) = match &answer {
        DnsAnswer::Addresses(addresses) => ("NOERROR", addresses.clone()),
        DnsAnswer::NoSuchName | DnsAnswer::Outside(_) => ("NXDOMAIN", Vec::new()),
        _ => {
            machine.takes += Duration::from_secs(15);
            call.line(";; connection timed out; no servers could be reached");
            return 9;
        }
    };
    if short {
        addresses.iter().for_each(|address| call.line(address));
        return 0;
    }
    let full = full.trim_end_matches('.');
    call.line(&format!(";; ->>HEADER<<- opcode: QUERY, status: {status}, id: 4711\n;; flags: qr aa rd; QUERY: 1, ANSWER: {}, AUTHORITY: 0, ADDITIONAL: 1\n", addresses.len()));
    call.line(&format!(";; QUESTION SECTION:\n;{full}.\t\tIN\tA\n"));
    if !addresses.is_empty() {
        call.line(";; ANSWER SECTION:");
        addresses.iter().for_each(|address| call.line(&format!("{full}.\t30\tIN\tA\t{address}")));
        call.line("");
    }
    let server = server(machine);
    call.line(&format!(";; Query time: 1 msec\n;; SERVER: {server}#53({server}) (UDP)"));
    0
}

fn ping(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let Some(host) = call.plain(&["-c", "-W", "-i", "-w"]).into_iter().next() else { return call.fail("missing host") };
    let count = call.value("-c", "").and_then(|count| count.parse::<u32>().ok()).unwrap_or(4).min(100);
    let address = match machine.lookup(&host) {
        DnsAnswer::Addresses(addresses) if !addresses.is_empty() => addresses[0].clone(),
        _ => return call.fail(&format!("bad address '{host}'")),
    };
    call.line(&format!("PING {host} ({address}): 56 data bytes"));
    let answers = address == machine.run.pod_ip || machine.cluster.pod_at(&address).is_some();
    machine.takes += Duration::from_secs(count.into());
    if answers {
        (0..count).for_each(|at| call.line(&format!("64 bytes from {address}: seq={at} ttl=62 time=0.2 ms")));
    }
    let lost = if answers { 0 } else { 100 };
    call.line(&format!(
        "\n--- {host} ping statistics ---\n{count} packets transmitted, {} packets received, {lost}% packet loss",
        if answers { count } else { 0 }
    ));
    i32::from(!answers)
}

fn sockets(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let name = proc::short(&proc::command_line(machine.run)[0]).to_string();
    let is_ss = call.name == "ss";
    call.line(match is_ss {
        true => "State    Recv-Q   Send-Q     Local Address:Port     Peer Address:Port  Process",
        false => "Active Internet connections (only servers)\nProto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name",
    });
    for port in machine.run.ports.clone() {
        let now = machine.cluster.now;
        if !machine.programs.listens(now, machine.run, port) {
            continue;
        }
        let local = format!("0.0.0.0:{port}");
        call.line(&match is_ss {
            true => format!(
                "LISTEN   0        4096     {local:>18}          0.0.0.0:*      users:((\"{name}\",pid=1,fd=3))"
            ),
            false => format!("tcp        0      0 {local:<23} 0.0.0.0:*               LISTEN      1/{name}"),
        });
    }
    0
}

fn ip(machine: &mut ContainerHost<'_>, call: &mut ContainerToolCall<'_>) -> i32 {
    let address = machine.run.pod_ip.clone();
    let routes = call.words.first().is_some_and(|word| word.starts_with('r'));
    let gateway = address.rsplit_once('.').map_or(String::new(), |(net, _)| format!("{net}.1"));
    call.line(&match routes {
        true => format!("default via {gateway} dev eth0\n{gateway} dev eth0 scope link"),
        false => format!("1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN qlen 1000\n    inet 127.0.0.1/8 scope host lo\n2: eth0@if12: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP\n    inet {address}/24 brd 255.255.255.255 scope global eth0"),
    });
    0
}
