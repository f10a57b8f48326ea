// Package archtest compares documents, comments and the exported API with the source of all
// modules, and with rules.
//
//	ReadTree       the source, read once for all of them
//	Check          the layer table of ARCHITECTURE.md: places, modules, imports, length of files;
//	               that only the env files of the root folder ask whether a runtime is simulated
//	WideComments   lines with comments, at most 100 columns
//	Mentions       files, tests and decisions that comments and documents name, and links
//	MisnamedDocs   comments that begin with another name than that of their declaration
//	API            the exported API: types that users cannot name, and its size
//	Circles        files of a package that lead to each other, and whether they are of one room
//	Walks          names of code in the sections of ARCHITECTURE.md that begin with "The life of"
//	Way            the way of a message that comments of a file draw, and its number of files
//
// The documents are the data of Check and Walks. A package that appears, moves or imports
// something new makes a test fail until ARCHITECTURE.md tells the truth again.
//
// Tables below testdata list the violations of a rule that are still allowed. A test fails when the
// source has more of them, and when it has fewer, so a table only shrinks: see [Ratchet]. One
// command draws all tables again:
//
//	go test ./internal/archtest -update
package archtest
