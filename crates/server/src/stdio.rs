//! MCP over standard input and output: one process, one episode, one message per line.

use std::time::Instant;

use doors::mcp::{self, Client, RpcError};
use doors::session::{SessionId, Sessions, StartRequest};
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};

use super::fresh_id;

/// Answers until the input ends or `stop` comes, then seals.
pub async fn serve(
    sessions: &Sessions,
    id: SessionId,
    most_bytes: usize,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let started = Instant::now();
    let mut input = BufReader::new(tokio::io::stdin());
    let mut output = tokio::io::stdout();
    let talk = async {
        while let Some(line) = read_line(&mut input, most_bytes).await? {
            let reply = match line {
                Line::Text(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => None,
                Line::Text(bytes) => reply(sessions, id, &bytes, started),
                Line::TooLong => Some(broken("the line is longer than this server reads")),
            };
            if let Some(reply) = reply {
                write_line(&mut output, &reply).await?;
            }
        }
        Ok(())
    };
    let ended = tokio::select! {
        ended = talk => ended,
        () = stop => Ok(()),
    };
    sessions.close_all(started.elapsed());
    ended
}

fn reply(sessions: &Sessions, id: SessionId, bytes: &[u8], started: Instant) -> Option<Value> {
    let Ok(message) = serde_json::from_slice::<Value>(bytes) else {
        return Some(broken("the line is no valid JSON"));
    };
    let now = started.elapsed();
    let mut client =
        Client { sessions, now, fresh: &fresh_id, bound: Some(id), confined: true, usual: StartRequest::default() };
    mcp::answer(&mut client, &message)
}

fn broken(problem: &str) -> Value {
    RpcError::new(mcp::PARSE_ERROR, problem).answer(&Value::Null)
}

enum Line {
    Text(Vec<u8>),
    TooLong,
}

/// The next line; of one that is too long, nothing is kept.
async fn read_line(input: &mut (impl AsyncBufRead + Unpin), most: usize) -> std::io::Result<Option<Line>> {
    let (mut line, mut long) = (Vec::new(), false);
    loop {
        let bytes = input.fill_buf().await?;
        if bytes.is_empty() {
            let rest = !line.is_empty() || long;
            return Ok(rest.then_some(if long { Line::TooLong } else { Line::Text(line) }));
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (part, used) = end.map_or((bytes, bytes.len()), |end| (&bytes[..end], end + 1));
        long |= line.len() + part.len() > most;
        if long {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        input.consume(used);
        if end.is_some() {
            return Ok(Some(if long { Line::TooLong } else { Line::Text(line) }));
        }
    }
}

async fn write_line(output: &mut (impl AsyncWrite + Unpin), reply: &Value) -> std::io::Result<()> {
    output.write_all(format!("{reply}\n").as_bytes()).await?;
    output.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_up_to_a_length() {
        let check = |text: &str, expect: &[Option<&str>]| {
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
            let mut input = BufReader::with_capacity(3, text.as_bytes());
            let mut found = Vec::new();
            while let Some(line) = runtime.block_on(read_line(&mut input, 5)).expect("memory can be read") {
                found.push(match line {
                    Line::Text(bytes) => Some(String::from_utf8(bytes).expect("it is text")),
                    Line::TooLong => None,
                });
            }
            assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expect);
        };
        check("", &[]);
        check("a\nbb\n", &[Some("a"), Some("bb")]);
        check("12345\n123456\nend", &[Some("12345"), None, Some("end")]);
        check("123456789", &[None]);
        check("\n\n", &[Some(""), Some("")]);
    }
}
