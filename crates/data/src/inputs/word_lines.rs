//! An input as lines of words, for packages without a grammar: small changes, removals, and lower values.
//!
//! The meaning of the words is unknown. Trials find the number that counts removed or repeated parts: each change
//! comes with several numbers before it that may be its count. Validators decide which results are valid.

use juror_grammar::chance::Chance;
use juror_grammar::shrink::is_smaller;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordLines {
    lines: Vec<Vec<Vec<u8>>>,
}

/// A line and a word in it.
type WordPosition = (usize, usize);

/// Adjacent parts that can be removed or doubled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PartRange {
    container: Container,
    first: usize,
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Lines,
    Words(usize),
    /// The words of all lines with this number of words.
    Columns(usize),
    Letters(WordPosition),
    /// The letters of all lines that are one word of this length.
    LetterColumns(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartChange {
    Remove,
    Double,
}

/// Upper bound on the numbers that may be the count of a part.
const COUNTS_MAX: usize = 4;

/// The number that a word writes in canonical form.
fn number(word: &[u8]) -> Option<i128> {
    let number: i128 = std::str::from_utf8(word).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == word).then_some(number)
}

/// Some numbers nearer to zero, as words.
fn lower_words(number: i128) -> Vec<Vec<u8>> {
    let mut lower = vec![0, 1, number / 2, number - number.signum()];
    lower.dedup();
    lower.retain(|lower| lower.abs() < number.abs());
    lower.into_iter().map(|lower| lower.to_string().into_bytes()).collect()
}

impl WordLines {
    /// All white space between words becomes one space.
    pub fn read(input: &[u8]) -> Self {
        let words = |line: &[u8]| {
            let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            words.map(<[u8]>::to_vec).collect()
        };
        let input = input.strip_suffix(b"\n").unwrap_or(input);
        Self { lines: input.split(|byte| *byte == b'\n').map(words).collect() }
    }

    pub fn text(&self) -> Vec<u8> {
        let lines = self.lines.iter();
        lines.flat_map(|line| [line.join(&b' '), vec![b'\n']].concat()).collect()
    }

    fn positions(&self) -> impl Iterator<Item = WordPosition> + '_ {
        let lines = self.lines.iter().enumerate();
        lines.flat_map(|(line, words)| (0..words.len()).map(move |word| (line, word)))
    }

    fn word(&self, position: WordPosition) -> &[u8] {
        &self.lines[position.0][position.1]
    }

    fn number_at(&self, position: WordPosition) -> Option<i128> {
        number(self.word(position))
    }

    fn with_word(&self, position: WordPosition, word: Vec<u8>) -> Self {
        let mut changed = self.clone();
        changed.lines[position.0][position.1] = word;
        changed
    }

    fn containers(&self) -> Vec<Container> {
        /// If there are more line lengths than this, lines do not form columns.
        const KINDS: usize = 8;
        let mut containers = vec![Container::Lines];
        let mut add_if_several = |container: Container, count: usize| {
            if count > 1 && !containers.contains(&container) {
                containers.push(container);
            }
        };
        let lines_of_width =
            |width: usize| self.lines.iter().filter(|line| line.len() == width).count();
        let words_of_length = |length: usize| {
            let is_such = |line: &&Vec<Vec<u8>>| line.len() == 1 && line[0].len() == length;
            self.lines.iter().filter(is_such).count()
        };
        let widths = self.lines.iter().map(Vec::len);
        let mut widths: Vec<usize> = widths.filter(|width| *width > 1).collect();
        let words = self.lines.iter().filter(|line| line.len() == 1).map(|line| line[0].len());
        let mut lengths: Vec<usize> = words.filter(|length| *length > 1).collect();
        for sizes in [&mut widths, &mut lengths] {
            sizes.sort_unstable();
            sizes.dedup();
            sizes.truncate(KINDS);
        }
        for width in widths {
            add_if_several(Container::Columns(width), lines_of_width(width));
        }
        for length in lengths {
            add_if_several(Container::LetterColumns(length), words_of_length(length));
        }
        containers.extend((0..self.lines.len()).map(Container::Words));
        let words = self.positions().filter(|position| self.number_at(*position).is_none());
        containers.extend(words.map(Container::Letters));
        containers
    }

    fn size(&self, container: Container) -> usize {
        match container {
            Container::Lines => self.lines.len(),
            Container::Words(line) => self.lines[line].len(),
            Container::Columns(width) | Container::LetterColumns(width) => width,
            Container::Letters(position) => self.word(position).len(),
        }
    }

    /// The numbers that may be the size of the container, and how much the part adds to each.
    fn possible_counts(&self, part: PartRange) -> Vec<(WordPosition, i128)> {
        let size = self.size(part.container) as i128;
        let own = part.count as i128;
        let (before, is_exact) = match part.container {
            Container::Lines => ((part.first, 0), false),
            Container::Words(line) => ((line, part.first), true),
            Container::Letters(position) => (position, true),
            Container::Columns(_) | Container::LetterColumns(_) => ((self.lines.len(), 0), true),
        };
        let may_be = |position: &WordPosition| {
            self.number_at(*position).is_some_and(|number| {
                if is_exact {
                    // A count in the same line does not count itself.
                    number == size || (position.0 == before.0 && number == size - 1)
                } else {
                    number >= 1
                }
            })
        };
        let positions = self.positions().take_while(|position| *position < before).filter(may_be);
        let positions: Vec<WordPosition> = positions.collect();
        let (last, first) =
            (positions.iter().rev().take(COUNTS_MAX / 2), positions.iter().take(COUNTS_MAX / 2));
        let mut counts: Vec<WordPosition> = last.chain(first).copied().collect();
        counts.sort_unstable();
        counts.dedup();
        // Several lines may form one test case.
        let amounts = |position| {
            let one = (!is_exact && own > 1).then_some((position, 1));
            [(position, own)].into_iter().chain(one)
        };
        counts.into_iter().flat_map(amounts).collect()
    }

    /// Removes or doubles a part. A number that counts it changes as well.
    fn with_change(
        &self,
        part: PartRange,
        change: PartChange,
        count: Option<(WordPosition, i128)>,
    ) -> Self {
        let mut changed = self.clone();
        if let Some((position, by)) = count
            && let Some(number) = self.number_at(position)
        {
            let number = number + if change == PartChange::Double { by } else { -by };
            changed.lines[position.0][position.1] = number.to_string().into_bytes();
        }
        let (from, to) = (part.first, part.first + part.count);
        fn edit<T: Clone>(all: &mut Vec<T>, from: usize, to: usize, change: PartChange) {
            match change {
                PartChange::Remove => drop(all.drain(from..to)),
                PartChange::Double => {
                    let again = all[from..to].to_vec();
                    all.splice(to..to, again);
                }
            }
        }
        match part.container {
            Container::Lines => edit(&mut changed.lines, from, to, change),
            Container::Words(line) => edit(&mut changed.lines[line], from, to, change),
            Container::Letters((line, word)) => {
                edit(&mut changed.lines[line][word], from, to, change)
            }
            Container::Columns(width) => {
                for line in changed.lines.iter_mut().filter(|line| line.len() == width) {
                    edit(line, from, to, change);
                }
            }
            Container::LetterColumns(length) => {
                for line in &mut changed.lines {
                    if let [word] = &mut line[..]
                        && word.len() == length
                    {
                        edit(word, from, to, change);
                    }
                }
            }
        }
        // A word without letters disappears.
        changed.lines.iter_mut().for_each(|line| line.retain(|word| !word.is_empty()));
        changed
    }

    /// Large parts come first.
    fn parts(&self) -> impl Iterator<Item = PartRange> {
        let sizes =
            self.containers().into_iter().map(|container| (container, self.size(container)));
        let sizes: Vec<(Container, usize)> = sizes.collect();
        sizes.into_iter().flat_map(|(container, size)| {
            /// Up to this many adjacent lines or words are tried at every position.
            const TOGETHER: usize = 4;
            let halves = std::iter::successors(Some(size / 2), |count| Some(count / 2));
            let halves = halves.take_while(|count| *count > TOGETHER);
            let counts = halves.chain((1..=TOGETHER.min(size)).rev());
            counts.flat_map(move |count| {
                let step = if count > TOGETHER { count } else { 1 };
                (0..=size - count).step_by(step).map(move |first| PartRange {
                    container,
                    first,
                    count,
                })
            })
        })
    }

    /// First without each part, then with each number lowered and each word simplified.
    fn smaller_versions(&self) -> impl Iterator<Item = Self> + '_ {
        let without = self.parts().flat_map(move |part| {
            let counts = self.possible_counts(part).into_iter().map(Some).chain([None]);
            counts.map(move |count| self.with_change(part, PartChange::Remove, count))
        });
        let simpler = self.positions().flat_map(move |position| {
            let words: Vec<Vec<u8>> = match self.number_at(position) {
                Some(number) => lower_words(number),
                None => {
                    let word = self.word(position);
                    let least = word.iter().min().copied().unwrap_or(b'a');
                    vec![vec![least; word.len()]]
                }
            };
            words.into_iter().map(move |word| self.with_word(position, word))
        });
        without.chain(simpler).chain(self.lowered_everywhere())
    }

    /// All occurrences of one number are lowered together: it may be a name.
    fn lowered_everywhere(&self) -> impl Iterator<Item = Self> + '_ {
        /// Upper bound on the numbers to lower.
        const NUMBERS: usize = 50;
        let mut numbers: Vec<i128> =
            self.positions().filter_map(|position| self.number_at(position)).collect();
        numbers.sort_unstable();
        let twice = numbers.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let mut names: Vec<i128> = twice.collect();
        names.dedup();
        names.truncate(NUMBERS);
        names.into_iter().flat_map(move |name| {
            lower_words(name).into_iter().map(move |word| {
                let mut changed = self.clone();
                for position in
                    self.positions().filter(|position| self.number_at(*position) == Some(name))
                {
                    changed.lines[position.0][position.1].clone_from(&word);
                }
                changed
            })
        })
    }

    #[must_use]
    pub fn varied(&self, others: &ExtremeNumbers, chance: &mut Chance) -> Self {
        let mut changed = self.with_random_edit(others, chance);
        while chance.happens(500) {
            changed = changed.with_random_edit(others, chance);
        }
        changed
    }

    fn with_random_edit(&self, others: &ExtremeNumbers, chance: &mut Chance) -> Self {
        let positions: Vec<WordPosition> = self.positions().collect();
        let Some(&position) = chance.pick(&positions) else { return self.clone() };
        match chance.below(10) {
            // Another word.
            0..=3 => match self.number_at(position) {
                Some(number) => {
                    let word = self.other_number(position, number, others, chance);
                    self.with_word(position, word.to_string().into_bytes())
                }
                None => self.with_word(position, self.other_word(position, chance)),
            },
            4..=5 => self.with_random_change(PartChange::Remove, chance),
            6 => self.with_random_change(PartChange::Double, chance),
            // Two words are exchanged, often of one line.
            7 => {
                let other = if chance.happens(700) {
                    (position.0, chance.below(self.lines[position.0].len() as u64) as usize)
                } else {
                    *chance.pick(&positions).unwrap_or(&position)
                };
                let mut changed = self.with_word(position, self.word(other).to_vec());
                changed.lines[other.0][other.1] = self.word(position).to_vec();
                changed
            }
            // Two lines are exchanged.
            8 => {
                let mut changed = self.clone();
                changed.lines.swap(position.0, chance.below(self.lines.len() as u64) as usize);
                changed
            }
            // One line is sorted, reversed, made of one word, or rotated.
            _ => {
                let mut changed = self.clone();
                let line = &mut changed.lines[position.0];
                match chance.below(4) {
                    0 => line.sort_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.cmp(b))),
                    1 => line.reverse(),
                    2 => line.fill(self.word(position).to_vec()),
                    _ => line.rotate_left(1),
                }
                changed
            }
        }
    }

    fn with_random_change(&self, change: PartChange, chance: &mut Chance) -> Self {
        let containers = self.containers();
        // Lines and columns come first. At least half of the changes are among the first eight, so that many words do
        // not crowd them out.
        let among = if chance.happens(500) { containers.len().min(8) } else { containers.len() };
        let container = containers[chance.below(among as u64) as usize];
        let size = self.size(container);
        if size == 0 {
            return self.clone();
        }
        let length = if chance.happens(700) { 1 } else { 1 + chance.below(size as u64) as usize };
        let first = chance.below((size - length + 1) as u64) as usize;
        let part = PartRange { container, first, count: length };
        let count = chance.pick(&self.possible_counts(part)).copied();
        self.with_change(part, change, count.filter(|_| chance.happens(900)))
    }

    /// A number near the old one, like other numbers, or large.
    fn other_number(
        &self,
        position: WordPosition,
        number: i128,
        others: &ExtremeNumbers,
        chance: &mut Chance,
    ) -> i128 {
        let line = &self.lines[position.0];
        let column: Vec<&Vec<u8>> =
            self.lines.iter().filter_map(|line| line.get(position.1)).collect();
        let from_line = chance.pick(line).and_then(|word| self::number(word));
        let from_column = chance.pick(&column).and_then(|word| self::number(word));
        match chance.below(10) {
            0 => number - 1,
            1 => number + 1,
            2 => 0,
            3 => 1,
            4 => from_line.unwrap_or(number),
            5 => from_column.unwrap_or(number),
            6 => others.least,
            7 => others.most,
            8 => number.checked_mul(2).unwrap_or(number),
            _ => {
                let most = number.unsigned_abs().clamp(1, u128::from(u64::MAX)) as u64;
                let size = i128::from(chance.below(most));
                if number < 0 { -size } else { size }
            }
        }
    }

    /// A word of the same length: one letter replaced by another one of the input, or all letters equal.
    fn other_word(&self, position: WordPosition, chance: &mut Chance) -> Vec<u8> {
        let mut word = self.word(position).to_vec();
        let words = self.positions().filter(|word| self.number_at(*word).is_none());
        let letters: Vec<u8> = words.flat_map(|word| self.word(word).iter().copied()).collect();
        let letter = chance.pick(&letters).copied().unwrap_or(b'a');
        if chance.happens(800) {
            let at = chance.below(word.len() as u64) as usize;
            word[at] = letter;
        } else {
            word.fill(letter)
        }
        word
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtremeNumbers {
    least: i128,
    most: i128,
}

impl ExtremeNumbers {
    pub fn of<'s>(inputs: impl Iterator<Item = &'s WordLines>) -> Self {
        let mut numbers = Self::default();
        for input in inputs {
            for number in input.positions().filter_map(|position| input.number_at(position)) {
                numbers.least = numbers.least.min(number);
                numbers.most = numbers.most.max(number);
            }
        }
        numbers
    }
}

/// Tries at most `most` smaller inputs, and goes on from those that are interesting.
pub fn shrink(input: &[u8], mut is_interesting: impl FnMut(&[u8]) -> bool, most: u64) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut tried = 0;
    loop {
        let before = best.clone();
        let mut next = 0;
        'again: loop {
            let lines = WordLines::read(&best);
            for smaller in lines.smaller_versions().skip(next) {
                if tried >= most {
                    return best;
                }
                let text = smaller.text();
                if is_smaller(&text, &best) {
                    tried += 1;
                    if is_interesting(&text) {
                        best = text;
                        continue 'again;
                    }
                }
                next += 1;
            }
            break;
        }
        if best == before {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accepts `n`, then a line with `n` numbers.
    fn is_row(text: &str) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        let &[count, row] = &lines[..] else { return false };
        let numbers: Option<Vec<u64>> = row.split(' ').map(|word| word.parse().ok()).collect();
        count.parse().ok() == numbers.map(|numbers| numbers.len())
    }

    /// Accepts `n m`, then `m` lines of two numbers up to `n`.
    fn is_graph(text: &str) -> bool {
        let row = |line: &str| -> Option<Vec<usize>> {
            line.split(' ').map(|word| word.parse().ok()).collect()
        };
        let Some(rows) = text.lines().map(row).collect::<Option<Vec<_>>>() else { return false };
        let [first, edges @ ..] = &rows[..] else { return false };
        let &[nodes, count] = &first[..] else { return false };
        let is_edge = |edge: &Vec<usize>| {
            edge.len() == 2 && edge.iter().all(|node| (1..=nodes).contains(node))
        };
        edges.len() == count && edges.iter().all(is_edge)
    }

    /// Accepts `t`, then for each test case a row as in [`is_row`].
    fn is_rows(text: &str) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        let [count, rows @ ..] = &lines[..] else { return false };
        count.parse().ok() == Some(rows.len() / 2)
            && rows.chunks(2).all(|row| is_row(&format!("{}\n", row.join("\n"))))
    }

    /// Accepts `r c`, then `r` words of `c` letters.
    fn is_grid(text: &str) -> bool {
        let lines: Vec<&str> = text.lines().collect();
        let [first, rows @ ..] = &lines[..] else { return false };
        let width = rows.first().map_or(0, |row| row.len());
        *first == format!("{} {width}", rows.len()) && rows.iter().all(|row| row.len() == width)
    }

    #[test]
    fn inputs_shrink_without_a_grammar() {
        let check =
            |input: &str, is_valid: fn(&str) -> bool, fails: fn(&str) -> bool, expected: &str| {
                assert!(is_valid(input) && fails(input), "{input}");
                let is_interesting = |text: &[u8]| {
                    let text = std::str::from_utf8(text).unwrap();
                    is_valid(text) && fails(text)
                };
                let small = shrink(input.as_bytes(), is_interesting, 5000);
                assert_eq!(String::from_utf8(small).unwrap(), expected, "{input}");
            };
        let has_nine = |text: &str| text.split_whitespace().any(|word| word == "9");
        check("5\n1 9 1 70 3\n", is_row, has_nine, "1\n9\n");
        let is_large = |text: &str| {
            let numbers =
                text.split_whitespace().skip(1).filter_map(|word| word.parse::<u64>().ok());
            numbers.sum::<u64>() >= 100
        };
        check("4\n50 60 70 80\n", is_row, is_large, "2\n20 80\n");
        let has_loop = |text: &str| {
            text.lines().skip(1).any(|line| line.split_once(' ').is_some_and(|(a, b)| a == b))
        };
        check("5 4\n1 2\n3 3\n4 5\n2 5\n", is_graph, has_loop, "1 1\n1 1\n");
        check("3\n2\n4 4\n3\n1 9 2\n1\n7\n", is_rows, has_nine, "1\n1\n9\n");
        let has_mine = |text: &str| text.contains('x');
        check("3 4\n....\n..x.\n....\n", is_grid, has_mine, "1 1\nx\n");
    }

    #[test]
    fn random_changes_are_often_valid() {
        let check = |input: &str, is_valid: fn(&str) -> bool, least: usize| {
            let sheet = WordLines::read(input.as_bytes());
            let numbers = ExtremeNumbers::of([&sheet].into_iter());
            let mut chance = Chance::new(1, "test");
            let mut valid: Vec<String> = Vec::new();
            for _ in 0..400 {
                let text = String::from_utf8(sheet.varied(&numbers, &mut chance).text()).unwrap();
                if is_valid(&text) && !valid.contains(&text) {
                    valid.push(text);
                }
            }
            assert!(valid.len() >= least, "{input}: {}", valid.len());
        };
        check("5\n1 9 1 70 3\n", is_row, 100);
        check("5 4\n1 2\n3 3\n4 5\n2 5\n", is_graph, 50);
        check("3\n2\n4 4\n3\n1 9 2\n1\n7\n", is_rows, 50);
        check("3 4\n....\n..x.\n....\n", is_grid, 20);
    }

    #[test]
    fn any_input_can_be_changed() {
        let mut chance = Chance::new(2, "test");
        for text in [
            "",
            "\n",
            "\n\n",
            "a",
            "a b\n\nc\n",
            "-5 0\n",
            "\u{e4} 99999999999999999999999999999999999999999\n",
        ] {
            let mut sheet = WordLines::read(text.as_bytes());
            let numbers = ExtremeNumbers::of([&sheet].into_iter());
            for _ in 0..300 {
                sheet = sheet.varied(&numbers, &mut chance);
                if sheet.text().len() > 200 {
                    sheet = WordLines::read(text.as_bytes());
                }
            }
            assert!(!sheet.text().windows(2).any(|pair| pair == b"  "), "{text}");
        }
    }

    #[test]
    fn an_input_survives_reading_and_writing() {
        for text in ["1\n", "1 2\n\n3\n", "a  b\tc\n"] {
            let again = WordLines::read(text.as_bytes()).text();
            let words = |text: &[u8]| {
                String::from_utf8_lossy(text)
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(words(&again), words(text.as_bytes()));
            assert_eq!(WordLines::read(&again).text(), again);
        }
    }
}
