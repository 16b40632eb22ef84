//! Inputs kept as text: one per line, with everything but printable ASCII escaped.

/// The inputs in a file.
///
/// # Panics
/// If a line is not of this form.
pub fn read(file: &str) -> Vec<Vec<u8>> {
    file.lines().map(unescaped).collect()
}

/// The line for an input.
pub fn line(input: &[u8]) -> String {
    format!("{}\n", input.escape_ascii())
}

fn unescaped(line: &str) -> Vec<u8> {
    let mut bytes = line.bytes();
    let mut input = Vec::with_capacity(line.len());
    while let Some(byte) = bytes.next() {
        input.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'x') => {
                    let digits: String = bytes.by_ref().take(2).map(char::from).collect();
                    u8::from_str_radix(&digits, 16).unwrap_or_else(|_| panic!("`\\x{digits}` in {line}"))
                }
                Some(itself @ (b'\\' | b'"' | b'\'')) => itself,
                other => panic!("an unknown escape, {other:?}, in {line}"),
            },
            byte => byte,
        });
    }
    input
}
