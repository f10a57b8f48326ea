package durable

import (
	"fmt"

	"github.com/freerun-go/freerun/programs"
)

// Names of the parameters.
const (
	Keys   = "keys"
	Flight = "flight"
	Reads  = "reads"
)

// Checksum is the result of each run: what was answered was found in the store, opened again.
const Checksum = "what was answered is stored"

// Command is the name of the command that has the variants, and Folder its place in a clone.
const (
	Command = "freerun-durable"
	Folder  = "bench/rivals/durable"
)

// Program is the program. Its variants are carried out by that command alone: here each fails.
var Program = With(nil)

// Run runs a variant once.
type Run func(cfg programs.Config) (programs.Result, error)

// With returns the program with the variants that are carried out by runs, by their names.
func With(runs map[string]Run) *programs.Program {
	commands := func(v programs.Values) bool { return v.Get(Reads) == 0 }
	p := &programs.Program{
		Name:      "durable",
		Doc:       "commands to stateful things, each answered once it is stored and synced",
		Source:    "isolates what durable units cost beside the store that they stand on, and beside databases",
		Operation: "command",
		Params: []programs.Param{
			{Name: programs.Size, Doc: "ms for which commands are given, by each variant", Default: 2_000, Quick: 200, Min: 1, Max: 1_000_000},
			{Name: Keys, Doc: "keys, with a state of 112 bytes each", Default: 1_000, Quick: 1_000, Min: 1, Max: 10_000_000},
			{Name: Flight, Doc: "commands that wait for their answers at a time", Default: 4_096, Quick: 4_096, Min: 1, Max: 1_000_000},
			{Name: Reads, Doc: "1 for reads of committed states in place of commands", Default: 0, Quick: 0, Min: 0, Max: 1},
		},
		Points: []map[string]int{
			{Keys: 100_000, Flight: 4_096, Reads: 0},
			{Keys: 1_000, Flight: 4_096, Reads: 0},
			{Keys: 1_000, Flight: 1, Reads: 0},
			{Keys: 1_000, Flight: 4_096, Reads: 1},
		},
		Variants: []programs.Variant{
			{Name: "units", Kind: programs.Freerun, Doc: "a durable unit for each key, by Send"},
			{Name: "bbolt", Kind: programs.Rival, Doc: "one goroutine with all states, written for this, which commits what waits to bbolt"},
			{Name: "sqlite", Kind: programs.Rival, Doc: "a transaction of SQLite for each command, WAL, synchronous=FULL"},
			{Name: "dbos", Kind: programs.Rival, Doc: "a workflow of DBOS for each command, with one transaction, on the same SQLite", Fits: commands},
		},
		Expected: func(programs.Values) string { return Checksum },
	}
	for i, v := range p.Variants {
		p.Variants[i].Run = runs[v.Name]
		if p.Variants[i].Run == nil {
			p.Variants[i].Run = func(programs.Config) (programs.Result, error) {
				return programs.Result{}, fmt.Errorf("it is carried out by %s alone, in a process of its own", Command)
			}
		}
	}
	return p
}
