//! Carries the calls: gRPC over plain HTTP/2 on ports of this machine.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use h2::server::SendResponse;
use http::{HeaderMap, HeaderValue, Request, Response};
use serde_json::{Value, json};
use terraform::cloud::Cloud;
use terraform::schema::Schema;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

use crate::provider::SimulatedProvider;

/// The protocol that is spoken.
const PROTOCOL: u32 = 6;
/// A request is at most so long.
const LONGEST: usize = 64 * 1024 * 1024;
/// The word of gRPC for a call that there is not.
const UNIMPLEMENTED: &str = "12";

/// Providers that answer on ports of this machine until they are dropped, all over one cloud.
pub struct ProviderServer {
    cloud: Arc<Mutex<Cloud>>,
    addresses: Vec<(&'static str, SocketAddr)>,
    _runtime: Runtime,
}

impl ProviderServer {
    /// Listens for every provider that there are tables for.
    pub fn start() -> std::io::Result<ProviderServer> {
        let cloud = Arc::new(Mutex::new(Cloud::default()));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let mut addresses = Vec::new();
        for name in Schema::get().providers.keys() {
            let Some(provider) = SimulatedProvider::new(name, cloud.clone()) else { continue };
            let name = provider.name();
            let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0)))?;
            addresses.push((name, listener.local_addr()?));
            runtime.spawn(listen(listener, Arc::new(provider)));
        }
        Ok(ProviderServer { cloud, addresses, _runtime: runtime })
    }

    /// What `TF_REATTACH_PROVIDERS` must hold so that the tool finds them.
    pub fn reattach(&self) -> Value {
        let entry = |address: &SocketAddr| {
            json!({
                "Protocol": "grpc",
                "ProtocolVersion": PROTOCOL,
                "Pid": std::process::id(),
                "Test": true,
                "Addr": {"Network": "tcp", "String": address.to_string()},
            })
        };
        let named = self.addresses.iter().filter(|(name, _)| *name != "terraform");
        named
            .map(|(name, address)| (format!("hashicorp/{name}"), entry(address)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// Empties the cloud.
    pub fn clear(&self) {
        *self.cloud.lock().unwrap_or_else(PoisonError::into_inner) = Cloud::default();
    }

    /// The cloud as it stands.
    pub fn cloud(&self) -> Cloud {
        self.cloud.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn listen(listener: TcpListener, provider: Arc<SimulatedProvider>) {
    while let Ok((socket, _)) = listener.accept().await {
        tokio::spawn(converse(socket, provider.clone()));
    }
}

/// A connection ends when the tool ends; what goes wrong on it is the tool's to tell.
async fn converse(socket: TcpStream, provider: Arc<SimulatedProvider>) {
    let mut builder = h2::server::Builder::new();
    builder.initial_window_size(1 << 24).initial_connection_window_size(1 << 26);
    let Ok(mut connection) = builder.handshake::<_, Bytes>(socket).await else { return };
    while let Some(Ok((request, respond))) = connection.accept().await {
        tokio::spawn(call(request, respond, provider.clone()));
    }
}

async fn call(request: Request<h2::RecvStream>, mut respond: SendResponse<Bytes>, provider: Arc<SimulatedProvider>) {
    let name = request.uri().path().strip_prefix("/tfplugin6.Provider/").unwrap_or_default().to_owned();
    let Some(message) = message(request.into_body()).await else { return };
    let answer = provider.answer(&name, &message);
    let status = if answer.is_some() { "0" } else { UNIMPLEMENTED };
    let head = Response::builder().status(200).header("content-type", "application/grpc");
    let Ok(head) = head.body(()) else { return };
    let Ok(mut stream) = respond.send_response(head, false) else { return };
    if let Some(answer) = answer {
        let mut framed = Vec::with_capacity(answer.len() + 5);
        framed.push(0);
        framed.extend((answer.len() as u32).to_be_bytes());
        framed.extend(answer);
        if stream.send_data(framed.into(), false).is_err() {
            return;
        }
    }
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static(status));
    let _ = stream.send_trailers(trailers);
}

/// The one message of a request, without the five bytes before it.
async fn message(mut body: h2::RecvStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk.ok()?;
        let _ = body.flow_control().release_capacity(chunk.len());
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LONGEST {
            return None;
        }
    }
    Some(bytes.split_off(bytes.len().min(5)))
}
