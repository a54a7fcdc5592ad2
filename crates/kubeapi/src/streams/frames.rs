//! Frames of SPDY/3.1, as old clients and port-forward write them. Bytes in, frames out; no sockets here.

use flate2::{Decompress, FlushDecompress};

/// A frame that matters to us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SpdyFrame {
    /// A stream begins; with its headers.
    Open { stream: u32, headers: Vec<(String, String)>, is_last: bool },
    /// Bytes of a stream.
    Data { stream: u32, bytes: Vec<u8>, is_last: bool },
    /// A stream is given up.
    Reset { stream: u32 },
    /// To be sent back as it is.
    Ping(u32),
    /// The connection ends.
    GoAway,
    /// Anything else.
    Other,
}

const VERSION: u16 = 3;
/// The largest frame that is read.
const LARGEST: usize = 8 << 20;

/// Reads frames from bytes as they come.
pub(super) struct FrameReader {
    bytes: Vec<u8>,
    headers: HeaderReader,
}

impl FrameReader {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), headers: HeaderReader::new() }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame; nothing if more bytes are needed, an error if it is no SPDY.
    pub(super) fn next(&mut self) -> Result<Option<SpdyFrame>, ()> {
        let Some(head) = self.bytes.get(..8) else { return Ok(None) };
        let length = usize::from(head[5]) << 16 | usize::from(head[6]) << 8 | usize::from(head[7]);
        if length > LARGEST {
            return Err(());
        }
        if self.bytes.len() < 8 + length {
            return Ok(None);
        }
        let frame: Vec<u8> = self.bytes.drain(..8 + length).collect();
        let (head, body) = frame.split_at(8);
        let first = number(&head[..4]);
        let flags = head[4];
        let is_last = flags & 1 == 1;
        if first >> 31 == 0 {
            return Ok(Some(SpdyFrame::Data { stream: first, bytes: body.to_vec(), is_last }));
        }
        if (first >> 16 & 0x7fff) as u16 != VERSION {
            return Err(());
        }
        let word = |at: usize| body.get(at..at + 4).map(number).ok_or(());
        Ok(Some(match first & 0xffff {
            1 => {
                let headers = self.headers.read(body.get(10..).ok_or(())?)?;
                SpdyFrame::Open { stream: word(0)? & 0x7fff_ffff, headers, is_last }
            }
            2 | 8 => {
                // Headers share one dictionary in each direction: what is not wanted is read as well.
                self.headers.read(body.get(4..).ok_or(())?)?;
                SpdyFrame::Other
            }
            3 => SpdyFrame::Reset { stream: word(0)? & 0x7fff_ffff },
            6 => SpdyFrame::Ping(word(0)?),
            7 => SpdyFrame::GoAway,
            _ => SpdyFrame::Other,
        }))
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Headers are one compressed text for the whole connection.
struct HeaderReader {
    inflate: Decompress,
}

impl HeaderReader {
    fn new() -> Self {
        Self { inflate: Decompress::new(true) }
    }

    fn read(&mut self, block: &[u8]) -> Result<Vec<(String, String)>, ()> {
        let mut out = Vec::with_capacity(4096);
        let mut rest = block;
        loop {
            if out.len() > LARGEST {
                return Err(());
            }
            out.reserve(4096);
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            match self.inflate.decompress_vec(rest, &mut out, FlushDecompress::Sync) {
                Ok(_) => {}
                Err(error) if error.needs_dictionary().is_some() => {
                    self.inflate.set_dictionary(&dictionary()).map_err(|_| ())?;
                }
                Err(_) => return Err(()),
            }
            let used = (self.inflate.total_in() - read) as usize;
            rest = &rest[used..];
            if rest.is_empty() && self.inflate.total_out() == written {
                return pairs(&out);
            }
            if used == 0 && self.inflate.total_out() == written && read > 0 && rest.len() == block.len() {
                return Err(());
            }
        }
    }
}

fn pairs(text: &[u8]) -> Result<Vec<(String, String)>, ()> {
    let mut rest = text;
    let mut take = |length: usize| -> Result<&[u8], ()> {
        let (taken, left) = rest.split_at_checked(length).ok_or(())?;
        rest = left;
        Ok(taken)
    };
    let count = number(take(4)?);
    let mut all = Vec::new();
    for _ in 0..count.min(200) {
        let length = number(take(4)?) as usize;
        let name = String::from_utf8_lossy(take(length)?).to_ascii_lowercase();
        let length = number(take(4)?) as usize;
        let value = String::from_utf8_lossy(take(length)?).into_owned();
        all.push((name, value));
    }
    Ok(all)
}

/// Writes frames. Our headers are always empty, and compressed as stored blocks, which needs no dictionary.
pub(super) struct FrameWriter {
    has_begun: bool,
}

impl FrameWriter {
    pub(super) fn new() -> Self {
        Self { has_begun: false }
    }

    /// A stream is taken.
    pub(super) fn reply(&mut self, stream: u32) -> Vec<u8> {
        let mut block = Vec::new();
        if !std::mem::replace(&mut self.has_begun, true) {
            block.extend([0x78, 0x01]);
        }
        // A stored block of four bytes, which say that there are no pairs, and an empty one that flushes.
        block.extend([0x00, 0x04, 0x00, 0xfb, 0xff, 0, 0, 0, 0]);
        block.extend([0x00, 0x00, 0x00, 0xff, 0xff]);
        let mut body = stream.to_be_bytes().to_vec();
        body.extend(block);
        control(2, 0, &body)
    }

    pub(super) fn data(stream: u32, bytes: &[u8], is_last: bool) -> Vec<u8> {
        let mut frame = (stream & 0x7fff_ffff).to_be_bytes().to_vec();
        frame.push(u8::from(is_last));
        frame.extend(&(bytes.len() as u32).to_be_bytes()[1..]);
        frame.extend_from_slice(bytes);
        frame
    }

    pub(super) fn ping(id: u32) -> Vec<u8> {
        control(6, 0, &id.to_be_bytes())
    }

    pub(super) fn go_away() -> Vec<u8> {
        control(7, 0, &[0; 8])
    }
}

fn control(kind: u16, flags: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = (0x8000 | VERSION).to_be_bytes().to_vec();
    frame.extend(kind.to_be_bytes());
    frame.push(flags);
    frame.extend(&(body.len() as u32).to_be_bytes()[1..]);
    frame.extend_from_slice(body);
    frame
}

/// The words that SPDY/3 gives every compressor to begin with (section 2.6.10.1 of its draft): each of the first with its
/// length, the rest as one text.
fn dictionary() -> Vec<u8> {
    let words = "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age \
                 allow authorization cache-control connection content-base content-encoding content-language content-length \
                 content-location content-md5 content-range content-type date etag expect expires from host if-match \
                 if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma \
                 proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding \
                 upgrade user-agent vary via warning www-authenticate method get status";
    let mut all = Vec::new();
    let mut put = |word: &str| {
        all.extend((word.len() as u32).to_be_bytes());
        all.extend(word.as_bytes());
    };
    words.split(' ').for_each(&mut put);
    ["200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin"]
        .iter()
        .for_each(|word| put(word));
    all.extend(
        b"100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative \
          Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal \
          Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 \
          Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/\
          xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,\
          enq=0.",
    );
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dictionary_is_the_one_that_clients_name() {
        let dictionary = dictionary();
        assert_eq!(dictionary.len(), 1423);
        // Clients name it by this checksum in the head of their first block.
        let (mut a, mut b) = (1u32, 0u32);
        for byte in dictionary {
            a = (a + u32::from(byte)) % 65521;
            b = (b + a) % 65521;
        }
        assert_eq!(b << 16 | a, 0xe3c6_a7c2);
    }

    /// Two blocks of headers as zlib compresses them with the dictionary, one after the other on one connection.
    const BLOCKS: [&str; 2] = [
        "78f9e3c6a7c202253a703a2b294a4dcc851625aca9a0808614cb45e01c6061606100a4398b20d198094ade8c0600000000ffff",
        "c2aa19540e2512d60b000000ffff",
    ];

    #[test]
    fn headers_are_read_with_the_dictionary() {
        let mut reader = HeaderReader::new();
        for (block, kind) in BLOCKS.iter().zip(["error", "data"]) {
            let bytes: Vec<u8> = (0..block.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&block[at..at + 2], 16).expect("hex"))
                .collect();
            let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
            let expect = vec![pair("streamtype", kind), pair("port", "8080"), pair("requestid", "0")];
            assert_eq!(reader.read(&bytes), Ok(expect));
        }
    }

    #[test]
    fn frames_come_back_in_pieces_and_whole() {
        let mut reader = FrameReader::new();
        let bytes = [FrameWriter::data(5, b"abc", true), FrameWriter::ping(7), FrameWriter::go_away()].concat();
        let mut frames = Vec::new();
        for byte in bytes {
            reader.feed(&[byte]);
            while let Ok(Some(frame)) = reader.next() {
                frames.push(frame);
            }
        }
        let data = SpdyFrame::Data { stream: 5, bytes: b"abc".to_vec(), is_last: true };
        assert_eq!(frames, [data, SpdyFrame::Ping(7), SpdyFrame::GoAway]);
        reader.feed(b"\xff\xff\xff\xff\xff\xff\xff\xff");
        assert!(reader.next().is_err());
    }
}
