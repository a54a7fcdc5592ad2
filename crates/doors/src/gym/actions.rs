//! Actions by number: a tool, a service and one more choice. An action is only ever played as the text
//! that [`Observation`] writes out for it, so a number can do no more than a text can.

use std::sync::{Arc, OnceLock};

use faces::learn::{Choices, KnownToLearner};
use faces::{Tool, ToolSet};

use super::layout::Layout;
use super::observation::{Observation, Unlocked};

/// All actions of one set of tools in worlds of up to so many services.
#[derive(Clone)]
pub struct ActionSpace {
    tools: ToolSet,
    services: usize,
    blocks: Vec<Block>,
    /// What can be done at the page, by the number of services.
    pages: Vec<OnceLock<Arc<Mask>>>,
}

/// One action: the positions of its tool, its service and its further choice. What a tool does not
/// take is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GymAction {
    /// The tool, in the order of its set.
    pub tool: usize,
    /// The service, in the order of the brief.
    pub service: usize,
    /// The further choice; see [`ActionSpace::choices`].
    pub arg: usize,
}

/// The actions of one tool in the flat numbering.
#[derive(Clone)]
struct Block {
    tool: &'static dyn Tool,
    picks: &'static dyn Choices,
    first: usize,
    services: usize,
    choices: Vec<String>,
}

impl ActionSpace {
    /// The actions of a set of tools.
    pub fn new(tools: ToolSet, services: usize) -> ActionSpace {
        let mut first = 0;
        let block = |&tool: &&'static dyn Tool| {
            let picks = tool.choices();
            let choices = picks.names(Layout::get().vocabulary());
            let mut block = Block { tool, picks, first, services: 1, choices };
            block.services = if block.is_about_one() { services } else { 1 };
            first += block.len();
            block
        };
        let blocks = tools.tools().iter().map(block).collect();
        ActionSpace { tools, services, blocks, pages: vec![OnceLock::new(); services + 1] }
    }

    /// The set of tools.
    pub fn tools(&self) -> ToolSet {
        self.tools
    }

    /// For how many services there is room.
    pub fn services(&self) -> usize {
        self.services
    }

    /// How many actions there are in the flat numbering.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(Block::len).sum()
    }

    /// Whether there is none; there always is one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many tools, services and further choices there are.
    pub fn sizes(&self) -> [usize; 3] {
        let most = self.blocks.iter().map(|block| block.choices.len()).max().unwrap_or(1);
        [self.blocks.len(), self.services, most]
    }

    /// The names of a tool's further choices; one without a name if it takes none.
    pub fn choices(&self, tool: usize) -> &[String] {
        self.blocks.get(tool).map_or(&[], |block| &block.choices)
    }

    /// The action of that number.
    pub fn decode(&self, number: usize) -> Option<GymAction> {
        let tool = self.blocks.iter().position(|block| number < block.first + block.len())?;
        let (block, within) = (&self.blocks[tool], number - self.blocks[tool].first);
        Some(GymAction { tool, service: within / block.choices.len(), arg: within % block.choices.len() })
    }

    /// The number of an action, if it is within bounds.
    pub fn encode(&self, action: GymAction) -> Option<usize> {
        let block = self.blocks.get(action.tool)?;
        let service = if block.services == 1 { 0 } else { action.service };
        let arg = if block.choices.len() == 1 { 0 } else { action.arg };
        let inside = service < block.services && arg < block.choices.len();
        inside.then(|| block.first + service * block.choices.len() + arg)
    }

    /// The text of an action for a learner that has been shown what is on the board.
    pub fn render(&self, action: GymAction, board: &Observation) -> String {
        match self.blocks.get(action.tool) {
            Some(block) => block.render(action, board),
            None => format!("tool_{}()", action.tool),
        }
    }

    /// What can be done at the page of a world with so many services, before anything was read.
    pub(super) fn at_page(&self, board: &Observation) -> Arc<Mask> {
        let known = board.services().min(self.services);
        self.pages[known].get_or_init(|| Arc::new(self.whole_mask(board))).clone()
    }

    /// All that can be done with what is on the board.
    pub(super) fn whole_mask(&self, board: &Observation) -> Mask {
        let mut mask = Mask {
            flat: vec![0; self.len()],
            factors: vec![0; self.sizes().iter().sum()],
            counts: vec![0; self.blocks.len()],
        };
        let known = board.services().min(self.services);
        for tool in 0..self.blocks.len() {
            let rows = if self.blocks[tool].is_about_one() { known } else { 1 };
            (0..rows).for_each(|service| self.mark(tool, service, board, &mut mask));
        }
        mask
    }

    /// Adds what news have opened. Nothing that could be done ever becomes impossible.
    pub(super) fn update(&self, board: &Observation, unlocked: Unlocked, mask: &mut Mask) {
        for (tool, block) in self.blocks.iter().enumerate() {
            match (block.is_about_one(), block.picks.opens()) {
                (true, true) => {
                    let with_unlocked = (0..self.services).filter(|service| unlocked.services >> service & 1 == 1);
                    with_unlocked.for_each(|service| self.mark(tool, service, board, mask));
                }
                (false, true) if unlocked.lists => self.mark(tool, 0, board, mask),
                _ => {}
            }
        }
    }

    /// Marks the choices of a tool on a service, in every form of the mask.
    fn mark(&self, tool: usize, service: usize, board: &Observation, mask: &mut Mask) {
        let block = &self.blocks[tool];
        let width = block.choices.len();
        let row = &mut mask.flat[block.first + service * width..][..width];
        let before: usize = ones(row);
        block.picks.mark(service, board, row);
        mask.counts[tool] += ones(row) - before;
        let (tools, rest) = mask.factors.split_at_mut(self.blocks.len());
        let (services, args) = rest.split_at_mut(self.services);
        args.iter_mut().zip(&*row).for_each(|(arg, allowed)| *arg |= allowed);
        tools[tool] |= u8::from(mask.counts[tool] > 0);
        services[service] |= u8::from(block.services > 1 || self.services == 1);
    }

    /// An action drawn from those that are marked: first the tool, then the rest, so that tools with
    /// many choices are not taken more often.
    pub(super) fn sample(&self, mask: &Mask, mut draw: impl FnMut(u64) -> u64) -> GymAction {
        let usable = mask.counts.iter().filter(|count| **count > 0).count();
        let which = draw(usable as u64) as usize;
        let tools = mask.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let tool = tools.map(|(tool, _)| tool).nth(which).unwrap_or(0);
        let block = &self.blocks[tool];
        let nth = draw(mask.counts[tool] as u64) as usize;
        let within = nth_one(&mask.flat[block.first..block.first + block.len()], nth);
        GymAction { tool, service: within / block.choices.len(), arg: within % block.choices.len() }
    }
}

/// What can be done, in the flat numbering and for tool, service and choice each on its own.
pub(super) struct Mask {
    pub flat: Vec<u8>,
    pub factors: Vec<u8>,
    /// How many actions of each tool are marked.
    counts: Vec<usize>,
}

impl Clone for Mask {
    fn clone(&self) -> Mask {
        Mask { flat: self.flat.clone(), factors: self.factors.clone(), counts: self.counts.clone() }
    }

    /// Into the same memory: every reset copies one.
    fn clone_from(&mut self, other: &Mask) {
        self.flat.clone_from(&other.flat);
        self.factors.clone_from(&other.factors);
        self.counts.clone_from(&other.counts);
    }
}

fn ones(cells: &[u8]) -> usize {
    cells.iter().map(|cell| usize::from(*cell)).sum()
}

/// The position of the `nth` mark. Whole words are skipped: most cells of a mask are empty.
fn nth_one(cells: &[u8], nth: usize) -> usize {
    let mut left = nth;
    for (at, word) in cells.chunks(8).enumerate() {
        let here = ones(word);
        if left < here {
            let marks = word.iter().enumerate().filter(|(_, cell)| **cell == 1);
            return at * 8 + marks.map(|(within, _)| within).nth(left).unwrap_or(0);
        }
        left -= here;
    }
    0
}

impl Block {
    fn len(&self) -> usize {
        self.services * self.choices.len()
    }

    /// Whether the tool is used on one service; closing an incident names the one at fault.
    fn is_about_one(&self) -> bool {
        self.names_service() || self.picks.is_about_service()
    }

    fn names_service(&self) -> bool {
        self.tool.params().first().is_some_and(|param| param.kind.is_service())
    }

    /// The call: the service where the tool takes one, then what was picked.
    fn render(&self, action: GymAction, board: &Observation) -> String {
        let args = self.picks.args(action.service, action.arg, board);
        let mut out = String::with_capacity(64);
        out.push_str(self.tool.name());
        out.push('(');
        if self.names_service() {
            out.push_str(&board.service_name(action.service));
            out.push_str(if args.is_empty() { "" } else { ", " });
        }
        out.push_str(&args);
        out.push(')');
        out
    }
}
