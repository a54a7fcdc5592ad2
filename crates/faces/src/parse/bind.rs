//! Gives each parameter its piece: by name, or in order.

use std::borrow::Cow;

use crate::param::Writing;
use crate::tool::Tool;

use super::Piece;
use crate::nearest::{clip, unknown};

/// One slot per parameter; empty where nothing was given.
pub(super) type GivenValues<'a> = Vec<Option<Cow<'a, str>>>;

/// Binds pieces to parameters. Text without quotes may contain commas where only one reading is
/// possible; `text` is what the bare pieces were cut from.
pub(super) fn bind<'a>(
    tool: &'static dyn Tool,
    pieces: &'a [Piece<'a>],
    text: &'a str,
) -> Result<GivenValues<'a>, String> {
    let mut slots = Slots { tool, text, values: vec![None; tool.params().len()], last: None, crossed: false };
    let keys: Vec<Option<usize>> = pieces.iter().map(|p| slots.named(p)).collect::<Result<_, _>>()?;
    for (piece, key) in pieces.iter().zip(&keys) {
        match key {
            Some(slot) => slots.by_name(*slot, piece)?,
            None => slots.in_order(&keys, piece)?,
        }
    }
    slots.values.iter_mut().for_each(|v| {
        v.take_if(|v| v.trim().is_empty());
    });
    Ok(slots.values)
}

struct Slots<'a> {
    tool: &'static dyn Tool,
    text: &'a str,
    values: GivenValues<'a>,
    /// The slot of the piece before, if more prose may follow it, and where that prose begins.
    last: Option<Prose>,
    /// Whether a comma ended prose without quotes, so that another comma could have been meant.
    crossed: bool,
}

#[derive(Clone, Copy)]
struct Prose {
    slot: usize,
    from: usize,
    by_name: bool,
}

impl<'a> Slots<'a> {
    /// The slot that a piece names.
    fn named(&self, piece: &Piece<'_>) -> Result<Option<usize>, String> {
        let Some(key) = &piece.key else { return Ok(None) };
        let params = self.tool.params();
        let slot = params.iter().position(|p| p.name.eq_ignore_ascii_case(key.trim()));
        slot.map(Some).ok_or_else(|| {
            let known: Vec<&str> = params.iter().map(|p| p.name).collect();
            let name = self.tool.name();
            if known.is_empty() {
                return format!("{name} takes no arguments; got `{}`", clip(key));
            }
            unknown(&format!("{name} has no argument"), key, "it takes", &known)
        })
    }

    fn by_name(&mut self, slot: usize, piece: &'a Piece<'a>) -> Result<(), String> {
        if self.values[slot].is_some() {
            return Err(format!("`{}` is given twice; write {}", self.tool.params()[slot].name, self.tool.signature()));
        }
        self.set(slot, piece);
        Ok(())
    }

    fn in_order(&mut self, keys: &[Option<usize>], piece: &'a Piece<'a>) -> Result<(), String> {
        let in_order = |slot: usize| !self.tool.params()[slot].kind.is_named_only();
        let is_free = |slot: usize| self.values[slot].is_none() && !keys.contains(&Some(slot)) && in_order(slot);
        let free = (0..self.values.len()).find(|&slot| is_free(slot));
        let prose = self.last.filter(|_| piece.bare.is_some());
        match (prose, free) {
            (None, Some(slot)) => self.set(slot, piece),
            (None, None) => return Err(self.too_many(piece)),
            (Some(prose), Some(_)) if prose.by_name => return Err(self.ambiguous()),
            (Some(_), Some(slot)) => {
                self.crossed = true;
                self.set(slot, piece);
            }
            (Some(prose), None) if !self.crossed => {
                let end = piece.bare.map_or(prose.from, |(_, to)| to);
                self.values[prose.slot] = Some(self.text[prose.from..end].into());
            }
            (Some(_), None) => return Err(self.ambiguous()),
        }
        Ok(())
    }

    fn set(&mut self, slot: usize, piece: &'a Piece<'a>) {
        let prose = self.tool.params()[slot].kind.writing() == Writing::Prose;
        let by_name = piece.key.is_some();
        self.last = piece.bare.filter(|_| prose).map(|(from, _)| Prose { slot, from, by_name });
        self.values[slot] = Some(Cow::Borrowed(&*piece.value));
    }

    fn too_many(&self, piece: &Piece<'_>) -> String {
        match self.tool.params().len() {
            0 => format!("{} takes no arguments; got `{}`", self.tool.name(), clip(&piece.value)),
            _ => format!("there is an argument too many, `{}`; write {}", clip(&piece.value), self.tool.signature()),
        }
    }

    fn ambiguous(&self) -> String {
        let needed = self.tool.params().iter().filter(|param| !param.optional);
        let parts: Vec<String> = needed.map(|p| format!("{}=\"...\"", p.name)).collect();
        let name = self.tool.name();
        format!(
            "the commas can be read in more than one way; put each argument into quotes: {name}({})",
            parts.join(", ")
        )
    }
}
