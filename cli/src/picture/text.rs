//! How wide text will be, without knowing the font: it must not run out of its box in any of those that a reader may
//! have.

/// Widths of bold ASCII from the space on, in hundredths of the font size: of each character the widest among Arial's
/// metric twin, Cantarell, Inter, Noto Sans, Open Sans and Roboto.
const ASCII: [i32; 95] = [
    28, 33, 47, 69, 65, 101, 75, 27, 41, 41, 56, 68, 30, 47, 30, 41, 69, 57, 63, 66, 68, 64, 66, 59, 66, 66,
    33, 33, 68, 68, 68, 61, 103, 75, 72, 75, 74, 67, 61, 78, 77, 39, 57, 72, 61, 94, 81, 80, 67, 80, 72, 67,
    67, 76, 75, 104, 71, 72, 67, 41, 42, 41, 59, 56, 61, 60, 64, 59, 64, 60, 39, 63, 66, 31, 31, 62, 31, 98,
    66, 62, 63, 63, 45, 56, 43, 66, 59, 86, 58, 59, 57, 41, 55, 41, 68,
];
/// Other alphabets, and what stands in for whole words or pictures.
const OTHER: i32 = 85;
const FULL: i32 = 110;
/// DejaVu and Verdana are wider than all of the above, by about a tenth.
const SPARE: (i32, i32) = (11, 10);

/// An upper bound of the width of a line, in pixels.
pub fn width(text: &str, size: i32) -> i32 {
    let hundredths: i32 = text.chars().map(advance).sum();
    hundredths * size * SPARE.0 / (100 * SPARE.1) + 1
}

fn advance(character: char) -> i32 {
    let code = u32::from(character);
    let ascii = code.checked_sub(32).and_then(|index| usize::try_from(index).ok());
    match ascii.and_then(|index| ASCII.get(index)) {
        Some(advance) => *advance,
        None if code < 0x1100 => OTHER,
        None => FULL,
    }
}

/// Breaks a text into at most so many lines of at most that width, where a name has a seam if possible. What does not
/// fit ends in an ellipsis. Lines are about equally long.
pub fn wrap(text: &str, size: i32, limit: i32, most: usize) -> Vec<String> {
    let whole = width(text, size);
    let count = whole / limit + 1;
    if usize::try_from(count).is_ok_and(|count| count > most) {
        return break_up(text, size, limit, most).0;
    }
    let even = whole / count;
    let as_few = |lines: &[String]| i32::try_from(lines.len()).is_ok_and(|lines| lines <= count);
    let mut room = even;
    while room < limit {
        let (lines, clean) = break_up(text, size, room, most);
        if clean && as_few(&lines) {
            return lines;
        }
        room += limit / 16 + 1;
    }
    let (lines, _) = break_up(text, size, limit.min(even + limit / 8), most);
    if as_few(&lines) {
        return lines;
    }
    break_up(text, size, limit, most).0
}

/// The lines, and whether nothing was torn apart or left out.
fn break_up(text: &str, size: i32, limit: i32, most: usize) -> (Vec<String>, bool) {
    let mut lines: Vec<String> = Vec::new();
    let mut whole = true;
    let mut rest = text;
    while !rest.is_empty() {
        let end = fitting(rest, size, limit);
        if end == rest.len() {
            lines.push(rest.to_owned());
            break;
        }
        if lines.len() + 1 == most {
            let room = limit - width("…", size);
            let shown = rest.get(..fitting(rest, size, room)).unwrap_or(rest);
            lines.push(format!("{shown}…"));
            whole = false;
            break;
        }
        let seam = seam(rest, end);
        whole &= seam.is_some();
        let (line, after) = rest.split_at_checked(seam.unwrap_or(end)).unwrap_or((rest, ""));
        lines.push(line.trim_end().to_owned());
        rest = after.trim_start();
    }
    (lines, whole)
}

/// How many bytes of a text fit into a width; at least one character does.
fn fitting(text: &str, size: i32, limit: i32) -> usize {
    let mut hundredths = 0;
    let mut ends = text
        .char_indices()
        .map(|(start, character)| (start + character.len_utf8(), character));
    let first = ends.next().map_or(0, |(end, character)| {
        hundredths += advance(character);
        end
    });
    let fits = ends.take_while(|(_, character)| {
        hundredths += advance(*character);
        hundredths * size * SPARE.0 / (100 * SPARE.1) < limit
    });
    fits.last().map_or(first, |(end, _)| end)
}

/// The last place up to an end, in the second half before it, where a name is best broken: after a sign, or before
/// the capital letter of a further word.
fn seam(text: &str, end: usize) -> Option<usize> {
    let pairs = text.char_indices().zip(text.chars().skip(1));
    let seams = pairs.filter_map(|((start, before), after)| {
        let is_seam = matches!(before, '-' | '_' | '.' | '/' | ':' | ' ')
            || (before.is_lowercase() && after.is_uppercase());
        is_seam.then_some(start + before.len_utf8())
    });
    seams
        .take_while(|seam| *seam <= end)
        .filter(|seam| *seam > end / 2)
        .last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, most: usize, expected: &[&str]) {
        let lines = wrap(text, 10, 100, most);
        assert_eq!(lines, expected);
        for line in lines {
            assert!(width(&line, 10) <= 101, "{line}");
        }
    }

    #[test]
    fn names_are_broken_at_their_seams() {
        check("short", 3, &["short"]);
        check("", 3, &[]);
        check("ordersOfCustomersQueue", 3, &["ordersOf", "CustomersQueue"]);
        check("orders-of-customers-queue", 3, &["orders-of-", "customers-queue"]);
        check(
            "aws/lambda/eventSourceMapping",
            2,
            &["aws/lambda/", "eventSourceM…"],
        );
        check(
            "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii",
            3,
            &["iiiiiiiiiiiiiiiiiiiiii", "iiiiiiiiiiiiiiiii"],
        );
        check("雪雪雪雪雪雪雪雪雪雪", 2, &["雪雪雪雪雪雪", "雪雪雪雪"]);
        check("雪雪雪雪雪雪雪雪雪雪", 1, &["雪雪雪雪雪雪雪…"]);
    }

    #[test]
    fn no_character_is_lost_however_narrow_it_is() {
        assert_eq!(wrap("abc", 10, 1, 5), ["a", "b", "c"]);
    }
}
