package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/bench/durable"
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

// all are the contestants.
var all = map[string]contest{
	"units": {open: openUnits}, "bbolt": {open: openBbolt}, "sqlite": {open: openSQLite, most: 64}, "dbos": {open: openDBOS, most: 64},
}

// TestVariants: each contestant does a few commands, one at a time and several, and reads, and has
// them when its store is opened again.
func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 20, durable.Keys: 3, durable.Flight: 1, durable.Reads: 0},
		{programs.Size: 20, durable.Keys: 100, durable.Flight: 70, durable.Reads: 0},
		{programs.Size: 20, durable.Keys: 100, durable.Flight: 70, durable.Reads: 1},
	} {
		for name, r := range programtest.Run(t, program, v) {
			if n := programtest.Figure[uint64](t, r, "per_second"); n != uint64(r.OpsPerSecond()) {
				t.Errorf("%s: %d a second", name, n)
			}
			for _, figure := range []string{"sync_ns", "commit_ns"} {
				if programtest.Figure[uint64](t, r, figure) == 0 {
					t.Errorf("%s: no %s", name, figure)
				}
			}
			if v[durable.Flight] != 1 {
				continue
			}
			if took := programtest.Figure[[]uint64](t, r, "answer_ns"); took[0] == 0 || took[0] > took[2] {
				t.Errorf("%s: %v", name, took)
			}
		}
	}
}

// TestContestants: a contestant counts the commands of each key, also while they come together, and
// has the counts when it is opened again.
func TestContestants(t *testing.T) {
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			const keys, each = 5, 20
			dir, cfg := t.TempDir(), programs.Config{Processors: 2}
			one, err := c.open(dir, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := one.fill(keys); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				var under sync.WaitGroup
				for i := range keys * each {
					under.Add(1)
					one.add(uint64(i%keys), func(err error) {
						defer under.Done()
						if err != nil {
							t.Error(err)
						}
					})
				}
				under.Wait()
				if err := one.close(); err != nil {
					t.Fatal(err)
				}
				if one, err = c.open(dir, cfg); err != nil {
					t.Fatal(err)
				}
			}
			for key := range uint64(keys) {
				came := make(chan string, 1)
				one.count(key, func(n int64, err error) { came <- fmt.Sprint(n, err) })
				if got, want := <-came, fmt.Sprint(2*each, nil); got != want {
					t.Errorf("key %d: %s, want %s", key, got, want)
				}
			}
			if err := one.close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// forgetful is a contestant that says of some commands that they are stored, and stores them not.
type forgetful struct {
	contestant
	n     atomic.Int64
	fails bool
}

var errForgotten = errors.New("forgotten")

func (f *forgetful) add(key uint64, done func(error)) {
	if f.n.Add(1)%10 != 0 {
		f.contestant.add(key, done)
		return
	}
	if f.fails {
		done(errForgotten)
		return
	}
	done(nil)
}

// TestForgetful: a run finds that a command was answered and is not stored, and that one has
// failed.
func TestForgetful(t *testing.T) {
	for _, fails := range []bool{false, true} {
		c := contest{open: func(dir string, cfg programs.Config) (contestant, error) {
			one, err := openBbolt(dir, cfg)
			return &forgetful{contestant: one, fails: fails}, err
		}}
		values := programs.Values{programs.Size: 200, durable.Keys: 3, durable.Flight: 50, durable.Reads: 0}
		r, err := c.run(programs.Config{Processors: 1, Values: values})
		if fails && !errors.Is(err, errForgotten) || !fails && (err != nil || !strings.Contains(r.Checksum, "commands are stored")) {
			t.Errorf("fails: %v: %q, %v", fails, r.Checksum, err)
		}
	}
}

// TestQuantiles: they are those of the times that were taken.
func TestQuantiles(t *testing.T) {
	times := []time.Duration{1, 2, 3, 4, 5}
	if quantile(times, 500) != 3 || quantile(times, 1000) != 5 || quantile(times[:1], 990) != 1 {
		t.Error(quantile(times, 500), quantile(times, 1000))
	}
}
