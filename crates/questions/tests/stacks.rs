//! Every stack of resources is proved by the simulated cloud.

use questions::resources::{STACKS, verify};

#[test]
fn every_combination_of_forms_means_what_it_says() {
    let mut applied = 0;
    for stack in STACKS.iter() {
        match verify(stack) {
            Ok(count) => applied += count,
            Err(fault) => panic!("{}: {fault}", stack.name()),
        }
    }
    assert!(applied >= 9 * 32, "{applied} configurations");
}
