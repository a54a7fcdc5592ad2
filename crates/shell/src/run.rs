//! Running a command line.

use crate::state::{LoopControl, Output, Shell, read};
use crate::syntax::{Command, CommandKind, List, ListItem, Pipeline, Redirect, RedirectTo};
use crate::{Host, builtins, parse, tools};

/// How many commands one line may run, how deep, and how much it may print.
const MOST_STEPS: usize = 5_000;
const DEEPEST: usize = 24;
const MOST_BYTES: usize = 8 << 20;

impl Shell {
    /// Runs a command line to its end. Background jobs that are still going are left to the next line.
    pub fn run(&mut self, host: &mut dyn Host, line: &str, input: &str) -> Output {
        let list = match parse::parse(line) {
            Ok(list) => list,
            Err(error) => return Output::failed(2, format!("sh: {}\n", error.0)),
        };
        if self.depth == 0 {
            self.steps = 0;
        }
        self.is_over = false;
        let mut output = self.list(host, &list, input);
        self.is_over = false;
        output.append(Output { code: output.code, ..std::mem::take(&mut self.job_output) });
        output
    }

    pub(crate) fn list(&mut self, host: &mut dyn Host, list: &List, input: &str) -> Output {
        let mut output = Output { code: 0, ..Output::default() };
        for item in list.iter() {
            if self.is_over || self.loop_control.is_some() {
                break;
            }
            if item.in_background {
                self.begin_job(host, list, item);
                output.code = 0;
                continue;
            }
            let of_item = self.item(host, item, input);
            output.append(of_item);
            if output.stdout.len() + output.stderr.len() > MOST_BYTES {
                self.is_over = true;
                output.stderr.push_str("sh: stopped: more than 8 MiB of output\n");
                output.code = 1;
            }
        }
        output
    }

    pub(crate) fn item(&mut self, host: &mut dyn Host, item: &ListItem, input: &str) -> Output {
        let mut output = self.pipeline(host, &item.first, input);
        for (on_success, pipeline) in &item.rest {
            if self.is_over || self.loop_control.is_some() {
                break;
            }
            if (output.code == 0) == *on_success {
                let next = self.pipeline(host, pipeline, input);
                output.append(next);
            }
        }
        if self.fails_fast && output.code != 0 && item.rest.is_empty() && !item.first.is_negated {
            self.is_over = true;
        }
        output
    }

    fn pipeline(&mut self, host: &mut dyn Host, pipeline: &Pipeline, input: &str) -> Output {
        let mut output = Output::default();
        let mut stderr = String::new();
        for (at, command) in pipeline.commands.iter().enumerate() {
            let fed = if at == 0 { input } else { &output.stdout };
            let mut next = self.command(host, command, fed);
            stderr.push_str(&std::mem::take(&mut next.stderr));
            output = next;
            if pipeline.commands.len() > 1 {
                // Parts of a pipe are shells of their own: leaving one does not leave the line.
                self.is_over &= self.steps >= MOST_STEPS;
            }
        }
        if pipeline.is_negated {
            output.code = i32::from(output.code == 0);
        }
        self.last = output.code;
        Output { stderr, ..output }
    }

    fn command(&mut self, host: &mut dyn Host, command: &Command, input: &str) -> Output {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.depth > DEEPEST {
            self.is_over = true;
            return Output::failed(1, "sh: stopped: too many commands in one line\n");
        }
        self.depth += 1;
        let output = self.redirected(host, command, input);
        self.depth -= 1;
        output
    }

    fn redirected(&mut self, host: &mut dyn Host, command: &Command, input: &str) -> Output {
        let mut own_input = None;
        for redirect in command.redirects.iter().filter(|redirect| redirect.from == 0) {
            match &redirect.to {
                RedirectTo::Text(word) => own_input = Some(self.expand_one(host, word)),
                RedirectTo::ReadFile(word) => {
                    let path = self.expand_one(host, word);
                    match read(host, &path) {
                        Ok(text) => own_input = Some(text),
                        Err(why) => return Output::failed(1, format!("sh: {path}: {why}\n")),
                    }
                }
                _ => {}
            }
        }
        let output = self.kind(host, &command.kind, own_input.as_deref().unwrap_or(input));
        self.redirect(host, &command.redirects, output)
    }

    /// Sends outputs where the redirects say, in their order.
    fn redirect(&mut self, host: &mut dyn Host, redirects: &[Redirect], mut output: Output) -> Output {
        #[derive(Clone, PartialEq)]
        enum End {
            Out,
            Err,
            File(String),
        }
        let mut ends = [End::Out, End::Err];
        for redirect in redirects.iter().filter(|redirect| redirect.from != 0) {
            let end = match &redirect.to {
                RedirectTo::Stream(1) => ends[0].clone(),
                RedirectTo::Stream(2) => ends[1].clone(),
                RedirectTo::WriteFile { path, append } => {
                    let path = self.expand_one(host, path);
                    if !append && let Err(why) = write(host, &path, "", false) {
                        return Output::failed(1, format!("sh: {path}: {why}\n"));
                    }
                    End::File(path)
                }
                _ => continue,
            };
            match redirect.from {
                1 => ends[0] = end,
                2 => ends[1] = end,
                _ => ends = [end.clone(), end],
            }
        }
        let texts = [std::mem::take(&mut output.stdout), std::mem::take(&mut output.stderr)];
        // Complaints come before output where both go the same way: most tools complain first.
        for (end, text) in ends.iter().zip(&texts).rev() {
            match end {
                End::Out => output.stdout.push_str(text),
                End::Err => output.stderr.push_str(text),
                End::File(path) => {
                    if !text.is_empty()
                        && let Err(why) = write(host, path, text, true)
                    {
                        output.stderr.push_str(&format!("sh: {path}: {why}\n"));
                        output.code = 1;
                    }
                }
            }
        }
        output
    }

    fn kind(&mut self, host: &mut dyn Host, kind: &CommandKind, input: &str) -> Output {
        match kind {
            CommandKind::Simple { assignments, words } => {
                let mut before = Vec::new();
                let mut expanded = Vec::new();
                for word in words {
                    self.expand(host, word, &mut expanded);
                }
                for (name, word) in assignments {
                    let value = self.expand_one(host, word);
                    before.push((name.clone(), self.variables.insert(name.clone(), value)));
                }
                if expanded.is_empty() {
                    let complaints = std::mem::take(&mut self.complaints);
                    return Output::failed(std::mem::take(&mut self.substituted), complaints);
                }
                let complaints = std::mem::take(&mut self.complaints);
                let mut output = self.program(host, &expanded, input);
                output.stderr.insert_str(0, &complaints);
                for (name, old) in before.into_iter().rev() {
                    match old {
                        Some(old) => self.variables.insert(name, old),
                        None => self.variables.remove(&name),
                    };
                }
                output
            }
            CommandKind::Group(list) => self.list(host, list, input),
            CommandKind::Subshell(list) => {
                let mut child = self.clone();
                child.jobs.clear();
                let output = child.list(host, list, input);
                self.steps = child.steps;
                self.jobs.append(&mut child.jobs);
                output
            }
            CommandKind::For { name, words, body } => {
                let values = match words {
                    Some(words) => {
                        let mut values = Vec::new();
                        words.iter().for_each(|word| self.expand(host, word, &mut values));
                        values
                    }
                    None => self.arguments.clone(),
                };
                let mut output = Output::default();
                for value in values {
                    self.variables.insert(name.clone(), value);
                    if !self.pass(host, body, input, &mut output) {
                        break;
                    }
                }
                output
            }
            CommandKind::While { condition, body, until } => {
                let mut output = Output::default();
                while !self.is_over {
                    let checked = self.list(host, condition, input);
                    let goes_on = (checked.code == 0) != *until;
                    output.stdout.push_str(&checked.stdout);
                    output.stderr.push_str(&checked.stderr);
                    self.steps += 1;
                    if !goes_on || !self.pass(host, body, input, &mut output) {
                        break;
                    }
                }
                output
            }
            CommandKind::If { arms, otherwise } => {
                let mut output = Output::default();
                for (condition, body) in arms {
                    let checked = self.list(host, condition, input);
                    let holds = checked.code == 0;
                    output.append(Output { code: 0, ..checked });
                    if holds {
                        output.append(self.list(host, body, input));
                        return output;
                    }
                }
                if let Some(body) = otherwise {
                    output.append(self.list(host, body, input));
                }
                output
            }
            CommandKind::Case { word, arms } => {
                let value = self.expand_one(host, word);
                for (patterns, body) in arms {
                    for pattern in patterns {
                        let pattern = self.expand_one(host, pattern);
                        if crate::expand::glob_matches(&pattern, &value) {
                            return self.list(host, body, input);
                        }
                    }
                }
                Output::default()
            }
            CommandKind::Function { name, body } => {
                self.functions.insert(name.clone(), body.clone());
                Output::default()
            }
        }
    }

    /// One pass of a loop; false ends the loop.
    fn pass(&mut self, host: &mut dyn Host, body: &List, input: &str, output: &mut Output) -> bool {
        let pass = self.list(host, body, input);
        output.append(pass);
        if output.stdout.len() > MOST_BYTES {
            self.is_over = true;
        }
        self.loop_control.take() != Some(LoopControl::Break) && !self.is_over
    }

    /// Runs a command whose words are known.
    pub fn program(&mut self, host: &mut dyn Host, words: &[String], input: &str) -> Output {
        self.steps += 1;
        let output = match self.enters() && self.steps <= MOST_STEPS {
            true => self.dispatch(host, words, input),
            false => {
                self.is_over = true;
                Output::failed(1, "sh: stopped: too many commands in one line\n")
            }
        };
        self.leaves();
        output
    }

    fn dispatch(&mut self, host: &mut dyn Host, words: &[String], input: &str) -> Output {
        let name = words[0].as_str();
        if let Some(body) = self.functions.get(name).cloned() {
            let before = std::mem::replace(&mut self.arguments, words[1..].to_vec());
            let output = self.list(host, &body, input);
            self.arguments = before;
            return output;
        }
        if let Some(output) = builtins::run(self, host, words, input) {
            return output;
        }
        if host.has_tool(name)
            && let Some(tool) = tools::find(name)
        {
            return tool(&mut tools::ToolInput { shell: self, host, words, input });
        }
        match host.run(self, words, input) {
            Some(output) => output,
            None => Output::failed(127, format!("sh: {name}: command not found\n")),
        }
    }

    pub(crate) fn enters(&mut self) -> bool {
        self.depth += 1;
        self.depth <= DEEPEST
    }

    pub(crate) fn leaves(&mut self) {
        self.depth -= 1;
    }
}

fn write(host: &mut dyn Host, path: &str, text: &str, append: bool) -> Result<(), String> {
    if path == "/dev/null" { Ok(()) } else { host.write_file(path, text, append) }
}
