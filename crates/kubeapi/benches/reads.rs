//! How many reads a second a served cluster answers: `cargo bench -p sre-zero-kubeapi`.
//!
//! Clients keep their TLS connections, as kubectl's libraries do, and ask again as soon as they have their answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cluster::api::{ApiRequest, HttpMethod};
use cluster::{Cluster, ClusterOptions, PlainPrograms};
use kubeapi::{ApiListener, ClusterHost, ServedClock};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

const TOKEN: &str = "a-token-for-benchmarks";
const CLIENTS: usize = 4;
const LASTS: Duration = Duration::from_secs(3);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (address, connector) = serve().await;
        for (name, path) in [
            ("one object over a socket", "/api/v1/namespaces/default/pods/pod-7"),
            ("version over a socket", "/version"),
            ("table of 90 pods over a socket", "/api/v1/namespaces/default/pods?limit=500"),
        ] {
            let count = reads(&address, &connector, path).await;
            println!("{name:<58} {:>14.0} reads/s", count as f64 / LASTS.as_secs_f64());
        }
    });
}

async fn serve() -> (String, TlsConnector) {
    let mut programs = PlainPrograms::default();
    let mut cluster = Cluster::new(&ClusterOptions { start: ServedClock::wall(), ..ClusterOptions::default() });
    for number in 0..90 {
        let pod = json!({"metadata": {"name": format!("pod-{number}")}, "spec": {"containers": [{"name": "a", "image": "a:1"}]}});
        let request = ApiRequest::new(HttpMethod::Post, "/api/v1/namespaces/default/pods").json(&pod);
        assert_eq!(cluster.call(&mut programs, &request).status, 201);
    }
    let listener = ApiListener::bind(0).await.expect("a free port");
    let address = listener.address().expect("an address").to_string();
    let config: Value = serde_json::from_str(&listener.kubeconfig(TOKEN).expect("a kubeconfig")).expect("JSON");
    let authority = config["clusters"][0]["cluster"]["certificate-authority-data"].as_str().expect("an authority");
    let pem = cluster::from_base64(authority).expect("base64");
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&pem).expect("PEM")).expect("a certificate");
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let host = ClusterHost::new(cluster, Box::new(programs), ServedClock::new(1.0), TOKEN.into());
    tokio::spawn(listener.serve(Arc::new(host), std::future::pending()));
    // The pods are pulled and started first.
    tokio::time::sleep(Duration::from_secs(8)).await;
    (address, TlsConnector::from(Arc::new(tls)))
}

async fn reads(address: &str, connector: &TlsConnector, path: &str) -> u64 {
    let clients = (0..CLIENTS).map(|_| {
        let (address, connector, path) = (address.to_string(), connector.clone(), path.to_string());
        tokio::spawn(async move {
            let socket = TcpStream::connect(&address).await.expect("a connection");
            socket.set_nodelay(true).expect("no delay");
            let name = ServerName::try_from("localhost").expect("a name");
            let mut stream = connector.connect(name, socket).await.expect("TLS");
            let accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
            let request = format!(
                "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nAccept: {accept}\r\n\r\n"
            );
            let (start, mut count) = (Instant::now(), 0);
            let mut buffer = Vec::with_capacity(64 << 10);
            while start.elapsed() < LASTS {
                stream.write_all(request.as_bytes()).await.expect("sent");
                answer(&mut stream, &mut buffer).await;
                count += 1;
            }
            count
        })
    });
    let mut total = 0;
    for client in clients.collect::<Vec<_>>() {
        total += client.await.expect("a client");
    }
    total
}

/// Reads one whole answer.
async fn answer(stream: &mut TlsStream<TcpStream>, buffer: &mut Vec<u8>) {
    buffer.clear();
    let mut wanted = None;
    loop {
        if wanted.is_some_and(|wanted| buffer.len() >= wanted) {
            return;
        }
        assert!(stream.read_buf(buffer).await.expect("an answer") > 0, "the server stays");
        if wanted.is_none()
            && let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
            assert!(head.starts_with("http/1.1 200"), "{head}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
            wanted = Some(end + 4 + length.parse::<usize>().expect("a number"));
        }
    }
}
