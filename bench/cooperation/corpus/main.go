// Command corpus runs the tests of other people's modules in activities, compiled by freerun test,
// and compares what they say with what they say under go test.
//
//	cd bench/cooperation
//	GOWORK=off go run ./corpus [-run REGEXP] [-race] [-timeout D] [-dir FOLDER] [-freerun COMMAND]
//
// The body of each test, and of each subtest, runs in an activity of a runtime with one processor.
// Two more activities run there: one yields all the time, the other one spins. So the tests are
// preempted each millisecond, wherever they are. A test that does not end as it does under go test
// is run again, alone; it counts if it fails again, or hangs. If any does, the exit status is 1 and
// the folder of the run is kept: what the programs print is there, also the goroutines of one that
// hangs. A stub takes the place of go.uber.org/goleak: the tests' own activities are no leak.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"
)

func main() {
	var c corpus
	var wanted string
	flag.StringVar(&wanted, "run", ".", "which packages, a regular expression for their paths")
	flag.BoolVar(&c.race, "race", false, "compile with the race detector")
	flag.DurationVar(&c.timeout, "timeout", 5*time.Minute, "how long the tests of a package may take")
	flag.StringVar(&c.dir, "dir", "", "the folder of the run, a new one if there is none")
	flag.StringVar(&c.freerun, "freerun", "", "the command freerun; it is built if there is none")
	flag.Parse()
	matches, err := regexp.Compile(wanted)
	if err == nil && flag.NArg() > 0 {
		err = fmt.Errorf("%q is left over", flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(2)
	}
	if err := c.all(matches); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}
