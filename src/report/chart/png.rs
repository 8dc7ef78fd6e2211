//! Pictures as PNG, for places that show no SVG: drawn with the font that ships, so the bytes are the same everywhere.

use crate::error::Error;

/// Whether this build draws PNG files.
pub const PNG: bool = cfg!(feature = "png");

/// Draws a picture of ours at twice its size, in its light colours.
#[cfg(feature = "png")]
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    use resvg::{tiny_skia, usvg};

    const SCALE: f32 = 2.0;
    let failed = |reason: String| Error::Picture(reason);
    let tree = usvg::Tree::from_str(svg, &OPTIONS).map_err(|e| failed(e.to_string()))?;
    let side = |length: f32| (length * SCALE).ceil() as u32;
    let (width, height) = (side(tree.size().width()), side(tree.size().height()));
    let mut pixels =
        tiny_skia::Pixmap::new(width, height).ok_or_else(|| failed(format!("{width} by {height} pixels")))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| failed(e.to_string()))
}

/// The one font there is: none of the system's is looked for.
#[cfg(feature = "png")]
static OPTIONS: std::sync::LazyLock<resvg::usvg::Options<'static>> = std::sync::LazyLock::new(|| {
    let mut options = resvg::usvg::Options { font_family: "DejaVu Sans".to_owned(), ..Default::default() };
    options.fontdb_mut().load_font_data(include_bytes!("../../../assets/fonts/DejaVuSans.ttf").to_vec());
    options
});

/// Says how to get a build that draws them.
#[cfg(not(feature = "png"))]
pub fn png(_svg: &str) -> Result<Vec<u8>, Error> {
    Err(Error::Picture("this build draws no PNG files; build it with `--features png`, or take SVG".to_owned()))
}

#[cfg(feature = "png")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::svg::{Anchor, Svg, TEXT};

    fn drawn(text: &str) -> Vec<u8> {
        let mut svg = Svg::default();
        svg.text((4.0, 20.0), Anchor::Start, TEXT, 12.0, text);
        let (_, svg) = svg.finish("bars", "m", (60.0, 30.0), "t", "d");
        png(&svg).unwrap()
    }

    #[test]
    fn the_same_picture_gives_the_same_bytes() {
        let first = drawn("12 tok/s");
        assert_eq!(first, drawn("12 tok/s"));
        assert_eq!(first[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!((&first[16..20], &first[20..24]), (&[0, 0, 0, 120][..], &[0, 0, 0, 60][..]), "twice the size");
    }

    #[test]
    fn text_is_drawn_with_the_font_that_ships() {
        assert_ne!(drawn("12 tok/s"), drawn(""));
        assert_ne!(drawn("12 tok/s"), drawn("13 tok/s"));
        assert_ne!(drawn("→ µ ≈ ○"), drawn("\u{10FFFD} \u{10FFFD} \u{10FFFD} \u{10FFFD}"));
    }
}
