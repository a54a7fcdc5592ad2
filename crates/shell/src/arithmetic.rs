//! Whole numbers in `$((...))`.

/// Evaluates an expression of numbers, names, brackets and the usual signs.
pub fn evaluate(text: &str, lookup: &mut dyn FnMut(&str) -> String) -> Result<i64, String> {
    let mut reader = Reader { rest: text, lookup, depth: 0 };
    let value = reader.binary(0)?;
    match reader.rest.trim_start() {
        "" => Ok(value),
        rest => Err(format!("syntax error in expression (error token is \"{rest}\")")),
    }
}

struct Reader<'a> {
    rest: &'a str,
    lookup: &'a mut dyn FnMut(&str) -> String,
    depth: usize,
}

/// The signs by how tightly they bind, loosest first.
const LEVELS: [&[&str]; 6] = [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

impl Reader<'_> {
    fn binary(&mut self, level: usize) -> Result<i64, String> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            self.rest = self.rest.trim_start();
            let Some(sign) = signs.iter().find(|sign| self.rest.starts_with(**sign)) else { return Ok(left) };
            self.rest = &self.rest[sign.len()..];
            let right = self.binary(level + 1)?;
            left = match *sign {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                _ if right == 0 => return Err("division by 0".into()),
                "/" => left.wrapping_div(right),
                _ => left.wrapping_rem(right),
            };
        }
    }

    fn unary(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > 100 {
            return Err("expression recursion level exceeded".into());
        }
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().ok_or("syntax error: operand expected")?;
        let value = match first {
            '-' | '+' | '!' => {
                self.rest = &self.rest[1..];
                let value = self.unary()?;
                match first {
                    '-' => value.wrapping_neg(),
                    '+' => value,
                    _ => i64::from(value == 0),
                }
            }
            '(' => {
                self.rest = &self.rest[1..];
                let value = self.binary(0)?;
                self.rest = self.rest.trim_start().strip_prefix(')').ok_or("missing `)'")?;
                value
            }
            _ => {
                let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                if word.is_empty() {
                    return Err(format!("syntax error: operand expected (error token is \"{}\")", self.rest));
                }
                self.rest = rest;
                match word.parse() {
                    Ok(number) => number,
                    Err(_) if first.is_ascii_digit() => {
                        return Err(format!("value too great for base (error token is \"{word}\")"));
                    }
                    Err(_) => (self.lookup)(word).trim().parse().unwrap_or(0),
                }
            }
        };
        self.depth -= 1;
        Ok(value)
    }
}
