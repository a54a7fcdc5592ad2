//! Streams over SPDY/3.1: what port-forward speaks, in a WebSocket or on a connection of its own, and exec of old clients.

use std::collections::BTreeMap;
use std::sync::Arc;

use cluster::api::{StreamKind, StreamRequest};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderName;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use super::frames::{FrameReader, FrameWriter, SpdyFrame};
use super::{FromClient, Talk, ToClient, exec, forward, listed, not_running, switching};
use crate::host::ClusterHost;
use crate::reply::{ApiReply, plain};

const PROTOCOLS: HeaderName = HeaderName::from_static("x-stream-protocol-version");

/// Answers the upgrade and talks on.
pub(super) fn accept(host: Arc<ClusterHost>, mut request: Request<Incoming>, asked: StreamRequest) -> ApiReply {
    let offered = listed(request.headers(), &PROTOCOLS);
    let ours: &[&str] = match asked.kind {
        StreamKind::PortForward(_) => &["portforward.k8s.io"],
        _ => &["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io"],
    };
    let Some(protocol) = ours.iter().find(|own| offered.iter().any(|offer| offer == *own)) else {
        return plain(StatusCode::FORBIDDEN, "unable to upgrade: no protocol in common");
    };
    if let Some(refusal) = not_running(&asked) {
        return refusal;
    }
    let headers = [
        ("Connection", "Upgrade".to_string()),
        ("Upgrade", "SPDY/3.1".into()),
        ("X-Stream-Protocol-Version", protocol.to_string()),
    ];
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        if let Ok(upgraded) = upgrade.await {
            serve(TokioIo::new(upgraded), host, asked).await;
        }
    });
    switching(&headers)
}

/// What a stream is to us.
enum Purpose {
    Input,
    Data { port: mpsc::Sender<Vec<u8>> },
    Other,
}

/// Serves one connection until it ends.
pub(super) async fn serve<S>(connection: S, host: Arc<ClusterHost>, asked: StreamRequest)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    let (mut source, mut sink) = tokio::io::split(connection);
    let (send, mut outgoing) = mpsc::channel::<Vec<u8>>(256);
    let writing = tokio::spawn(async move {
        while let Some(frame) = outgoing.recv().await {
            if sink.write_all(&frame).await.is_err() || sink.flush().await.is_err() {
                return;
            }
        }
        let _ = sink.shutdown().await;
    });
    let mut session = SpdySession {
        host,
        asked,
        send,
        writer: FrameWriter::new(),
        streams: BTreeMap::new(),
        kinds: BTreeMap::new(),
        errors: BTreeMap::new(),
        hear: None,
    };
    let mut reader = FrameReader::new();
    let mut buffer = vec![0; 32 << 10];
    'connection: loop {
        match source.read(&mut buffer).await {
            Ok(count) if count > 0 => reader.feed(&buffer[..count]),
            _ => break,
        }
        loop {
            match reader.next() {
                Ok(Some(SpdyFrame::GoAway)) | Err(()) => break 'connection,
                Ok(Some(frame)) => session.on(frame).await,
                Ok(None) => break,
            }
        }
    }
    drop(session);
    let _ = writing.await;
}

struct SpdySession {
    host: Arc<ClusterHost>,
    asked: StreamRequest,
    send: mpsc::Sender<Vec<u8>>,
    writer: FrameWriter,
    streams: BTreeMap<u32, Purpose>,
    /// Streams of a command by what they carry: `stdout`, `error`.
    kinds: BTreeMap<String, u32>,
    /// Streams for errors of forwarded connections, by request.
    errors: BTreeMap<String, u32>,
    hear: Option<mpsc::Sender<FromClient>>,
}

impl SpdySession {
    async fn on(&mut self, frame: SpdyFrame) {
        match frame {
            SpdyFrame::Open { stream, headers, .. } => self.open(stream, &headers).await,
            SpdyFrame::Data { stream, bytes, is_last } => self.data(stream, bytes, is_last).await,
            SpdyFrame::Reset { stream } => drop(self.streams.remove(&stream)),
            SpdyFrame::Ping(id) => drop(self.send.send(FrameWriter::ping(id)).await),
            SpdyFrame::GoAway | SpdyFrame::Other => {}
        }
    }

    async fn open(&mut self, stream: u32, headers: &[(String, String)]) {
        let header =
            |name: &str| headers.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value).to_string();
        let kind = header("streamtype");
        let _ = self.send.send(self.writer.reply(stream)).await;
        match (&self.asked.kind, kind.as_str()) {
            (StreamKind::PortForward(_), "error") => {
                self.errors.insert(header("requestid"), stream);
                self.streams.insert(stream, Purpose::Other);
            }
            (StreamKind::PortForward(_), _) => {
                let port = header("port").parse().unwrap_or(0);
                let error = self.errors.get(&header("requestid")).copied();
                let purpose = self.forward(stream, error, port);
                self.streams.insert(stream, purpose);
            }
            _ => {
                let purpose = if kind == "stdin" { Purpose::Input } else { Purpose::Other };
                self.streams.insert(stream, purpose);
                self.kinds.insert(kind, stream);
                self.begin_command();
            }
        }
    }

    /// A command begins when all streams that it was promised are there.
    fn begin_command(&mut self) {
        let (StreamKind::Exec { streams, .. } | StreamKind::Attach(streams)) = &self.asked.kind else { return };
        let [input, output, errors, _] = *streams;
        let wanted = 1 + usize::from(input) + usize::from(output) + usize::from(errors);
        let sizes = usize::from(self.kinds.contains_key("resize"));
        if self.hear.is_some() || self.kinds.len() - sizes < wanted {
            return;
        }
        let (hear, heard) = mpsc::channel(64);
        let (say, mut said) = mpsc::channel(64);
        self.hear = Some(hear);
        tokio::spawn(exec::converse(self.host.clone(), self.asked.clone(), Talk { heard, said: say }));
        let (send, kinds) = (self.send.clone(), self.kinds.clone());
        tokio::spawn(async move {
            while let Some(said) = said.recv().await {
                let (kind, bytes) = match said {
                    ToClient::Output(bytes) => ("stdout", bytes),
                    ToClient::Complaints(bytes) => ("stderr", bytes),
                    ToClient::Status(status) => ("error", status.into_bytes()),
                };
                if let Some(stream) = kinds.get(kind) {
                    let _ = send.send(FrameWriter::data(*stream, &bytes, kind == "error")).await;
                }
            }
            for kind in ["stdout", "stderr"] {
                if let Some(stream) = kinds.get(kind) {
                    let _ = send.send(FrameWriter::data(*stream, &[], true)).await;
                }
            }
            let _ = send.send(FrameWriter::go_away()).await;
        });
    }

    fn forward(&self, stream: u32, error: Option<u32>, port: u16) -> Purpose {
        let (data, mut from_port) = mpsc::channel::<Vec<u8>>(64);
        let (errors, mut trouble) = mpsc::channel::<String>(1);
        let end = forward::open(self.host.clone(), self.asked.clone(), port, data, errors);
        let send = self.send.clone();
        tokio::spawn(async move {
            while let Some(bytes) = from_port.recv().await {
                for chunk in bytes.chunks(16 << 10) {
                    let _ = send.send(FrameWriter::data(stream, chunk, false)).await;
                }
            }
            if let Some(error) = error {
                let text = trouble.recv().await.unwrap_or_default();
                let _ = send.send(FrameWriter::data(error, text.as_bytes(), true)).await;
            }
            let _ = send.send(FrameWriter::data(stream, &[], true)).await;
        });
        Purpose::Data { port: end }
    }

    async fn data(&mut self, stream: u32, bytes: Vec<u8>, is_last: bool) {
        match self.streams.get(&stream) {
            Some(Purpose::Input) => {
                if let Some(hear) = &self.hear {
                    if !bytes.is_empty() {
                        let _ = hear.send(FromClient::Input(Bytes::from(bytes))).await;
                    }
                    if is_last {
                        let _ = hear.send(FromClient::EndOfInput).await;
                    }
                }
            }
            Some(Purpose::Data { port }) => {
                if !bytes.is_empty() {
                    let _ = port.send(bytes).await;
                }
                if is_last {
                    self.streams.remove(&stream);
                }
            }
            Some(Purpose::Other) | None => {}
        }
    }
}
