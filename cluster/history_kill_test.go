package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/child"
)

// line is what the process with the purse prints: that a move begins, and then what became of it.
type line struct {
	Client  int
	Move    move
	Ends    bool
	Outcome outcome
	Err     string // why there is no outcome that a history can have
}

// The process carries out moves of FREERUN_PURSES purses over the store in FREERUN_DIR until it is
// killed, or a read of each if FREERUN_LAST is set.
func init() {
	child.Role("purse", func() {
		of, err := strconv.Atoi(os.Getenv("FREERUN_PURSES"))
		if err == nil {
			err = carryForEver(os.Getenv("FREERUN_DIR"), of, os.Getenv("FREERUN_LAST") != "")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	})
}

func carryForEver(dir string, of int, last bool) error {
	ctx := context.Background()
	rt := freerun.New(freerun.Logger(slog.New(slog.DiscardHandler)))
	node, err := Join(rt, Local(dir, Create()))
	if err != nil {
		return err
	}
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	say := func(l line) error {
		mu.Lock()
		defer mu.Unlock()
		return out.Encode(l)
	}
	var ids atomic.Int64
	one := func(client int, m move) error {
		if err := say(line{Client: client, Move: m}); err != nil {
			return err
		}
		o, err := carryOut(ctx, rt.Context(), m)
		l := line{Client: client, Move: m, Ends: true, Outcome: o}
		if err != nil {
			l.Err = err.Error()
		}
		return errors.Join(err, say(l))
	}
	if last {
		for n := range of {
			err = errors.Join(err, one(0, move{Reads: true, To: n}))
		}
		return errors.Join(err, rt.Shutdown(ctx), node.Close())
	}
	ended := make(chan error)
	for client := range historyClients {
		go func() {
			for {
				if err := one(client, randomMove(int(ids.Add(1)), of)); err != nil {
					ended <- err
				}
				disturb(rt.Context())
			}
		}()
	}
	return <-ended
}

// carriedOut adds to a history what a process has carried out until it was killed, when it had
// printed a number of lines; with none, it runs to its end. The number of a line is its time: the
// first line of a move comes before it, and the second one after it.
func carriedOut(t *testing.T, all []moved, dir string, of int, clock *int64, kill int, env ...string) []moved {
	t.Helper()
	process := child.Command(t.Context(), "purse", append(env, "FREERUN_DIR="+dir, fmt.Sprint("FREERUN_PURSES=", of))...)
	out, err := process.StdoutPipe()
	if err == nil {
		err = process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	underway := map[int]moved{}
	in := json.NewDecoder(out)
	for lines := 1; ; lines++ {
		var l line
		if err := in.Decode(&l); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break // what is left of a line that the end has cut is no outcome
		} else if err != nil {
			t.Fatal(err)
		}
		*clock++
		if l.Err != "" {
			t.Errorf("%+v: %s", l.Move, l.Err)
		}
		if m := underway[l.Client]; l.Ends {
			m.End, m.Outcome = *clock, l.Outcome
			all = append(all, m)
			delete(underway, l.Client)
		} else {
			underway[l.Client] = moved{Client: l.Client, Move: l.Move, Begin: *clock}
		}
		if lines == kill {
			process.Process.Kill()
		}
	}
	if err := process.Wait(); kill == 0 && err != nil {
		t.Fatal(err)
	}
	// The process is dead: what has had no effect by now never has.
	*clock++
	for _, client := range slices.Sorted(maps.Keys(underway)) {
		m := underway[client]
		m.End, m.Outcome.Result = *clock, ended
		all = append(all, m)
	}
	return all
}

// TestHistoryOfKilledProcesses kills the processes of one unit, and of some of one tag, again and
// again; Porcupine checks the history over all of them. FREERUN_CRASHES says how often.
func TestHistoryOfKilledProcesses(t *testing.T) {
	times := 4
	if n, err := strconv.Atoi(os.Getenv("FREERUN_CRASHES")); err == nil {
		times = n
	}
	for _, of := range []int{1, mostPurses} {
		for left := times; left > 0; {
			dir, clock := t.TempDir(), int64(0)
			var all []moved
			for n := range min(left, 4) {
				all = carriedOut(t, all, dir, of, &clock, 50+rand.IntN(300*(1+n%2)))
				left--
			}
			all = carriedOut(t, all, dir, of, &clock, 0, "FREERUN_LAST=yes")
			if err := checkHistory(all); err != nil {
				t.Errorf("%d purses, %d moves: %v", of, len(all), err)
				for _, m := range all {
					t.Logf("%+v", m)
				}
			}
			t.Logf("%d purses, %d moves", of, len(all))
		}
	}
}

// TestHistoryOfKilledProcessesControl puts an older copy of the store in its place between two
// processes: Porcupine finds that it has forgotten moves.
func TestHistoryOfKilledProcessesControl(t *testing.T) {
	for _, of := range []int{1, mostPurses} {
		found := false
		for range 5 { // the coins may be as many by chance
			dir, clock := t.TempDir(), int64(0)
			all := carriedOut(t, nil, dir, of, &clock, 100)
			older := t.TempDir()
			if err := os.CopyFS(older, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			all = carriedOut(t, all, dir, of, &clock, 200)
			all = carriedOut(t, all, older, of, &clock, 100)
			if found = checkHistory(all) != nil; found {
				break
			}
		}
		if !found {
			t.Errorf("a store that has forgotten moves of %d purses is not found", of)
		}
	}
}
