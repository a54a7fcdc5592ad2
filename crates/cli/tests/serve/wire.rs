//! A server of our own, and a client that is nothing but a socket: for tests and measurements.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Nothing here takes so long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server on a free port, and the folder of its records.
pub struct Server {
    child: Child,
    told: BufReader<ChildStdout>,
    pub address: String,
    pub out: PathBuf,
    owns_folder: bool,
}

impl Server {
    /// A server with an empty folder of its own, which is removed with it.
    pub fn start(args: &[&str]) -> Server {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let out = std::env::temp_dir().join(format!("sre-zero-serve-{}-{number}", std::process::id()));
        let mut server = Server::on(&out, &[&["--fresh"], args].concat());
        server.owns_folder = true;
        server
    }

    /// A server on a folder that stays when it goes.
    pub fn on(out: &Path, args: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sre-zero"))
            .args(["serve", "--port", "0", "--out"])
            .arg(out)
            .args(args)
            .env_remove("SRE_ZERO_TOKEN")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut told = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        told.read_line(&mut line).expect("it says where it is");
        let address = line.trim().strip_prefix("http://").expect("an address").to_string();
        Server { child, told, address, out: out.to_path_buf(), owns_folder: false }
    }

    /// Ends it at once, as a crash of the machine would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to stop and waits until it has; gives its exit code.
    pub fn stop(&mut self) -> Option<i32> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(asked.expect("there is `kill`").success());
        let mut rest = String::new();
        self.told.read_to_string(&mut rest).expect("its output ends");
        self.child.wait().expect("it was started").code()
    }

    /// Bytes of memory that the process holds, on systems that say so.
    pub fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if self.owns_folder {
            let _ = fs::remove_dir_all(&self.out);
        }
    }
}

/// What came back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// A connection that is kept.
pub struct Wire {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Wire {
    pub fn open(address: &str) -> Wire {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        Wire { stream: BufReader::new(stream), host: address.to_string() }
    }

    /// A WebSocket.
    pub fn web_socket(address: &str, path: &str) -> Wire {
        let mut wire = Wire::open(address);
        let upgrade = [
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        let answer = wire.ask("GET", path, &upgrade, "");
        assert_eq!(answer.status, 101, "{answer:?}");
        wire
    }

    /// A request and its answer.
    pub fn ask(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        if headers.iter().all(|(name, _)| *name != "Host") {
            text += &format!("Host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.send(text.as_bytes()).expect("the connection holds");
        self.answer().expect("an answer")
    }

    /// The answer to a body, from a server that may be gone at any moment.
    pub fn try_post(address: &str, path: &str, body: &str) -> io::Result<Answer> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut wire = Wire { stream: BufReader::new(stream), host: address.to_string() };
        let length = body.len();
        wire.send(
            format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{body}").as_bytes(),
        )?;
        wire.answer()
    }

    pub fn post(&mut self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &[], body)
    }

    pub fn get(&mut self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    /// Bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// The next answer; an error if the connection ends before.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
        let mut answer = Answer { status: status.ok_or_else(|| io::Error::other(first))?, ..Answer::default() };
        loop {
            let line = self.line()?;
            match line.split_once(':') {
                None => break,
                Some((name, value)) => answer.headers.push((name.to_ascii_lowercase(), value.trim().to_string())),
            }
        }
        let length = answer.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
        answer.body = self.take(length)?;
        Ok(answer)
    }

    /// Whether the server has closed the connection; waits until it has or says something.
    pub fn is_closed(&mut self) -> bool {
        matches!(self.stream.fill_buf(), Ok([]) | Err(_))
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        Ok(line.trim_end().to_string())
    }

    fn take(&mut self, length: usize) -> io::Result<String> {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        String::from_utf8(body).map_err(io::Error::other)
    }

    /// Sends a text frame and reads the one that answers it.
    pub fn say(&mut self, text: &str) -> String {
        self.frame(0x81, text.as_bytes()).expect("the connection holds");
        self.hear().expect("an answer")
    }

    /// Sends a frame, masked with zeros.
    pub fn frame(&mut self, kind: u8, payload: &[u8]) -> io::Result<()> {
        let mut frame = vec![kind];
        match payload.len() {
            short @ 0..126 => frame.push(0x80 | short as u8),
            middle @ 126..65536 => {
                frame.push(0x80 | 126);
                frame.extend_from_slice(&(middle as u16).to_be_bytes());
            }
            long => {
                frame.push(0x80 | 127);
                frame.extend_from_slice(&(long as u64).to_be_bytes());
            }
        }
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(payload);
        self.send(&frame)
    }

    /// The text of the next frame.
    pub fn hear(&mut self) -> io::Result<String> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head)?;
        if head[0] & 0x0f == 8 {
            return Err(io::Error::other("the server closed the WebSocket"));
        }
        let length = match head[1] {
            126 => {
                let mut more = [0; 2];
                self.stream.read_exact(&mut more)?;
                u16::from_be_bytes(more) as usize
            }
            127 => {
                let mut more = [0; 8];
                self.stream.read_exact(&mut more)?;
                u64::from_be_bytes(more) as usize
            }
            short => short as usize,
        };
        self.take(length)
    }
}
