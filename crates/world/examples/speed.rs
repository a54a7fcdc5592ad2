use std::sync::Arc;
use std::time::Instant;
use world::*;
fn main() {
    let plan = Arc::new(Blueprint::compile(&shop()).unwrap());
    let t = Instant::now();
    for s in 0..2 {
        std::hint::black_box(World::healthy(&plan, Seed(s), Noise(0)));
    }
    println!("healthy {:?}", t.elapsed() / 2);
    let mut w = World::healthy(&plan, Seed(0), Noise(0));
    let t = Instant::now();
    let end = w.now() + Span::hours(2);
    w.run_until(end);
    println!("tick {:?}", t.elapsed() / (2 * 720));
    let w = World::healthy(&plan, Seed(0), Noise(0));
    let t = Instant::now();
    for _ in 0..10 {
        std::hint::black_box(w.clone());
    }
    println!("clone {:?} bytes {} history {}", t.elapsed() / 10, w.bytes(), w.history().bytes());
}
