//! The package's visualizers, and how many images a page may have.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::output_validator::visualizer::Visualizer;
use juror_core::judgement::{Evidence, ShownImage};
use juror_core::stop::Stop;

/// The most bytes of images on a page. The page shows those that are most worth looking at.
pub(super) const PAGE_BYTES: u64 = 24 << 20;
/// In bytes.
const LARGEST_IMAGE: u64 = 512 << 10;
/// For each input and each output.
const MOST_IMAGES: usize = 4;

type DrawnImages = Option<Vec<ShownImage>>;

/// The package's visualizers, if somebody sees their images.
#[derive(Default)]
pub struct Visualizers {
    pub(super) output: Option<Visualizer>,
    pub(super) input: Option<Visualizer>,
    /// The images of inputs by test case, once they are drawn.
    pub(super) inputs: Mutex<HashMap<String, Arc<Mutex<DrawnImages>>>>,
    /// How many more bytes of images the page may have.
    pub(super) page_bytes_left: AtomicU64,
}

impl Visualizers {
    pub(super) fn is_on_page(&self) -> bool {
        self.page_bytes_left.load(Ordering::Relaxed) > 0
    }

    /// Adds images to the page. Images that are too large or unreadable are left out.
    pub(super) fn add(&self, images: &[ShownImage], evidence: &mut Evidence) {
        let copy_image = |image: &ShownImage| {
            image.blob.len().ok().filter(|length| *length <= LARGEST_IMAGE)?;
            // Read into memory, because the file is gone before the page is written.
            let bytes = image.blob.prefix(LARGEST_IMAGE).ok()?;
            let taken = |room: u64| room.checked_sub(bytes.len() as u64);
            self.page_bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).ok()?;
            Some(ShownImage { blob: bytes.into(), ..image.clone() })
        };
        evidence.pictures.extend(images.iter().filter_map(copy_image).take(MOST_IMAGES));
    }

    pub(super) fn add_once(
        &self,
        test_case: &str,
        evidence: &mut Evidence,
        draw: impl FnOnce() -> Result<Vec<ShownImage>, Stop>,
    ) -> Result<(), Stop> {
        let of_case = Arc::clone(self.inputs.lock().entry(test_case.to_owned()).or_default());
        // Other submissions that fail on this case wait for its images, instead of drawing them again.
        let mut known = of_case.lock();
        if let Some(known) = &*known {
            evidence.pictures.extend(known.iter().cloned());
        } else if self.is_on_page() {
            let before = evidence.pictures.len();
            self.add(&draw()?, evidence);
            *known = Some(evidence.pictures[before..].to_vec());
        }
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
        // Owned by the map, the first submission and, once it wants the images, the second one.
        let owners = || {
            let inputs = visualizers.inputs.lock();
            inputs.get("secret/1").map_or(0, Arc::strong_count)
        };
        let (mut first, mut second) = (Evidence::default(), Evidence::default());
        thread::scope(|scope| {
            let result = visualizers.add_once("secret/1", &mut first, || {
                scope.spawn(|| visualizers.add_once("secret/1", &mut second, image).unwrap());
                while owners() < 3 && draws.load(Ordering::SeqCst) == 0 {
                    thread::yield_now();
                }
                image()
            });
            result.unwrap();
        });
        assert_eq!(draws.load(Ordering::SeqCst), 1);
        assert_eq!((first.pictures.len(), second.pictures.len()), (1, 1));
        assert_eq!(visualizers.page_bytes_left.load(Ordering::SeqCst), PAGE_BYTES - 5);
    }
}
