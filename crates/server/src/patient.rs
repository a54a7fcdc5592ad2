//! A connection with an end to its patience.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes fail when the other end takes nothing for too long. A client that asks and never reads
/// would keep its connection, and its place among them, for ever.
pub struct PatientStream<S> {
    stream: S,
    patience: Duration,
    /// Runs while a write is held up.
    limit: Option<Pin<Box<Sleep>>>,
}

impl<S> PatientStream<S> {
    /// Gives each held-up write so long.
    pub fn new(stream: S, patience: Duration) -> PatientStream<S> {
        PatientStream { stream, patience, limit: None }
    }

    fn within<T>(&mut self, cx: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.limit = None;
            return polled;
        }
        let patience = self.patience;
        let limit = self.limit.get_or_insert_with(|| Box::pin(sleep(patience)));
        limit.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PatientStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PatientStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.within(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.within(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        self.within(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.within(cx, polled)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(5);

    /// Time is paused: it moves only when everything waits, and then at once.
    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(test);
    }

    #[test]
    fn a_client_that_never_reads_is_let_go() {
        run(async {
            let (near, _far) = duplex(16);
            let mut near = PatientStream::new(near, PATIENCE);
            let began = tokio::time::Instant::now();
            let error = near.write_all(&[0; 64]).await.expect_err("nothing takes it");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert_eq!(began.elapsed(), PATIENCE);
        });
    }

    #[test]
    fn a_slow_client_is_served_as_long_as_it_reads() {
        run(async {
            let (near, mut far) = duplex(16);
            let mut near = PatientStream::new(near, PATIENCE);
            let reader = tokio::spawn(async move {
                let mut taken = 0;
                let mut part = [0; 16];
                while taken < 160 {
                    sleep(PATIENCE * 9 / 10).await;
                    taken += far.read(&mut part).await.expect("it is open");
                }
            });
            near.write_all(&[0; 160]).await.expect("each part is taken in time");
            reader.await.expect("it read all");
        });
    }
}
