// Package report draws one page from the measurements of [bench]: the figures of the papers that
// freerun implements, drawn again from this machine's rows, beside the numbers that the papers
// print. The page needs no network and no other file, follows the reader's light or dark theme, and
// has the numbers of each figure as a table below it.
//
// [Write] writes the page of a [Run]. [WriteSVGs] writes its figures as files. Figures whose
// programs are not among the rows are left out, and the page says which command adds them.
//
// The papers' numbers are those of their text and tables. A plot whose numbers the text does not
// give is described, and never measured by eye. Rows of simulated processors continue the curves of
// real ones, dashed. What the first paper says of its figures 4 to 9 is decided by predicates over
// the rows: reproduced, partly, or not.
//
//	fib.go          figures 4 to 6 of the first paper: speed-up, CPU time lost, waste
//	ddb.go          figures 7 to 10: messages, steals, stolen units, use of the processors
//	statement.go    statements of a paper and their verdicts
//	fib_statements.go  those about figures 4 to 6
//	ddb_statements.go  those about figures 7 to 9
//	creation.go     figure 7 of the fourth paper
//	switching.go    figure 8
//	locking.go      figure 9
//	matrix.go       figure 10
//	table1.go       table 1
//	cas.go          the second paper's graphs of compare-and-swap
//	queues.go       the containers
//	locks.go        the queue locks
//	memory.go       the memory manager, binary trees and a store of records
//	rivals.go       everything else, beside plain Go and other libraries
//
// gonum.org/v1/plot draws. lines.go, dots.go and columns.go combine its plotters, and svg.go gives
// its output the colours of the page.
package report
