// Package archtest holds documents, comments and the exported API against the source of all
// modules.
//
//	Check          the layer table of ARCHITECTURE.md: places, modules, imports, length of files
//	WideComments   lines with comments, at most 100 columns
//	Mentions       files, tests and decisions that comments and documents name
//	ReadAPI        what packages show to users: types that users cannot name, and how much it is
//	Walks          names of code in the sections of ARCHITECTURE.md that begin with "The life of"
//
// The documents are the data of the first and the last. A package that appears, moves or imports
// something new makes a test fail until ARCHITECTURE.md tells the truth again.
//
// Tables below testdata say what is still allowed although a rule forbids it. A test fails when the
// source has more of it, and when it has less, so a table only shrinks: see [Ratchet]. One command
// draws all tables again:
//
//	go test ./internal/archtest -update
package archtest
