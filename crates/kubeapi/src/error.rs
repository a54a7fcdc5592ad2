//! Why a cluster cannot be served.

/// Why a server cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ApiServeError {
    /// The port is taken, or the like.
    #[error("cannot listen on port {port}; choose another --port, or 0 for one that is free")]
    Bind {
        /// The port.
        port: u16,
        /// What the system says.
        source: std::io::Error,
    },
    /// No certificate could be made.
    #[error("cannot make a certificate")]
    Certificate(#[from] rcgen::Error),
    /// No TLS with that certificate.
    #[error("cannot speak TLS")]
    Tls(#[from] tokio_rustls::rustls::Error),
}
