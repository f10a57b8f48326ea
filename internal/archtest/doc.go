// Package archtest holds the layer table of ARCHITECTURE.md against the source of all modules.
//
// The table is the data: [ReadTable] takes it from the document and [Check] compares. So a package that appears, moves
// or imports something new makes a test fail until the document tells the truth again. The rules are listed below the
// table there.
package archtest
