// Command freerun-durable carries out the measurements of the program durable, one at a time, for
// `freerun bench durable`: package bench/durable says what is measured. It is a module of its own,
// and not of the workspace, because building freerun needs neither SQLite nor DBOS.
package main

import (
	"fmt"
	"os"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/durable"
	"github.com/freerun-go/freerun/programs"
)

// program is the program with its variants.
var program = durable.With(map[string]durable.Run{
	"units": contest{open: openUnits}.run,
	"bbolt": contest{open: openBbolt}.run,
	// More would wait for the one writer that SQLite has.
	"sqlite": contest{open: openSQLite, most: 64}.run,
	"dbos":   contest{open: openDBOS, most: 64}.run,
})

func main() {
	if err := bench.ServeMeasurement([]*programs.Program{program}, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "freerun-durable:", err)
		os.Exit(1)
	}
}
