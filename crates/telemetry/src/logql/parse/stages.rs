//! Stages of a pipeline.

use crate::go::{Anchoring, Regexp};
use crate::logql::ast::{
    CompareOp, Extraction, LabelChoice, LabelFilter, LabelFormat, LineFilter, LineOp, LineTest, Stage, Unit, Unwrap,
};
use crate::logql::extract::read_pattern;
use crate::logql::filters::read_ip_range;
use crate::logql::format::TemplateStage;
use crate::logql::lex::Token;
use crate::matcher::{MatchOp, Matcher};

use super::{LogqlError, Parsed, Parser};

impl Parser {
    pub(super) fn stages(&mut self) -> Parsed<Vec<Stage>> {
        let mut stages = Vec::new();
        loop {
            let op = match self.token() {
                Token::Sign("|=") => LineOp::Contains,
                Token::Sign("!=") => LineOp::ContainsNot,
                Token::Sign("|~") => LineOp::Matches,
                Token::Sign("!~") => LineOp::MatchesNot,
                Token::Sign("|>") => LineOp::Pattern,
                Token::Sign("!>") => LineOp::PatternNot,
                Token::Sign("|") => {
                    self.advance();
                    stages.push(self.stage()?);
                    continue;
                }
                _ => return Ok(stages),
            };
            self.advance();
            let mut alternatives = vec![self.line_filter(op)?];
            while self.accept("or") {
                alternatives.push(self.line_filter(op)?);
            }
            stages.push(Stage::Lines(alternatives));
        }
    }

    fn line_filter(&mut self, op: LineOp) -> Parsed<LineFilter> {
        if self.accept("ip") {
            self.expect("(", &["("])?;
            let text = self.text(&["STRING"])?;
            self.expect(")", &[")"])?;
            let range = read_ip_range(&text)
                .ok_or_else(|| LogqlError::plain(format!("ip: invalid pattern: {}", crate::go::quote(&text))))?;
            return Ok(LineFilter { op, text, test: LineTest::Ip(range) });
        }
        let text = self.text(&["STRING", "ip"])?;
        let staged =
            |why: String| LogqlError::plain(format!("stage '{} {}' : {why}", op.symbol(), crate::go::quote(&text)));
        let test = match op {
            LineOp::Contains | LineOp::ContainsNot => LineTest::Contains,
            LineOp::Matches | LineOp::MatchesNot => {
                LineTest::Regexp(Regexp::new(&text, Anchoring::Anywhere).map_err(staged)?)
            }
            LineOp::Pattern | LineOp::PatternNot => LineTest::Pattern(read_pattern(&text).map_err(staged)?),
        };
        Ok(LineFilter { op, text, test })
    }

    fn stage(&mut self) -> Parsed<Stage> {
        let word = match self.token() {
            Token::Sign(word) => *word,
            Token::Identifier(_) => return Ok(Stage::Filter(self.label_filter()?)),
            _ => return Err(self.unexpected(&[])),
        };
        match word {
            "json" => {
                self.advance();
                Ok(Stage::Json(self.extractions()?))
            }
            "logfmt" => {
                self.advance();
                let (mut strict, mut keep_empty) = (false, false);
                loop {
                    if self.accept("--strict") {
                        strict = true;
                    } else if self.accept("--keep-empty") {
                        keep_empty = true;
                    } else {
                        break;
                    }
                }
                Ok(Stage::Logfmt { strict, keep_empty, fields: self.extractions()? })
            }
            "pattern" => {
                self.advance();
                let text = self.text(&["STRING"])?;
                let invalid = |why: String| LogqlError::plain(format!("invalid pattern parser: {why}"));
                let pattern = read_pattern(&text).map_err(invalid)?;
                if !pattern.has_names() {
                    return Err(invalid("at least one capture is required".to_owned()));
                }
                Ok(Stage::Pattern(pattern))
            }
            "regexp" => {
                self.advance();
                let text = self.text(&["STRING"])?;
                let regexp = Regexp::new(&text, Anchoring::Anywhere)
                    .map_err(|why| LogqlError::plain(format!("invalid regexp parser: {why}")))?;
                if regexp.compiled().capture_names().flatten().next().is_none() {
                    return Err(LogqlError::plain(
                        "invalid regexp parser: at least one named capture must be supplied",
                    ));
                }
                Ok(Stage::Regexp(regexp))
            }
            "unpack" => self.bare(Stage::Unpack),
            "decolorize" => self.bare(Stage::Decolorize),
            "line_format" => {
                self.advance();
                let text = self.text(&["STRING"])?;
                let template = TemplateStage::new("line", &text).map_err(|why| {
                    let shown = crate::go::quote(&text);
                    LogqlError::plain(format!("stage '| line_format {shown}' : invalid line template: {why}"))
                })?;
                Ok(Stage::LineFormat(template))
            }
            "label_format" => {
                self.advance();
                self.label_formats()
            }
            "drop" | "keep" => {
                self.advance();
                let choices = self.choices()?;
                Ok(if word == "drop" { Stage::Drop(choices) } else { Stage::Keep(choices) })
            }
            "unwrap" => {
                self.advance();
                self.unwrap_stage()
            }
            "(" => Ok(Stage::Filter(self.label_filter()?)),
            _ => Err(self.unexpected(&[])),
        }
    }

    fn bare(&mut self, stage: Stage) -> Parsed<Stage> {
        self.advance();
        Ok(stage)
    }

    fn extractions(&mut self) -> Parsed<Vec<Extraction>> {
        let mut out = Vec::new();
        while let Token::Identifier(label) = self.token() {
            let label = label.clone();
            self.advance();
            let path = if self.accept("=") { self.text(&["STRING"])? } else { label.clone() };
            out.push(Extraction { label, path });
            if !self.accept(",") {
                break;
            }
        }
        Ok(out)
    }

    fn label_formats(&mut self) -> Parsed<Stage> {
        let mut out: Vec<LabelFormat> = Vec::new();
        let mut shown: Vec<String> = Vec::new();
        let mut targets: Vec<String> = Vec::new();
        loop {
            let target = self.identifier(&["IDENTIFIER"])?;
            self.expect("=", &["="])?;
            let format = match self.token().clone() {
                Token::Identifier(source) => {
                    self.advance();
                    shown.push(format!("{target}={source}"));
                    LabelFormat::Rename { target: target.clone(), source }
                }
                Token::Text(text) => {
                    self.advance();
                    shown.push(format!("{target}={}", crate::go::quote(&text)));
                    let template = TemplateStage::new(&target, &text).map_err(|why| {
                        LogqlError::plain(format!(
                            "stage '| label_format {}' : invalid template for label '{target}': {why}",
                            shown.join(",")
                        ))
                    })?;
                    LabelFormat::Set { target: target.clone(), template }
                }
                _ => return Err(self.unexpected(&["IDENTIFIER", "STRING"])),
            };
            out.push(format);
            targets.push(target);
            if !self.accept(",") {
                break;
            }
        }
        let twice = targets.iter().enumerate().find(|(i, t)| targets[..*i].contains(t));
        if let Some((_, twice)) = twice {
            return Err(LogqlError::plain(format!(
                "stage '| label_format {}' : multiple label name '{twice}' not allowed in a single format operation",
                shown.join(",")
            )));
        }
        Ok(Stage::LabelFormat(out))
    }

    fn choices(&mut self) -> Parsed<Vec<LabelChoice>> {
        let mut out = Vec::new();
        loop {
            let name = self.identifier(&["IDENTIFIER"])?;
            let op = match self.token() {
                Token::Sign("=") => Some(MatchOp::Equal),
                Token::Sign("!=") => Some(MatchOp::NotEqual),
                Token::Sign("=~") => Some(MatchOp::Matches),
                Token::Sign("!~") => Some(MatchOp::NotMatches),
                _ => None,
            };
            let matcher = match op {
                Some(op) => {
                    self.advance();
                    let value = self.text(&["STRING"])?;
                    Some((op, Matcher::new(name.clone(), op, value).map_err(LogqlError::plain)?))
                }
                None => None,
            };
            out.push(LabelChoice { name, matcher });
            if !self.accept(",") {
                return Ok(out);
            }
        }
    }

    fn unwrap_stage(&mut self) -> Parsed<Stage> {
        let conversion = match self.token() {
            Token::Sign(name @ ("duration" | "duration_seconds" | "bytes")) => Some((*name).to_owned()),
            _ => None,
        };
        let label = if conversion.is_some() {
            self.advance();
            self.expect("(", &["("])?;
            let label = self.identifier(&["IDENTIFIER"])?;
            self.expect(")", &[")"])?;
            label
        } else {
            self.identifier(&[])?
        };
        Ok(Stage::Unwrap(Unwrap { label, conversion, filters: Vec::new() }))
    }

    fn label_filter(&mut self) -> Parsed<LabelFilter> {
        self.deeper()?;
        let mut left = self.label_filter_and()?;
        while self.accept("or") {
            self.deeper()?;
            left = LabelFilter::Or(Box::new(left), Box::new(self.label_filter_and()?));
        }
        Ok(left)
    }

    fn label_filter_and(&mut self) -> Parsed<LabelFilter> {
        let mut left = self.label_filter_one()?;
        loop {
            let explicit = self.accept("and") || self.accept(",");
            if !explicit && !matches!(self.token(), Token::Identifier(_)) {
                return Ok(left);
            }
            self.deeper()?;
            left = LabelFilter::And(Box::new(left), Box::new(self.label_filter_one()?));
        }
    }

    fn label_filter_one(&mut self) -> Parsed<LabelFilter> {
        if self.accept("(") {
            let inner = self.label_filter()?;
            self.expect(")", &[])?;
            return Ok(inner);
        }
        let label = self.identifier(&[])?;
        let sign = match self.token() {
            Token::Sign(sign @ ("=" | "==" | "!=" | "=~" | "!~" | ">" | ">=" | "<" | "<=")) => *sign,
            _ => return Err(self.unexpected(&[])),
        };
        self.advance();
        let source = self.source().to_owned();
        let op = match sign {
            "=" | "==" => CompareOp::Equal,
            "!=" => CompareOp::NotEqual,
            ">" => CompareOp::Greater,
            ">=" => CompareOp::GreaterEqual,
            "<" => CompareOp::Less,
            "<=" => CompareOp::LessEqual,
            _ => {
                let value = self.text(&[])?;
                let op = if sign == "=~" { MatchOp::Matches } else { MatchOp::NotMatches };
                return Matcher::new(label, op, value).map(LabelFilter::Text).map_err(LogqlError::plain);
            }
        };
        let negative = if self.is("-") {
            self.advance();
            -1.0
        } else {
            1.0
        };
        let (value, unit) = match self.token() {
            Token::Number(value) => (negative * value, Unit::Plain),
            Token::Duration(nanos) => (negative * *nanos as f64 / 1e9, Unit::Duration),
            Token::Bytes(value) => (*value, Unit::Bytes),
            Token::Text(text) if matches!(sign, "=" | "!=") => {
                let op = if sign == "=" { MatchOp::Equal } else { MatchOp::NotEqual };
                let matcher = Matcher::new(label, op, text.clone()).map_err(LogqlError::plain)?;
                self.advance();
                return Ok(LabelFilter::Text(matcher));
            }
            Token::Sign("ip") if matches!(sign, "=" | "!=") => {
                self.advance();
                self.expect("(", &["("])?;
                let text = self.text(&["STRING"])?;
                self.expect(")", &[")"])?;
                let range = read_ip_range(&text)
                    .ok_or_else(|| LogqlError::plain(format!("ip: invalid pattern: {}", crate::go::quote(&text))))?;
                return Ok(LabelFilter::Ip { label, negative: sign == "!=", range, source: text });
            }
            _ => return Err(self.unexpected(&[])),
        };
        self.advance();
        Ok(LabelFilter::Number { label, op, value, unit, source })
    }
}
