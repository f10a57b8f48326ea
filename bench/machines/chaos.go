package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"
)

// machines is how many there are under chaos: the first one calls, the second one has the units
// and is killed, the third one is there.
const machines = 3

// kill has the outcome of a kill: Failed are attempts; Before and Since are calls that are lost and
// began before it and after it; First and Last are how long it took until a call was answered that
// began after it, and until one was of each unit, and -1 if none was.
type kill struct {
	Scenario              string
	Round                 int
	Found                 found
	Failed, Before, Since int
	First, Last           time.Duration
}

// chaos is the command that kills machines.
func chaos(args []string) error {
	flags := pflag.NewFlagSet("machines chaos", pflag.ContinueOnError)
	rounds := flags.Int("rounds", 3, "how often the scenarios take turns")
	seconds := flags.Float64("seconds", 15, "how long units are called; the machine is killed after a second")
	most := flags.Duration("timeout", 500*time.Millisecond, "how long a call may take before it is made again")
	only := flags.StringSlice("scenarios", scenes(), "which")
	asJSON := flags.Bool("json", false, "each round as a line of JSON, and no table")
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if *rounds < 1 || *seconds <= 1 || *most <= 0 {
		return errors.New("--rounds and --timeout are to be positive, and --seconds more than one")
	}
	var all []kill
	for round := range *rounds {
		for _, name := range *only {
			s, err := scene(name)
			if err != nil {
				return err
			}
			k, err := strike(s, time.Duration(*seconds*float64(time.Second)), *most, true)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			k.Round, k.Found.Attempts, k.Found.Lost = round, nil, nil
			if *asJSON {
				if err := json.NewEncoder(os.Stdout).Encode(k); err != nil {
					return err
				}
			}
			all = append(all, k)
		}
	}
	if !*asJSON {
		fmt.Print(kills(*only, all))
	}
	return nil
}

// strike starts the machines, and has one kill -9 come to the second one while its units are
// called.
func strike(s scenario, d, most time.Duration, really bool) (k kill, err error) {
	var nodes []*process
	defer func() {
		for _, p := range slices.Backward(nodes) {
			p.end()
		}
	}()
	begin := func(q request) (answer, error) {
		p, err := start()
		if err != nil {
			return answer{}, err
		}
		nodes = append(nodes, p)
		return p.ask(q)
	}
	free, err := ports(machines * s.ports)
	if err != nil {
		return k, err
	}
	var url string
	if s.server {
		a, err := begin(request{Do: "server"})
		if err != nil {
			return k, err
		}
		url = a.URL
	}
	var names []string
	for i := range machines {
		of, until := i*s.ports, (i+1)*s.ports
		p := place{URL: url, Ports: free[of:until], Others: slices.Concat(free[:of], free[until:])}
		a, err := begin(request{Do: "node", Variant: s.name, Place: p})
		if err != nil {
			return k, err
		}
		names = append(names, a.Name)
	}
	caller, victim := nodes[len(nodes)-machines], nodes[len(nodes)-machines+1]
	if _, err := victim.ask(request{Do: "hold"}); err != nil {
		return k, err
	}
	if _, err := caller.ask(request{Do: "find", Name: names[1]}); err != nil {
		return k, err
	}
	killed := make(chan int64, 1)
	time.AfterFunc(time.Second, func() {
		now := time.Now().UnixNano()
		if really {
			_ = victim.cmd.Process.Kill()
		}
		killed <- now
	})
	a, err := caller.ask(request{Do: "storm", For: d, Most: most})
	if err != nil {
		return k, err
	}
	k = kill{Scenario: s.name, Found: a.Found, Failed: a.Found.failed()}
	at := <-killed
	k.First, k.Last = a.Found.recovery(at)
	for _, began := range a.Found.Lost {
		if began < at {
			k.Before++
		} else {
			k.Since++
		}
	}
	return k, nil
}

// kills shows what came of it, all rounds together.
func kills(names []string, all []kill) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tkills\tanswered\tlost of before\tof after\tdoubled\tcalls that failed\tnever answered\tfirst answer after s\tmost\tall units after s\tmost\t")
	for _, name := range names {
		var f found
		var first, last []float64
		n, failed, before, since := 0, 0, 0, 0
		for _, k := range all {
			if k.Scenario != name {
				continue
			}
			n++
			failed += k.Failed
			f.Answered += k.Found.Answered
			before, since = before+k.Before, since+k.Since
			f.Doubled += k.Found.Doubled
			f.Open += k.Found.Open
			first, last = append(first, after(k.First)), append(last, after(k.Last))
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t", name, n, f.Answered, before, since, f.Doubled, failed, f.Open)
		for _, d := range [][]float64{first, last} {
			fmt.Fprintf(w, "%s\t%s\t", when(median(d)), when(slices.Max(d)))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	b.WriteString("\nA call that fails, or has no answer in time, is made again with its identity. Lost: answered, and no unit has it; of before: it began before the kill. What units promise:\n")
	for _, name := range names {
		if s, err := scene(name); err == nil {
			fmt.Fprintf(&b, "  %s: %s\n", name, s.promises)
		}
	}
	return b.String()
}

// never is longer than all times.
const never = 1e9

func after(d time.Duration) float64 {
	if d < 0 {
		return never
	}
	return d.Seconds()
}

func when(seconds float64) string {
	if seconds >= never/2 {
		return "never"
	}
	return fmt.Sprintf("%.2f", seconds)
}
