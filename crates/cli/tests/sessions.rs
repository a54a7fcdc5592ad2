//! Runs every session in `tests/sessions`, each in a folder of its own.

#[allow(dead_code, reason = "each test needs a part of it")]
mod session;

macro_rules! sessions {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { session::run(stringify!($name)); })*
        const ALL: &[&str] = &[$(stringify!($name)),*];
    };
}

sessions![
    audit,
    bad_input,
    beside,
    check,
    compare,
    exec,
    export,
    first_run,
    generate,
    help,
    judge,
    models,
    new_questions,
    new_task,
    own_tasks,
    play,
    power,
    prompts,
    rehearse,
    report,
    resume,
    serve,
    show,
    skills,
    tampering,
];

#[test]
fn every_session_is_run() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    for entry in std::fs::read_dir(folder).expect("the sessions are there") {
        let path = entry.expect("a folder can be read").path();
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        assert!(ALL.contains(&name.as_str()), "{name}.md is not run: list it in tests/sessions.rs");
    }
}
