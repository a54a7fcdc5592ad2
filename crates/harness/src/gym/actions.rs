//! Actions by number: a tool, a service and one more choice. An action is only ever played as the text
//! that [`Board`] writes out for it, so a number can do no more than a text can.

use faces::{Takes, Tool, ToolSet};

use super::board::Board;
use super::choices;
use super::layout::Layout;

/// All actions of one set of tools in worlds of up to so many services.
#[derive(Clone)]
pub struct ActionSpace {
    tools: ToolSet,
    services: usize,
    blocks: Vec<Block>,
}

/// One action: the positions of its tool, its service and its further choice. What a tool does not
/// take is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
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
    first: usize,
    services: usize,
    choices: Vec<String>,
}

impl ActionSpace {
    /// The actions of a set of tools.
    pub fn new(tools: ToolSet, services: usize) -> ActionSpace {
        let mut first = 0;
        let block = |&tool: &&'static dyn Tool| {
            let block = Block {
                tool,
                first,
                services: if is_about_one(tool) { services } else { 1 },
                choices: choices::of(tool),
            };
            first += block.len();
            block
        };
        ActionSpace { tools, services, blocks: tools.tools().iter().map(block).collect() }
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
    pub fn decode(&self, number: usize) -> Option<Move> {
        let tool = self.blocks.iter().position(|block| number < block.first + block.len())?;
        let (block, within) = (&self.blocks[tool], number - self.blocks[tool].first);
        Some(Move { tool, service: within / block.choices.len(), arg: within % block.choices.len() })
    }

    /// The number of an action, if it is within bounds.
    pub fn encode(&self, action: Move) -> Option<usize> {
        let block = self.blocks.get(action.tool)?;
        let service = if block.services == 1 { 0 } else { action.service };
        let arg = if block.choices.len() == 1 { 0 } else { action.arg };
        let inside = service < block.services && arg < block.choices.len();
        inside.then(|| block.first + service * block.choices.len() + arg)
    }

    /// The text of an action for whoever has been shown what is on the board.
    pub fn render(&self, action: Move, board: &Board) -> String {
        match self.blocks.get(action.tool) {
            Some(block) => choices::render(block.tool, action, board),
            None => format!("tool_{}()", action.tool),
        }
    }

    /// Marks in the flat numbering what can be done with what is on the board.
    pub fn mask(&self, board: &Board, out: &mut [u8]) {
        out.fill(0);
        let known = board.services().min(self.services);
        for block in &self.blocks {
            let width = block.choices.len();
            for service in 0..if is_about_one(block.tool) { known } else { 1 } {
                let from = block.first + service * width;
                choices::mask(block.tool, service, board, &mut out[from..from + width]);
            }
        }
    }

    /// The same for each of tool, service and choice on its own, one behind the other: a choice is
    /// marked if some tool can make it. `flat` is what [`ActionSpace::mask`] gave.
    pub fn factored(&self, flat: &[u8], out: &mut [u8]) {
        out.fill(0);
        let (tools, rest) = out.split_at_mut(self.blocks.len());
        let (services, args) = rest.split_at_mut(self.services);
        for (tool, block) in self.blocks.iter().enumerate() {
            let rows = flat[block.first..block.first + block.len()].chunks_exact(block.choices.len());
            for (service, row) in rows.enumerate() {
                for (arg, _) in row.iter().enumerate().filter(|(_, allowed)| **allowed == 1) {
                    (tools[tool], args[arg]) = (1, 1);
                    services[service] |= u8::from(is_about_one(block.tool));
                }
            }
        }
    }

    /// An action drawn from those that are marked: first the tool, then the rest, so that tools with
    /// many choices are not taken more often.
    pub fn sample(&self, flat: &[u8], draw: impl Fn(u64) -> u64) -> Move {
        let marked = |block: &Block| flat[block.first..block.first + block.len()].iter().filter(|a| **a == 1).count();
        let mut counts = [0usize; 32];
        let mut usable = 0;
        for (at, block) in self.blocks.iter().enumerate() {
            counts[at] = marked(block);
            usable += u64::from(counts[at] > 0);
        }
        let which = draw(usable) as usize;
        let at = (0..self.blocks.len()).filter(|at| counts[*at] > 0).nth(which).unwrap_or(0);
        let block = &self.blocks[at];
        let nth = draw(counts[at] as u64) as usize;
        let within = flat[block.first..block.first + block.len()].iter().enumerate().filter(|(_, a)| **a == 1).nth(nth);
        let within = within.map_or(0, |(within, _)| within);
        Move { tool: at, service: within / block.choices.len(), arg: within % block.choices.len() }
    }
}

impl Block {
    fn len(&self) -> usize {
        self.services * self.choices.len()
    }
}

/// Whether a tool is used on one service; closing an incident names the one at fault.
fn is_about_one(tool: &dyn Tool) -> bool {
    tool.params().first().is_some_and(|param| param.takes == Takes::Service) || tool.name() == choices::RESOLVE
}

/// How many names of keys there are, for the numbering of settings.
pub(super) fn key_count() -> usize {
    Layout::get().keys().len()
}
