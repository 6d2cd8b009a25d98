//! The package's visualizers, and how many images a page may have.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::output_validator::visualizer::Visualizer;
use juror_core::judgement::{Evidence, ShownImage};
use juror_core::recent::RecentValues;
use juror_core::stop::Stop;

/// The most bytes of images on a page. The page shows those that are most worth looking at.
pub(super) const PAGE_BYTES: u64 = 24 << 20;
/// In bytes.
const LARGEST_IMAGE: u64 = 512 << 10;
/// For each input and each output.
const MOST_IMAGES: usize = 4;

/// The package's visualizers, if somebody sees their images.
#[derive(Default)]
pub struct Visualizers {
    pub(super) output: Option<Visualizer>,
    pub(super) input: Option<Visualizer>,
    /// The images of inputs by test case, once they are drawn.
    pub(super) inputs: RecentValues<String, Vec<ShownImage>>,
    /// How many more bytes of images the page may have.
    pub(super) page_bytes_left: AtomicU64,
}

impl Visualizers {
    pub(super) fn is_on_page(&self) -> bool {
        self.page_bytes_left.load(Ordering::Relaxed) > 0
    }

    /// Images for the page, which then has less room. Images that are too large or unreadable are left out.
    pub(super) fn copies_for_page(&self, images: &[ShownImage]) -> Vec<ShownImage> {
        let copy_image = |image: &ShownImage| {
            image.blob.len().ok().filter(|length| *length <= LARGEST_IMAGE)?;
            // Read into memory, because the file is gone before the page is written.
            let bytes = image.blob.prefix(LARGEST_IMAGE).ok()?;
            let taken = |room: u64| room.checked_sub(bytes.len() as u64);
            self.page_bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).ok()?;
            Some(ShownImage { blob: bytes.into(), ..image.clone() })
        };
        images.iter().filter_map(copy_image).take(MOST_IMAGES).collect()
    }

    pub(super) fn add_once(
        &self,
        test_case: &str,
        evidence: &mut Evidence,
        draw: impl FnOnce() -> Result<Vec<ShownImage>, Stop>,
    ) -> Result<(), Stop> {
        // Other submissions that fail on this case wait for its images, instead of drawing them again.
        let images = self.inputs.get(test_case.to_owned(), || {
            Ok::<_, Stop>(if self.is_on_page() {
                self.copies_for_page(&draw()?)
            } else {
                Vec::new()
            })
        })?;
        evidence.pictures.extend(images);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// The second submission fails while images are drawn for the first one.
    #[test]
    fn an_input_on_which_two_submissions_fail_is_drawn_once() {
        let visualizers =
            Visualizers { page_bytes_left: AtomicU64::new(PAGE_BYTES), ..Visualizers::default() };
        let draws = AtomicU64::new(0);
        let image = || {
            draws.fetch_add(1, Ordering::SeqCst);
            let blob = b"image".as_slice().into();
            Ok(vec![ShownImage { of: "input".into(), name: "a.svg".to_owned(), blob }])
        };
        let (mut first, mut second) = (Evidence::default(), Evidence::default());
        thread::scope(|scope| {
            let result = visualizers.add_once("secret/1", &mut first, || {
                scope.spawn(|| visualizers.add_once("secret/1", &mut second, image).unwrap());
                image()
            });
            result.unwrap();
        });
        assert_eq!(draws.load(Ordering::SeqCst), 1);
        assert_eq!((first.pictures.len(), second.pictures.len()), (1, 1));
        assert_eq!(visualizers.page_bytes_left.load(Ordering::SeqCst), PAGE_BYTES - 5);
    }
}
