// Package archtest holds the layer table of ARCHITECTURE.md against the source of all modules.
//
// The document is the data: [Read] takes the table, and the list of test support, from it and [Check] compares. So a package that appears, moves
// or imports something new makes a test fail until the document tells the truth again. The rules are listed below the
// table there.
package archtest
