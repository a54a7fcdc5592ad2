//! From a request on a connection to a request to the cluster, and back.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use cluster::api::{ApiBody, ApiRequest, ApiResponse, HttpMethod, LogHandle, WatchHandle};
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, StatusCode, header};
use tokio::sync::mpsc;

use crate::body::ApiBytes;
use crate::host::ClusterHost;
use crate::reply::{ApiReply, build, plain, text};
use crate::{admit, clock, pretty, streams};

/// The longest body that is read; the cluster refuses somewhat shorter ones with the right words.
const LARGEST: usize = 4 << 20;
/// Longer answers are compressed for those who take it, as the real server does.
const WORTH_COMPRESSING: usize = 128 << 10;
/// Watches look for their end and for bookmarks this often.
const ROUND: Duration = Duration::from_millis(500);
/// A log that is followed is read this often.
const LOG_ROUND: Duration = Duration::from_millis(200);

/// Answers one request.
pub(crate) async fn respond(host: Arc<ClusterHost>, mut request: Request<Incoming>) -> ApiReply {
    let asked = match read(&host, &mut request).await {
        Ok(asked) => asked,
        Err(status) => return plain(status, "request body cannot be read"),
    };
    let answer = host.call(&asked);
    let wishes = Wishes::of(&asked);
    match answer.body {
        ApiBody::Watch(watch) => {
            let body = ApiBytes::Chunks(follow_watch(host.clone(), *watch));
            build(answer.status, &answer.headers, body)
        }
        ApiBody::Log(log) => {
            let body = ApiBytes::Chunks(follow_log(host.clone(), *log));
            build(answer.status, &answer.headers, body)
        }
        ApiBody::Stream(stream) => streams::upgrade(host.clone(), request, *stream, asked.body),
        ApiBody::Bytes(_) => whole(&host, answer, &wishes),
    }
}

async fn read(host: &ClusterHost, request: &mut Request<Incoming>) -> Result<ApiRequest, StatusCode> {
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    let mut asked = ApiRequest::new(HttpMethod::parse(request.method().as_str()), target);
    for (name, value) in request.headers() {
        if name != header::AUTHORIZATION {
            asked = asked.header(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
        }
    }
    let authorization = text(request.headers(), header::AUTHORIZATION);
    asked.user = host.with(|served| admit::user(served.cluster(), &host.token, authorization));
    let body = Limited::new(request.body_mut(), LARGEST).collect().await.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
    asked.body = body.to_bytes().to_vec();
    if !host.clock.is_plain() {
        asked.body = clock::shift(&asked.body, host.clock.ahead());
    }
    Ok(asked)
}

/// How a client wants its answer written.
struct Wishes {
    is_pretty: bool,
    takes_gzip: bool,
}

impl Wishes {
    fn of(request: &ApiRequest) -> Self {
        let agent = request.header_value("user-agent");
        let by_hand = ["curl/", "Wget/", "Mozilla/"].iter().any(|start| agent.starts_with(start));
        let is_pretty = match request.query("pretty") {
            "" => by_hand,
            _ => request.flag("pretty"),
        };
        Self { is_pretty, takes_gzip: request.header_value("accept-encoding").contains("gzip") }
    }
}

fn whole(host: &ClusterHost, answer: ApiResponse, wishes: &Wishes) -> ApiReply {
    let ApiBody::Bytes(mut bytes) = answer.body else { unreachable!("only whole answers come here") };
    let is_json = answer.headers.iter().any(|(name, value)| *name == "Content-Type" && value.contains("json"));
    if !host.clock.is_plain() {
        bytes = clock::shift(&bytes, -host.clock.ahead());
    }
    if is_json && wishes.is_pretty {
        bytes = pretty::indent(&bytes);
    }
    let mut headers = answer.headers;
    if wishes.takes_gzip && bytes.len() > WORTH_COMPRESSING {
        bytes = compressed(&bytes);
        headers.push(("Content-Encoding", "gzip".into()));
        headers.push(("Vary", "Accept-Encoding".into()));
    }
    build(answer.status, &headers, ApiBytes::of(bytes))
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 8), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes all bytes")
}

fn served(host: &ClusterHost, bytes: Vec<u8>) -> Bytes {
    match host.clock.is_plain() {
        true => bytes.into(),
        false => clock::shift(&bytes, -host.clock.ahead()).into(),
    }
}

fn follow_watch(host: Arc<ClusterHost>, mut watch: WatchHandle) -> mpsc::Receiver<Bytes> {
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        let mut changes = host.changes();
        loop {
            changes.mark_unchanged();
            let news = host.with(|served| served.cluster().poll_watch(&mut watch));
            if !news.is_empty() && sender.send(served(&host, news)).await.is_err() {
                return;
            }
            if watch.is_done() {
                return;
            }
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(ROUND) => {}
                () = sender.closed() => return,
            }
        }
    });
    receiver
}

fn follow_log(host: Arc<ClusterHost>, mut log: LogHandle) -> mpsc::Receiver<Bytes> {
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        loop {
            let news = host.with(|served| served.poll_log(&mut log));
            if !news.is_empty() && sender.send(served(&host, news)).await.is_err() {
                return;
            }
            if log.is_done() {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(LOG_ROUND) => {}
                () = sender.closed() => return,
            }
        }
    });
    receiver
}
