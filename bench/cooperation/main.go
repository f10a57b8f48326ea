// Command cooperation says what it costs code that knows no activity to be compiled by freerun
// build.
//
//	cd bench/cooperation
//	GOWORK=off go run . [-rounds N] [-time D] [-run REGEXP] [-freerun COMMAND]
//
// It compiles the benchmarks that libraries have of their own twice, with go test and with freerun
// test, and runs both, in turns: with, without, then without, with. A benchmark's figure is the
// least of its runs, and its cost the ratio of the two. The table has the geometric mean of the
// costs of each package's benchmarks, and the worst one.
//
// No activity runs beside the benchmarks of other people. Those of the standard library, which are
// ours, run in an activity that is preempted each millisecond for another one.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"
)

func main() {
	var m measuring
	var wanted string
	flag.IntVar(&m.rounds, "rounds", 5, "how often each package's benchmarks run, in both builds")
	flag.DurationVar(&m.time, "time", 30*time.Millisecond, "how long each benchmark runs")
	flag.StringVar(&wanted, "run", ".", "which packages, a regular expression for their paths")
	flag.StringVar(&m.freerun, "freerun", "", "the command freerun; it is built if there is none")
	flag.Parse()
	matches, err := regexp.Compile(wanted)
	if err == nil && (m.rounds < 1 || m.time <= 0 || flag.NArg() > 0) {
		err = fmt.Errorf("-rounds and -time are more than 0, and %q is left over", flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cooperation:", err)
		os.Exit(2)
	}
	if err := m.all(matches); err != nil {
		fmt.Fprintln(os.Stderr, "cooperation:", err)
		os.Exit(1)
	}
}
