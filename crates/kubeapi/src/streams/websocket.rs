//! Streams over WebSocket: the channel protocols of exec, attach and port-forward, and SPDY inside of a tunnel.

use std::sync::Arc;

use cluster::api::{StreamKind, StreamRequest};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use hyper::body::{Bytes, Incoming};
use hyper::header;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, Role};

use super::{FromClient, Talk, ToClient, exec, forward, listed, not_running, spdy, switching};
use crate::host::ClusterHost;
use crate::reply::{ApiReply, plain, text};

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The protocols that we speak, best first.
const EXEC: [&str; 5] =
    ["v5.channel.k8s.io", "v4.channel.k8s.io", "v4.base64.channel.k8s.io", "channel.k8s.io", "base64.channel.k8s.io"];
const FORWARD: [&str; 3] = [TUNNEL, "v4.channel.k8s.io", "v4.base64.channel.k8s.io"];
const TUNNEL: &str = "SPDY/3.1+portforward.k8s.io";

/// Answers the handshake and talks on.
pub(super) fn accept(host: Arc<ClusterHost>, mut request: Request<Incoming>, asked: StreamRequest) -> ApiReply {
    let Some(key) = text(request.headers(), header::SEC_WEBSOCKET_KEY) else {
        return plain(StatusCode::BAD_REQUEST, "unable to upgrade: no Sec-WebSocket-Key");
    };
    let accept = derive_accept_key(key.as_bytes());
    let offered = listed(request.headers(), &header::SEC_WEBSOCKET_PROTOCOL);
    let is_forward = matches!(asked.kind, StreamKind::PortForward(_));
    let ours: &[&str] = if is_forward { &FORWARD } else { &EXEC };
    let protocol = ours.iter().find(|own| offered.iter().any(|offer| offer == *own)).copied();
    if protocol.is_none() && !offered.is_empty() {
        return plain(StatusCode::BAD_REQUEST, "unable to upgrade: no protocol in common");
    }
    // With the newest protocol the API server itself ends the stream, and tells over it what the kubelet said.
    if protocol != Some(EXEC[0])
        && let Some(refusal) = not_running(&asked)
    {
        return refusal;
    }
    let mut headers =
        vec![("Connection", "Upgrade".to_string()), ("Upgrade", "websocket".into()), ("Sec-WebSocket-Accept", accept)];
    headers.extend(protocol.map(|protocol| ("Sec-WebSocket-Protocol", protocol.to_string())));
    let protocol = protocol.unwrap_or("channel.k8s.io");
    tokio::spawn(carry(hyper::upgrade::on(&mut request), host, asked, protocol));
    switching(&headers)
}

async fn carry(upgrade: OnUpgrade, host: Arc<ClusterHost>, asked: StreamRequest, protocol: &'static str) {
    let Ok(upgraded) = upgrade.await else { return };
    let socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
    match (&asked.kind, protocol) {
        (StreamKind::PortForward(_), TUNNEL) => tunnel(socket, host, asked).await,
        (StreamKind::PortForward(ports), _) => {
            let ports = ports.clone();
            channels(socket, host, asked, ports, protocol).await;
        }
        _ => command(socket, host, asked, protocol).await,
    }
}

/// One byte for the channel, then what is said on it; in base64 a digit and text.
fn framed(protocol: &str, channel: u8, bytes: &[u8]) -> Message {
    match protocol.contains("base64") {
        true => Message::text(format!("{}{}", char::from(b'0' + channel), cluster::base64(bytes))),
        false => {
            let mut whole = vec![channel];
            whole.extend_from_slice(bytes);
            Message::binary(whole)
        }
    }
}

/// Some clients send what is text as text, channel and all.
fn unframed(protocol: &str, message: Message) -> Option<(u8, Bytes)> {
    let bytes = match message {
        Message::Binary(bytes) => bytes,
        Message::Text(text) => Bytes::from(text),
        _ => return None,
    };
    let (channel, rest) = (*bytes.first()?, bytes.slice(1..));
    match protocol.contains("base64") {
        true => Some((channel.wrapping_sub(b'0'), cluster::from_base64(std::str::from_utf8(&rest).ok()?)?.into())),
        false => Some((channel, rest)),
    }
}

async fn close(mut sink: SplitSink<Socket, Message>) {
    let frame = CloseFrame { code: CloseCode::Normal, reason: "".into() };
    let _ = sink.send(Message::Close(Some(frame))).await;
    let _ = sink.close().await;
}

/// Channels of a command: 0 input, 1 output, 2 complaints, 3 status, 4 size of the terminal, 255 the end of one.
async fn command(socket: Socket, host: Arc<ClusterHost>, asked: StreamRequest, protocol: &'static str) {
    let (mut sink, source) = socket.split();
    let (hear, heard) = mpsc::channel(64);
    let (say, mut said) = mpsc::channel(64);
    let reading = tokio::spawn(listen(source, hear, protocol));
    let talking = tokio::spawn(exec::converse(host, asked, Talk { heard, said: say }));
    // The real server opens with an empty frame.
    let _ = sink.send(framed(protocol, 1, &[])).await;
    while let Some(said) = said.recv().await {
        let message = match said {
            ToClient::Output(bytes) => framed(protocol, 1, &bytes),
            ToClient::Complaints(bytes) => framed(protocol, 2, &bytes),
            ToClient::Status(status) if protocol.starts_with('v') => framed(protocol, 3, status.as_bytes()),
            ToClient::Status(_) => continue,
        };
        if sink.send(message).await.is_err() {
            break;
        }
    }
    close(sink).await;
    talking.abort();
    reading.abort();
}

async fn listen(mut source: SplitStream<Socket>, hear: mpsc::Sender<FromClient>, protocol: &'static str) {
    while let Some(Ok(message)) = source.next().await {
        if message.is_close() {
            break;
        }
        let heard = match unframed(protocol, message) {
            Some((0, bytes)) => FromClient::Input(bytes),
            Some((255, bytes)) if bytes.first() == Some(&0) => FromClient::EndOfInput,
            _ => continue,
        };
        if hear.send(heard).await.is_err() {
            return;
        }
    }
}

/// Two channels per port, for data and for errors; both begin with the number of the port.
async fn channels(
    socket: Socket,
    host: Arc<ClusterHost>,
    asked: StreamRequest,
    ports: Vec<u16>,
    protocol: &'static str,
) {
    let (mut sink, mut source) = socket.split();
    let (reply, mut replies) = mpsc::channel::<(u8, Vec<u8>)>(64);
    let mut ends = Vec::new();
    for (at, port) in ports.iter().enumerate().take(100) {
        let number = port.to_le_bytes();
        for channel in [2 * at as u8, 2 * at as u8 + 1] {
            if sink.send(framed(protocol, channel, &number)).await.is_err() {
                return;
            }
        }
        let (data, mut from_port) = mpsc::channel(64);
        let (errors, mut trouble) = mpsc::channel::<String>(1);
        ends.push(forward::open(host.clone(), asked.clone(), *port, data, errors));
        let (reply, channel) = (reply.clone(), 2 * at as u8);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    bytes = from_port.recv() => match bytes {
                        Some(bytes) => if reply.send((channel, bytes)).await.is_err() { return },
                        None => return,
                    },
                    Some(error) = trouble.recv() => {
                        let _ = reply.send((channel + 1, error.into_bytes())).await;
                    }
                }
            }
        });
    }
    drop(reply);
    loop {
        tokio::select! {
            message = source.next() => match message {
                Some(Ok(message)) if !message.is_close() => {
                    if let Some((channel, bytes)) = unframed(protocol, message)
                        && channel % 2 == 0
                        && let Some(end) = ends.get(usize::from(channel / 2))
                    {
                        let _ = end.send(bytes.to_vec()).await;
                    }
                }
                _ => break,
            },
            answer = replies.recv() => match answer {
                Some((channel, bytes)) => {
                    if sink.send(framed(protocol, channel, &bytes)).await.is_err() {
                        break;
                    }
                }
                None => break,
            },
        }
    }
    close(sink).await;
}

/// SPDY frames in binary messages.
async fn tunnel(socket: Socket, host: Arc<ClusterHost>, asked: StreamRequest) {
    let (mut sink, mut source) = socket.split();
    let (ours, theirs) = tokio::io::duplex(256 << 10);
    let serving = tokio::spawn(spdy::serve(theirs, host, asked));
    let (mut from_spdy, mut to_spdy) = tokio::io::split(ours);
    let mut buffer = vec![0; 32 << 10];
    loop {
        tokio::select! {
            message = source.next() => match message {
                Some(Ok(Message::Binary(bytes))) => {
                    if to_spdy.write_all(&bytes).await.is_err() {
                        break;
                    }
                }
                Some(Ok(message)) if !message.is_close() => {}
                _ => break,
            },
            read = from_spdy.read(&mut buffer) => match read {
                Ok(count) if count > 0 => {
                    if sink.send(Message::binary(buffer[..count].to_vec())).await.is_err() {
                        break;
                    }
                }
                _ => break,
            },
        }
    }
    close(sink).await;
    serving.abort();
}
