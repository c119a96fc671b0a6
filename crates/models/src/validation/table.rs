//! `Table`: the rows of a published table, each read or refused with the reason.

use std::collections::HashMap;

use csv::{ReaderBuilder, StringRecord};
use mlsysim_quantity::nearest;
use mlsysim_scenario::{Error, Result};

/// Why a row or a case is left out, in words.
pub type Reason = String;

/// The rows of a published table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<T> {
    /// Those that could be read.
    pub rows: Vec<T>,
    /// Those that could not, so that every row is accounted for.
    pub unread: Vec<Unread>,
}

/// A row that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The name of the row, or its line where it has none.
    pub id: String,
    /// What is wrong with it.
    pub reason: Reason,
}

/// A row of a published table.
pub trait Measured: Sized {
    /// The columns that it is read from; the table has to have them, and may have more.
    const COLUMNS: &'static [&'static str];

    /// The row that `cells` hold.
    ///
    /// # Errors
    ///
    /// A cell is no number where one is needed, or empty where something is.
    fn read(cells: &Cells) -> std::result::Result<Self, Reason>;

    /// The name of the row, or its line where it has none.
    fn id(&self) -> &str;
}

/// The cells of a row by the names of their columns.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    columns: &'a HashMap<String, usize>,
    record: &'a StringRecord,
    line: u64,
}

impl<T: Measured> Table<T> {
    /// Reads a table with a header, in CSV.
    ///
    /// ```
    /// use mlsysim_models::validation::{Exclusion, Table};
    ///
    /// let table = Table::<Exclusion>::read("row_id,file,reason\nt-1,training,noise\n,training,\n")?;
    /// assert_eq!((table.rows.len(), table.unread.len()), (1, 1));
    /// assert_eq!(table.unread[0].reason, "row_id: the cell is empty");
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is no CSV, or lacks a column; the message names the nearest that it has.
    pub fn read(text: &str) -> Result<Self> {
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let malformed = |error: csv::Error| Error::malformed(format!("this is no CSV: {error}"));
        let header = reader.headers().map_err(malformed)?;
        let columns: HashMap<String, usize> =
            header.iter().enumerate().map(|(at, name)| (name.to_string(), at)).collect();
        if let Some(missing) = T::COLUMNS.iter().find(|name| !columns.contains_key(**name)) {
            let hint = match nearest(missing, header.iter()) {
                Some(near) => format!("; is it `{near}`?"),
                None => String::new(),
            };
            return Err(Error::input(*missing, format!("the table has no such column{hint}")));
        }
        let mut table = Table { rows: Vec::new(), unread: Vec::new() };
        for record in reader.records() {
            let record = record.map_err(malformed)?;
            let line = record.position().map_or(0, csv::Position::line);
            let cells = Cells { columns: &columns, record: &record, line };
            let read = match record.len() == columns.len() {
                true => T::read(&cells),
                false => Err(uneven(&record, columns.len())),
            };
            match read {
                Ok(row) => table.rows.push(row),
                Err(reason) => table.unread.push(Unread { id: cells.id(), reason }),
            }
        }
        Ok(table)
    }
}

/// Why a record that has not as many cells as the header has columns is not read.
fn uneven(record: &StringRecord, columns: usize) -> Reason {
    format!("{} cells, but there are {columns} columns", record.len())
}

impl<'a> Cells<'a> {
    /// The text of a cell; nothing where it is empty.
    pub fn text(&self, column: &str) -> Option<&'a str> {
        let cell = self.record.get(*self.columns.get(column)?)?.trim();
        Some(cell).filter(|cell| !cell.is_empty())
    }

    /// The text of a cell that may not be empty.
    ///
    /// # Errors
    ///
    /// It is empty.
    pub fn needed(&self, column: &str) -> std::result::Result<&'a str, Reason> {
        self.text(column).ok_or_else(|| format!("{column}: the cell is empty"))
    }

    /// The text of a cell, empty where it is.
    pub fn string(&self, column: &str) -> String {
        self.text(column).unwrap_or_default().to_string()
    }

    /// The number of a cell; nothing where it is empty.
    ///
    /// # Errors
    ///
    /// It is no finite number.
    pub fn number(&self, column: &str) -> std::result::Result<Option<f64>, Reason> {
        let Some(cell) = self.text(column) else { return Ok(None) };
        match cell.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            _ => Err(format!("{column}: a number is needed")),
        }
    }

    /// The whole number of a cell; nothing where it is empty.
    ///
    /// # Errors
    ///
    /// It is no whole number from 0 up to 2⁵³.
    pub fn count(&self, column: &str) -> std::result::Result<Option<u64>, Reason> {
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        match self.number(column)? {
            None => Ok(None),
            Some(number) if number.fract() == 0.0 && (0.0..=LARGEST).contains(&number) => {
                Ok(Some(number as u64))
            }
            Some(_) => Err(format!("{column}: a whole number is needed")),
        }
    }

    /// The size of a cell that may not be empty.
    ///
    /// # Errors
    ///
    /// It is empty, or no whole number from 1.
    pub fn needed_count(&self, column: &str) -> std::result::Result<u64, Reason> {
        match self.count(column)? {
            Some(0) => Err(format!("{column}: a size of at least 1 is needed, but it is 0")),
            count => count.ok_or_else(|| format!("{column}: the cell is empty")),
        }
    }

    /// The line of the table at which the row begins, from 1 for the header.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The name of the row, or its line where it has none.
    pub fn id(&self) -> String {
        match self.text("row_id") {
            Some(id) => id.to_string(),
            None => format!("line {}", self.line),
        }
    }
}

/// A row that is not to be fitted, or not to be believed, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// The row.
    pub row_id: String,
    /// Why.
    pub reason: Reason,
}

impl Measured for Exclusion {
    const COLUMNS: &'static [&'static str] = &["row_id", "reason"];

    fn read(cells: &Cells) -> std::result::Result<Self, Reason> {
        let row_id = cells.needed("row_id")?.to_string();
        Ok(Exclusion { row_id, reason: cells.needed("reason")?.to_string() })
    }

    fn id(&self) -> &str {
        &self.row_id
    }
}

impl Exclusion {
    /// Whether the row may still be held against a bound.
    pub fn is_for_the_floor(&self) -> bool {
        self.reason.contains("use for the floor only")
    }
}
