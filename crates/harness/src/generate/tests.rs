use super::*;
use crate::test_support::ListedActions;

fn small() -> Generator {
    Generator::new(7, GeneratorOptions { services: (3, 8), ..GeneratorOptions::default() })
}

#[test]
fn a_file_holds_the_whole_task() {
    let generator = small();
    let batch = generator.batch(6, 2, &ListedActions("none", &[]), |_| {}).expect("there are fair incidents");
    for made in &batch.made {
        let again = Task::parse(&format!("{}.toml", made.task.id), &made.text).map_err(|e| e.to_string());
        let again = again.unwrap_or_else(|e| panic!("{e}\n{}", made.text));
        let digest = made.task.digest.clone();
        assert_eq!(again.with(|task| task.digest = digest).card(), made.task.card());
    }
    let again = small().batch(6, 1, &ListedActions("none", &[]), |_| {}).expect("as before");
    let texts = |b: &Batch| b.made.iter().map(|m| m.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&batch), texts(&again));
    assert_eq!(manifest(&generator, &batch), manifest(&small(), &again));
}

#[test]
fn numbers_make_tasks_without_files() {
    let generator = small();
    for number in 0..40 {
        let scenario = generator.start(number).expect("there are fair incidents");
        assert_eq!(scenario.task().split, split(number));
        assert!(scenario.brief(faces::ToolSet::CLASSIC).text.contains("PAGE"));
    }
}

#[test]
fn what_is_held_back_is_nowhere_else() {
    let pool = &small().pool;
    for number in 0..30 {
        let task = small().task(number).expect("there are fair incidents");
        assert_eq!(task.is_held_out(), task.split == Split::Test, "{}", task.fault_text());
    }
    assert!(pool.outlines(Split::Train).is_disjoint(&pool.outlines(Split::Test)));
}
