//! Sends a reply, as well or as badly as is wanted.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use agents::fake_provider::{Manner, PlannedReply};

/// A slow body comes in so many pieces.
const PIECES: usize = 8;

/// Sends what an exchange wants sent. Says whether the connection can be used again.
pub fn deliver(mut stream: &TcpStream, exchange: &PlannedReply, keep_alive: bool) -> io::Result<bool> {
    thread::sleep(Duration::from_millis(exchange.wait_ms.into()));
    let (reply, length) = (&exchange.reply, exchange.reply.body.len());
    // A client that was lied to must not use the connection again: what went wrong stays with this request.
    let well = matches!(exchange.manner, Manner::Whole | Manner::Slowly(_));
    let promised = if exchange.manner == Manner::Understated { length / 2 } else { length };
    let mut bytes = reply.head(promised, keep_alive && well).into_bytes();
    match exchange.manner {
        Manner::Whole | Manner::Understated => {
            bytes.extend(&reply.body);
            stream.write_all(&bytes)?;
        }
        Manner::Slowly(ms) => {
            stream.write_all(&bytes)?;
            let pause = Duration::from_millis(u64::from(ms) / PIECES as u64);
            for piece in reply.body.chunks(length.div_ceil(PIECES).max(1)) {
                thread::sleep(pause);
                stream.write_all(piece)?;
            }
        }
        Manner::Stalling | Manner::CutOff => {
            bytes.extend(&reply.body[..length / 2]);
            stream.write_all(&bytes)?;
        }
        Manner::Closed | Manner::Silent => {}
    }
    if matches!(exchange.manner, Manner::Silent | Manner::Stalling) {
        wait_until_gone(stream);
    }
    Ok(keep_alive && well)
}

/// Waits until the client leaves, or the server is stopped.
fn wait_until_gone(mut stream: &TcpStream) {
    let mut ignored = [0; 512];
    while matches!(stream.read(&mut ignored), Ok(read) if read > 0) {}
}
