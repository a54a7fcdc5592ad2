//! Binary operators: scalars, a vector with a scalar, and the way to vectors with vectors.

use crate::promql::ast::{Binary, PromqlOperator};

use super::EvalError;
use super::block::{ABSENT, Block, Evaluated, Steps, is_absent};
use super::eval::Evaluator;

impl<'a> Evaluator<'a> {
    pub fn binary(&mut self, binary: &Binary, steps: Steps) -> Result<Evaluated<'a>, EvalError> {
        let left = self.eval(&binary.left, steps)?;
        let right = self.eval(&binary.right, steps)?;
        match (left, right) {
            (Evaluated::Scalar(left), Evaluated::Scalar(right)) => {
                Ok(Evaluated::Scalar(left.iter().zip(&right).map(|(l, r)| number(binary.op, *l, *r)).collect()))
            }
            (Evaluated::Vector(block), Evaluated::Scalar(scalar)) => {
                self.with_scalar(binary, block, &scalar, |element, scalar| (element, scalar)).map(Evaluated::Vector)
            }
            (Evaluated::Scalar(scalar), Evaluated::Vector(block)) => {
                self.with_scalar(binary, block, &scalar, |element, scalar| (scalar, element)).map(Evaluated::Vector)
            }
            (Evaluated::Vector(left), Evaluated::Vector(right)) => {
                let matching = binary.matching.as_ref().expect("vectors keep their matching");
                if binary.op.is_set() {
                    return self.set_operation(binary.op, matching, left, right).map(Evaluated::Vector);
                }
                self.matched(binary, matching, left, right, steps).map(Evaluated::Vector)
            }
            _ => unreachable!("types were checked"),
        }
    }

    /// The element's value is kept by a comparison on whichever side it stands.
    fn with_scalar(
        &mut self,
        binary: &Binary,
        mut block: Block<'a>,
        scalar: &[f64],
        sides: impl Fn(f64, f64) -> (f64, f64),
    ) -> Result<Block<'a>, EvalError> {
        let filter = binary.op.is_comparison() && !binary.returns_bool;
        if !filter {
            block = block.without_names(self.delayed())?;
        }
        let width = block.width;
        for (i, value) in block.values.iter_mut().enumerate().filter(|(_, v)| !is_absent(**v)) {
            let (left, right) = sides(*value, scalar[i % width]);
            let result = number(binary.op, left, right);
            *value = match filter {
                true if result == 0.0 => ABSENT,
                true => *value,
                false => result,
            };
        }
        Ok(block)
    }
}

/// The value of an operator for two numbers; comparisons give 0 or 1.
pub(super) fn number(op: PromqlOperator, left: f64, right: f64) -> f64 {
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    match op {
        PromqlOperator::Add => left + right,
        PromqlOperator::Sub => left - right,
        PromqlOperator::Mul => left * right,
        PromqlOperator::Div => left / right,
        PromqlOperator::Mod => left % right,
        PromqlOperator::Pow => libm::pow(left, right),
        PromqlOperator::Atan2 => libm::atan2(left, right),
        PromqlOperator::Equal => truth(left == right),
        PromqlOperator::NotEqual => truth(left != right),
        PromqlOperator::Less => truth(left < right),
        PromqlOperator::LessEqual => truth(left <= right),
        PromqlOperator::Greater => truth(left > right),
        PromqlOperator::GreaterEqual => truth(left >= right),
        PromqlOperator::And | PromqlOperator::Or | PromqlOperator::Unless => {
            unreachable!("set operators have no numbers")
        }
    }
}
