package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/bench/commandline/commandtest"
)

// TestDurableOnlyByName: what has to be fetched is measured only if it is named, and then beside
// libraries without more being said. A wrong command line is refused before anything is fetched.
func TestDurableOnlyByName(t *testing.T) {
	overview, apart := catalogue.WithRivals(), catalogue.Apart()
	for line, named := range map[string]bool{"": false, "all": false, "fib": false, "durable": true, "fib durable": true, "all durable": true} {
		f := benchFlags{runs: 1}
		names := strings.Fields(line)
		known, err := f.known(newBench(overview, apart), overview, apart, names)
		if err != nil {
			t.Fatal(err)
		}
		if (f.prepare != nil) != named || (f.runner != nil) != named || f.rivals != named {
			t.Errorf("%q: a runner of its own %v, rivals %v, want both %v", line, f.runner != nil, f.rivals, named)
		}
		plan, err := bench.NewPlan(known, bench.Request{Programs: names, Rivals: f.rivals, Quick: true, Runs: 1, Processors: []int{1}})
		if err != nil {
			t.Fatal(err)
		}
		// Of four points, one is without DBOS.
		without, err := bench.NewPlan(overview, bench.Request{Programs: slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "durable" }), Quick: true, Runs: 1, Processors: []int{1}, Rivals: f.rivals})
		if err != nil {
			t.Fatal(err)
		}
		if line == "durable" && plan.Measurements() != 15 || !named && plan.Measurements() != without.Measurements() {
			t.Errorf("%q: %d measurements, %d without durable", line, plan.Measurements(), without.Measurements())
		}
	}
	for line, says := range map[string]string{
		"bench durabel":                     `unknown program "durabel": did you mean "durable"?`,
		"bench durable --in-process":        "durable is measured in processes of freerun-durable: leave out --in-process",
		"bench durable --cpuprofile x":      "durable is measured in processes of freerun-durable: leave out --in-process",
		"bench durable --keys 0":            "durable: keys is 0, and must be from 1 to",
		"bench durable --variants postgres": `unknown variant "postgres": there are units, bbolt, sqlite, dbos`,
		"simulate durable":                  `unknown program "durable"`,
	} {
		commandtest.Refuses(t, binary, line, says)
	}
}

// TestDurableIsInTheHelp: who asks what can be measured learns of it.
func TestDurableIsInTheHelp(t *testing.T) {
	out, _, status := freerun(t, "bench", "--help")
	for _, word := range []string{"durable: commands to stateful things", "dbos", "--flight 4096", "freerun bench durable"} {
		if status != 0 || !strings.Contains(out, word) {
			t.Errorf("%q is missing in\n%s", word, out)
		}
	}
}
