//! An authority and a certificate of its own for every server: made at the start, kept in memory.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::error::ApiServeError;

/// What a server shows, and by which authority clients know it.
pub(crate) struct Identity {
    pub(crate) config: Arc<ServerConfig>,
    /// PEM.
    pub(crate) authority: String,
}

const NAMES: [&str; 6] =
    ["localhost", "127.0.0.1", "::1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];

impl Identity {
    pub(crate) fn fresh() -> Result<Self, ApiServeError> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name = named("kubernetes");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages =
            vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let mut params = CertificateParams::new(NAMES.map(Into::into).to_vec())?;
        params.distinguished_name = named("kube-apiserver");
        params.use_authority_key_identifier_extension = true;
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &authority)?;
        let secret = PrivatePkcs8KeyDer::from(key.serialize_der());
        let chain = vec![certificate.der().clone()];
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, secret.into())?;
        Ok(Self { config: Arc::new(config), authority: authority.pem() })
    }
}

fn named(name: &str) -> DistinguishedName {
    let mut names = DistinguishedName::new();
    names.push(DnType::CommonName, name);
    names
}
