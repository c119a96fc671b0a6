//! `mlsysim eval`: JSON lines in, JSON lines out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use mlsysim::{Library, Line, library};

use crate::output::{self, Failure};

/// Evaluates each line of the files, or of standard input, in order.
///
/// One line is in memory at a time. The command goes on after a line that is refused, and exits
/// with 1 at the end.
pub fn eval(files: &[PathBuf]) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut refused = false;
    if files.is_empty() {
        refused = lines(io::stdin().lock(), library(), &mut out)?;
    }
    for path in files {
        let read = File::open(path)
            .map_err(Failure::from)
            .and_then(|file| lines(BufReader::with_capacity(1 << 16, file), library(), &mut out));
        match read {
            Ok(any) => refused |= any,
            // The other files are none the worse for it.
            Err(Failure::Refused(message)) => {
                refused = true;
                out.flush()?;
                output::complain(&format!("{}: {message}", path.display()));
            }
            Err(closed) => return Err(closed),
        }
    }
    out.flush()?;
    Ok(if refused { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Whether any line was refused.
fn lines(mut from: impl BufRead, library: &dyn Library, out: &mut impl Write) -> Result<bool, Failure> {
    let (mut buffer, mut number, mut refused) = (Vec::new(), 0, false);
    loop {
        buffer.clear();
        if from.read_until(b'\n', &mut buffer)? == 0 {
            return Ok(refused);
        }
        number += 1;
        // A mark of the byte order may stand before the first line.
        let bytes = buffer.strip_prefix(b"\xef\xbb\xbf").filter(|_| number == 1).unwrap_or(&buffer);
        let line = match str::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => continue,
            Ok(text) => Line::evaluate(text, number, library),
            Err(_) => Line::unreadable(number, "the line is no UTF-8"),
        };
        refused |= line.is_refused();
        serde_json::to_writer(&mut *out, &line).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
    }
}
