//! SVG to PNG. Text needs a font of the machine; without one, or without the feature `png`, there are
//! SVG files only.

#[cfg(feature = "png")]
pub use with::Painter;
#[cfg(not(feature = "png"))]
pub use without::Painter;

#[cfg(feature = "png")]
mod with {
    use std::sync::Arc;

    use anyhow::{Context, anyhow};
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::fontdb::{Database, Family, Query};
    use resvg::usvg::{Options, Tree};

    use crate::say;

    /// Twice the size of the drawing is sharp on paper and on dense screens.
    const SCALE: f32 = 2.0;

    /// Fonts that most machines have one of; the first found is used for all text.
    const FONTS: [&str; 7] =
        ["Inter", "Segoe UI", "Helvetica Neue", "Liberation Sans", "DejaVu Sans", "Noto Sans", "Arial"];

    /// Paints drawings with the machine's fonts.
    pub struct Painter {
        options: Options<'static>,
    }

    impl Painter {
        /// A painter, unless the machine has no font.
        pub fn new() -> Option<Painter> {
            let mut fonts = Database::new();
            fonts.load_system_fonts();
            let family = FONTS.iter().find(|name| has(&fonts, name)).map(|name| (*name).to_owned());
            let family = family.or_else(|| Some(fonts.faces().next()?.families.first()?.0.clone()));
            let Some(family) = family else {
                say::note(
                    "No font was found, so there are no PNG plots; install one (such as DejaVu Sans), or use the SVG plots.",
                );
                return None;
            };
            fonts.set_sans_serif_family(&family);
            let options = Options { font_family: family, fontdb: Arc::new(fonts), ..Options::default() };
            Some(Painter { options })
        }

        /// A drawing as PNG.
        pub fn paint(&self, svg: &str) -> anyhow::Result<Vec<u8>> {
            let tree = Tree::from_str(svg, &self.options).context("cannot be read as SVG")?;
            let size = tree.size().to_int_size().scale_by(SCALE).ok_or_else(|| anyhow!("it has no size"))?;
            let mut paper = Pixmap::new(size.width(), size.height()).ok_or_else(|| anyhow!("it is too large"))?;
            resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut paper.as_mut());
            paper.encode_png().context("cannot be written as PNG")
        }
    }

    fn has(fonts: &Database, name: &str) -> bool {
        fonts.query(&Query { families: &[Family::Name(name)], ..Query::default() }).is_some()
    }
}

#[cfg(not(feature = "png"))]
mod without {
    /// There is no painter: this program was built without the feature `png`.
    pub struct Painter;

    impl Painter {
        /// None.
        pub fn new() -> Option<Painter> {
            None
        }

        /// Never called: there is no painter.
        pub fn paint(&self, _svg: &str) -> anyhow::Result<Vec<u8>> {
            anyhow::bail!("this program was built without the feature `png`")
        }
    }
}
