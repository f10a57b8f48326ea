//go:build linux

// Command beside measures freerun serve beside redis-server, in turns: throughput, processor time a
// request, memory a key, and latency below saturation. It starts and ends the servers itself,
// without persistence, on free ports of this machine.
//
//	go run ./bench/internal/beside -freerun BINARY [-former BINARY] -rows get,set -rounds 9
//
// It needs redis-server, redis-benchmark and redis-cli. docs/benchmarks.md has what it printed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "beside:", err)
		os.Exit(1)
	}
}

// options are the flags of the command.
type options struct {
	freerun, former string
	rounds          int
	scale           float64
	keys            int
	rows            []*row
	extra           []string // flags for freerun serve
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("beside", flag.ContinueOnError)
	f.StringVar(&o.freerun, "freerun", "", "the `BINARY` of freerun that is measured")
	f.StringVar(&o.former, "former", "", "another `BINARY` of freerun, which takes turns with it")
	f.IntVar(&o.rounds, "rounds", 3, "measure each row `N` times, the servers in turns")
	f.Float64Var(&o.scale, "scale", 1, "send `FACTOR` times as many requests")
	f.IntVar(&o.keys, "keys", 1_000_000, "use `N` keys")
	names := f.String("rows", "", "measure these `ROWS` only, by commas: "+strings.Join(rowNames(), ", "))
	extra := f.String("flags", "", "give freerun serve these `FLAGS` too")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.extra = strings.Fields(*extra)
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("%q is too much", f.Args())
	case o.freerun == "":
		return o, errors.New("-freerun names the binary that is measured")
	case o.rounds < 1 || o.scale <= 0 || o.keys < 1:
		return o, errors.New("-rounds, -scale and -keys must be above 0")
	}
	for i := range rows {
		if *names == "" || slices.Contains(strings.Split(*names, ","), rows[i].name) {
			o.rows = append(o.rows, &rows[i])
		}
	}
	for name := range strings.SplitSeq(*names, ",") {
		if name != "" && !slices.Contains(rowNames(), name) {
			return o, fmt.Errorf("there is no row %q; there are %s", name, strings.Join(rowNames(), ", "))
		}
	}
	return o, nil
}

func run(args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	for _, r := range o.rows {
		if err := o.measure(r, out); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

// measure measures one row and prints it.
func (o *options) measure(r *row, out io.Writer) (err error) {
	kinds := []kind{{name: "redis"}}
	if o.former != "" {
		kinds = append(kinds, kind{name: "former", binary: o.former, flags: o.extra})
	}
	kinds = append(kinds, kind{name: "freerun", binary: o.freerun, flags: o.extra})
	if r.memory {
		return o.measureMemory(r, kinds, out)
	}
	servers := make([]*server, len(kinds))
	defer func() {
		for _, s := range servers {
			if s != nil {
				err = errors.Join(err, s.end())
			}
		}
	}()
	for i, k := range kinds {
		if servers[i], err = start(k); err != nil {
			return err
		}
		if err := fill(servers[i].addr, r.keysOf(o.keys), r.size); err != nil {
			return err
		}
	}
	samples := make([][]sample, len(kinds))
	for round := range o.rounds {
		rate := 0.0
		for turn := range servers {
			i := (turn + round) % len(servers)
			if r.open {
				i = turn // the rate is that of Redis, which is first
			}
			one, err := r.once(o, servers[i], &rate)
			if err != nil {
				return err
			}
			samples[i] = append(samples[i], one)
		}
	}
	report(out, r.name, kinds, samples)
	return nil
}

// measureMemory measures the resident bytes of a key. The servers run one after another, as each
// has all keys. freerun is measured with values on the heap and off it.
func (o *options) measureMemory(r *row, kinds []kind, out io.Writer) error {
	all := []kind{}
	for _, k := range kinds {
		all = append(all, k)
		if k.binary != "" {
			k.name += " off the heap"
			k.flags = append(slices.Clone(k.flags), "--values", "offheap", "--maxmemory", "8gb")
			all = append(all, k)
		}
	}
	samples := make([][]sample, len(all))
	for range o.rounds {
		for i, k := range all {
			bytes, err := memoryOf(k, r.keysOf(o.keys), r.size)
			if err != nil {
				return err
			}
			samples[i] = append(samples[i], sample{"bytes a key": bytes})
		}
	}
	report(out, r.name, all, samples)
	return nil
}
