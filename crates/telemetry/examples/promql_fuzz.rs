//! Asks a real Prometheus and our engine the same random questions:
//! `cargo run -p sre-zero-telemetry --example promql_fuzz -- DATA.om 127.0.0.1:9090 SEED COUNT`.
//!
//! The server must hold the same data; `tests/telemetry/fuzz.sh` starts one.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::disallowed_types,
    reason = "an example reads files, asks a server and prints"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use telemetry::conformance::{QueryMaker, Verdicts, compare_with_real};
use telemetry::prometheus::Prometheus;
use telemetry::{TelemetryRequest, load_openmetrics};

/// No sample and no step of a subquery lies at these moments, so that windows that are closed and open at their left end
/// hold the same samples.
const FIRST: i64 = 1_767_268_800 + 607;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, address, seed, count] = args.as_slice() else {
        eprintln!("promql_fuzz DATA.om ADDRESS SEED COUNT");
        std::process::exit(2);
    };
    match run(data, address, seed.parse().unwrap_or(1), count.parse().unwrap_or(1000)) {
        Ok(verdicts) => {
            print!("{}", verdicts.report());
            std::process::exit(i32::from(!verdicts.failures.is_empty()));
        }
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(2);
        }
    }
}

fn run(data: &str, address: &str, seed: u64, count: usize) -> Result<Verdicts, String> {
    let mut server = Prometheus { evaluation_interval: 30_000, ..Prometheus::default() };
    let text = std::fs::read_to_string(data).map_err(|e| format!("{data}: {e}"))?;
    load_openmetrics(&mut server.store, &text)?;
    let mut maker = QueryMaker::new(seed);
    let queries: Vec<(String, i64)> = (0..count).map(|i| (maker.query(), FIRST + 60 * (i as i64 % 30))).collect();
    let mut verdicts = Verdicts::default();
    // The real server is the slow one: several questions are under way at a time.
    let parts: Vec<Result<Verdicts, String>> = std::thread::scope(|scope| {
        let share = queries.len().div_ceil(ASKERS).max(1);
        let askers: Vec<_> =
            queries.chunks(share).map(|part| scope.spawn(|| ask_all(&server, address, part))).collect();
        askers.into_iter().map(|asker| asker.join().unwrap_or_else(|_| Err("an asker failed".to_owned()))).collect()
    });
    for part in parts {
        verdicts.add(part?);
    }
    Ok(verdicts)
}

const ASKERS: usize = 12;

fn ask_all(server: &Prometheus, address: &str, queries: &[(String, i64)]) -> Result<Verdicts, String> {
    let mut real = Connection::open(address)?;
    let mut verdicts = Verdicts::default();
    for (query, time) in queries {
        let (status, body) = real.ask(query, *time)?;
        match compare_with_real(server, query, *time, status, &body) {
            Ok(()) => verdicts.passed += 1,
            Err(why) => verdicts.failures.push(format!("{query} @ {time}\n    {why}")),
        }
    }
    Ok(verdicts)
}

/// A connection that is kept for all questions.
struct Connection {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

impl Connection {
    fn open(address: &str) -> Result<Self, String> {
        let writer = TcpStream::connect(address).map_err(|e| format!("{address}: {e}"))?;
        let reader = BufReader::new(writer.try_clone().map_err(|e| e.to_string())?);
        Ok(Self { reader, writer })
    }

    fn ask(&mut self, query: &str, time: i64) -> Result<(u16, String), String> {
        let form = TelemetryRequest::post_form("/api/v1/query", &[("query", query), ("time", &time.to_string())]);
        let head = format!(
            "POST /api/v1/query HTTP/1.1\r\nHost: prometheus\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
            form.content_type,
            form.body.len()
        );
        self.writer
            .write_all(head.as_bytes())
            .and_then(|()| self.writer.write_all(&form.body))
            .map_err(|e| e.to_string())?;
        self.read().map_err(|e| e.to_string())
    }

    fn read(&mut self) -> std::io::Result<(u16, String)> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        let status = line.split_whitespace().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        let (mut length, mut chunked) = (0, false);
        loop {
            line.clear();
            self.reader.read_line(&mut line)?;
            let header = line.trim().to_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            chunked |= header.starts_with("transfer-encoding:") && header.contains("chunked");
        }
        let body = if chunked { self.chunks()? } else { self.bytes(length)? };
        Ok((status, String::from_utf8_lossy(&body).into_owned()))
    }

    fn bytes(&mut self, length: usize) -> std::io::Result<Vec<u8>> {
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body)?;
        Ok(body)
    }

    fn chunks(&mut self) -> std::io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
            // Each chunk ends with a line break of its own.
            let chunk = self.bytes(size + 2)?;
            if size == 0 {
                return Ok(body);
            }
            body.extend_from_slice(&chunk[..size]);
        }
    }
}
