//! Speed and memory on a large proof.
