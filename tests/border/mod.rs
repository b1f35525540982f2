//! The C border, driven from Polars' side: columns of every layout it can send, and of those it cannot.
//!
//! Every call, whatever it is given, must end as a right value or as a message that names the column; every
//! struct passed must be released exactly once (`harness::ledger` counts). What no reader of the C data
//! interface can see is not tried, because the interface has no field for it: validity, views, keys or
//! offsets shorter than the array says, metadata or texts without their end.
mod harness;

mod arrays;
mod calls;
mod large_columns;
mod options;
mod repetition;
mod schemas;
mod texts;
mod valid_columns;
mod valid_lists;
