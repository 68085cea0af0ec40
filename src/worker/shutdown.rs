//! Being asked to stop.

use tokio::sync::watch;

/// Asks everything that listens to stop. Dropping it asks too.
#[derive(Debug)]
pub struct Stop(watch::Sender<bool>);

/// Hears that it is time to stop. Cloned to every task that may have to.
#[derive(Debug, Clone)]
pub struct Shutdown(watch::Receiver<bool>);

/// A sender and its listener.
pub fn shutdown() -> (Stop, Shutdown) {
    let (sender, receiver) = watch::channel(false);
    (Stop(sender), Shutdown(receiver))
}

impl Stop {
    /// Asks for the stop. Asking twice is asking once.
    pub fn request(&self) {
        self.0.send_replace(true);
    }
}

impl Shutdown {
    /// Whether the stop was asked for.
    pub fn requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the stop is asked for.
    pub async fn wait(&mut self) {
        // An error says that the sender is gone: nobody is left to keep this running.
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_is_heard_by_those_who_listened_before_and_after() {
        let (stop, mut early) = shutdown();
        assert!(!early.requested());
        stop.request();
        early.wait().await;
        let mut late = early.clone();
        late.wait().await;
        assert!(late.requested());
    }

    #[tokio::test]
    async fn losing_the_sender_is_a_request() {
        let (stop, mut listener) = shutdown();
        drop(stop);
        listener.wait().await;
    }
}
