//! JSON records from a byte stream: several on a line, one over many lines, damaged ones named and skipped.
