package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/child"
)

var (
	// exits ends the process when it is delivered.
	exits = freerun.Op("exits", func(*freerun.Context, *account, int) (int, error) {
		os.Exit(exitCode)
		return 0, nil
	})
	// spread tells ten accounts some deposits each, and exits to those of them that are named.
	spread = freerun.Op("spread", func(c *freerun.Context, _ *account, guilty []string) (int, error) {
		for round := range spreadRounds {
			for i := range spreadAccounts {
				key := fmt.Sprint(i)
				if round == 1 && slices.Contains(guilty, key) {
					if err := exits.Tell(c, accounts.At(c, key), i); err != nil {
						return 0, err
					}
				}
				if err := deposit.Tell(c, accounts.At(c, key), round+1); err != nil {
					return 0, err
				}
			}
		}
		return 0, nil
	})
)

const (
	exitCode       = 3
	spreadRounds   = 3
	spreadAccounts = 10
)

// outlook is what the child prints that runs to its end.
type outlook struct {
	Logs     [spreadAccounts][]int
	Failures []cluster.Failure
}

// The child joins the store in FREERUN_DIR, spreads to FREERUN_GUILTY if it is the first one, waits
// for what is under way, does with all failures what FREERUN_FAILURES says, and prints what is
// there.
func init() {
	child.Role("spreader", func() {
		if err := spreader(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	})
}

func spreader() error {
	ctx := context.Background()
	rt := freerun.New()
	n, err := cluster.Join(rt, cluster.Local(os.Getenv("FREERUN_DIR"), cluster.Create()))
	if err != nil {
		return err
	}
	c := rt.Context()
	if guilty := os.Getenv("FREERUN_GUILTY"); guilty != "" {
		if _, err := spread.Call(ctx, accounts.At(c, "spreader"), strings.Fields(guilty)); err != nil {
			return err
		}
	}
	if err := rt.Quiesce(ctx); err != nil {
		return err
	}
	var o outlook
	for f, err := range n.Failures() {
		if err != nil {
			return err
		}
		o.Failures = append(o.Failures, f)
		switch os.Getenv("FREERUN_FAILURES") {
		case "retry":
			err = n.Retry(ctx, f.Number)
		case "drop":
			err = n.Drop(ctx, f.Number)
		}
		if err != nil {
			return err
		}
	}
	if err := rt.Quiesce(ctx); err != nil {
		return err
	}
	for i := range o.Logs {
		if o.Logs[i], err = history.Call(ctx, accounts.At(c, fmt.Sprint(i)), struct{}{}); err != nil {
			return err
		}
	}
	if err := errors.Join(rt.Shutdown(ctx), n.Close()); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}

// spreads runs the child. It returns nil if an operation has ended that.
func spreads(t *testing.T, dir string, env ...string) *outlook {
	t.Helper()
	out, err := child.Command(within(t), "spreader", append(env, "FREERUN_DIR="+dir)...).Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == exitCode:
		return nil
	case err != nil:
		t.Fatalf("%v: %s", err, out)
	}
	var o outlook
	if err := json.Unmarshal(out, &o); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	return &o
}

// TestEndsTheProcess holds that an operation which ends the process, and is told, ends the process
// that has told it and two more; then it is a recorded failure. What else was told comes once, in
// order, and none of it fails. A second such operation ends one process more: it is suspected
// already.
func TestEndsTheProcess(t *testing.T) {
	for _, guilty := range []string{"0", "9", "3 7"} {
		t.Run(guilty, func(t *testing.T) {
			dir := t.TempDir()
			end := func(env ...string) {
				t.Helper()
				if spreads(t, dir, env...) != nil {
					t.Fatal("the process did not end")
				}
			}
			end("FREERUN_GUILTY=" + guilty)
			for range 1 + len(strings.Fields(guilty)) {
				end()
			}
			failures := checkSpread(t, spreads(t, dir), strings.Fields(guilty))
			checkSpread(t, spreads(t, dir), strings.Fields(guilty)) // nothing is under way any more
			if len(failures) > 1 {
				return // the first Retry ends the process, before the second one or after it
			}
			end("FREERUN_FAILURES=retry")
			end()
			end()
			if o := spreads(t, dir, "FREERUN_FAILURES=drop"); len(o.Failures) != 1 || o.Failures[0].Number == failures[0].Number {
				t.Errorf("after Retry: %+v", o.Failures)
			}
			checkSpread(t, spreads(t, dir), nil)
		})
	}
}

func checkSpread(t *testing.T, o *outlook, guilty []string) []cluster.Failure {
	t.Helper()
	if o == nil {
		t.Fatal("the process has ended")
	}
	for i, log := range o.Logs {
		if !slices.Equal(log, []int{1, 2, 3}) {
			t.Errorf("account %d got %v", i, log)
		}
	}
	var failed []string
	for _, f := range o.Failures {
		failed = append(failed, f.Key)
		if f.Operation != "exits" || f.Kind != "account" || string(f.Arg) != f.Key || !strings.Contains(f.Err, "two processes ended") {
			t.Errorf("%+v", f)
		}
	}
	if !slices.Equal(failed, guilty) {
		t.Errorf("%v failed, want %v", failed, guilty)
	}
	return o.Failures
}
