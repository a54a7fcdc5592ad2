//! Kubelets: the life of pods on their nodes.

mod run;
