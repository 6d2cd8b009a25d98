//! Texts and mazes.

use crate::draw::{ShapedChooser, place};
use crate::port::LoopState;
use crate::shape::Values;

impl ShapedChooser<'_> {
    /// A text of the same length in the shape of its site.
    pub(super) fn reshaped_text(
        &mut self,
        site: usize,
        text: &[u8],
        loops: &[LoopState],
    ) -> Option<Vec<u8>> {
        let one = *text.iter().min()?;
        let other = text.iter().copied().filter(|byte| *byte != one).min().unwrap_or(one);
        // Texts of the same letters, since one is often looked for in another.
        let [one, other] = self.letters.unwrap_or([one, other]);
        self.letters = (one != other).then_some([one, other]);
        let mut letters = vec![one; text.len()];
        match self.values[site] {
            Values::Equal => {}
            Values::AlmostPeriod => *letters.last_mut()? = other,
            Values::OnePlace => letters[text.len() / 2] = other,
            Values::Alternating => letters.iter_mut().skip(1).step_by(2).for_each(|it| *it = other),
            Values::Blocks => letters[text.len() / 2..].fill(other),
            Values::FewDistinct => {
                letters.iter_mut().for_each(|it| *it = [one, other][self.chance.below(2) as usize]);
            }
            Values::ThueMorse => {
                for (index, letter) in letters.iter_mut().enumerate() {
                    *letter = [one, other][(index.count_ones() % 2) as usize];
                }
            }
            Values::Fibonacci => {
                let (mut shorter, mut longer) = (vec![other], vec![one]);
                while longer.len() < text.len() {
                    let next = [&*longer, &*shorter].concat();
                    shorter = std::mem::replace(&mut longer, next);
                }
                letters.copy_from_slice(&longer[..text.len()]);
            }
            Values::Echo => {
                let mut echo = Vec::new();
                while echo.len() < text.len() {
                    let source = self.echoed.as_ref().unwrap_or(&echo);
                    if source.is_empty() || self.chance.happens(300) {
                        echo.push([one, other][self.chance.below(2) as usize]);
                    } else {
                        let end = 1 + self.chance.below(source.len() as u64) as usize;
                        echo.extend(source[..end].to_vec());
                    }
                }
                letters.copy_from_slice(&echo[..text.len()]);
                self.echoed.get_or_insert_with(|| letters.clone());
            }
            Values::Serpentine => {
                let row = place(self.case(loops).1.last()?);
                let columns = text.len() as u64;
                for (column, letter) in (0..).zip(&mut letters) {
                    *letter = if self.is_high([row, (column, columns)]) { other } else { one };
                }
            }
            _ => return None,
        }
        Some(letters)
    }

    /// Whether a cell of a maze has the greater letter or number. The only path has every other row, and cells between
    /// them at alternate ends. Each coordinate has an index and a size.
    pub(super) fn is_high(&mut self, cell: [(u64, u64); 2]) -> bool {
        let chance = &mut self.chance;
        let [is_turned, is_path_high] =
            *self.maze.get_or_insert_with(|| [(); 2].map(|()| chance.happens(500)));
        let [(row, rows), (column, columns)] = if is_turned { [cell[1], cell[0]] } else { cell };
        let end = if row % 4 == 1 { columns - 1 } else { 0 };
        // The last row is open, so that the path has both corners.
        let is_path = row.is_multiple_of(2) || row + 1 == rows || column == end;
        is_path == is_path_high
    }
}
