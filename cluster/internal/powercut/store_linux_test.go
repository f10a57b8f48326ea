//go:build amd64 || arm64

package powercut

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/filestore"
	"github.com/freerun-go/freerun/internal/verify/conformance"
)

const (
	storeFolder = "var/lib/store"
	markFile    = "unsynced"
)

func init() { child.Role("puts", puts) }

// puts opens a store, in a folder that it may have made itself, and goes on with the Puts until
// there are FREERUN_PUTS. It says "opened", and the number of each Put once it has found it or done
// it.
func puts() {
	at := os.Getenv("FREERUN_MOUNT")
	dir := filepath.Join(at, storeFolder)
	last, err := strconv.Atoi(os.Getenv("FREERUN_PUTS"))
	must(err)
	interval, err := time.ParseDuration(os.Getenv("FREERUN_SYNC"))
	must(err)
	if os.Getenv("FREERUN_MKDIR") != "" {
		must(os.MkdirAll(dir, 0o700))
	}
	s, err := filestore.Open(dir, filestore.Options{Create: true, Sync: interval})
	must(err)
	must(Say(at, "opened"))
	first, err := putsOf(s)
	must(err)
	if first > 0 {
		must(Say(at, fmt.Sprint(first))) // what was read stays, too
	}
	room := make(chan struct{}, 3)
	for n := first + 1; n <= last; n++ {
		room <- struct{}{}
		s.Put(storePut(n), func(err error) {
			must(err)
			must(Say(at, fmt.Sprint(n)))
			<-room
		})
		if interval > 0 && n%10 == 0 {
			time.Sleep(min(interval, 10*time.Millisecond))
		}
	}
	must(s.Close())
}

// putsOf is the number of the last Put of a store.
func putsOf(s *filestore.Store) (n int, err error) {
	got := make(chan []byte, 1)
	s.Get([]byte("last"), func(v []byte, e error) { err = e; got <- v })
	n, _ = strconv.Atoi(string(<-got))
	return n, err
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// storePut are the writes of Put n, from 1 on: its number, some keys of large and small values, and
// keys that are removed.
func storePut(n int) []engine.Write {
	w := []engine.Write{{Key: []byte("last"), Value: fmt.Append(nil, n)}}
	for i := range 1 + pseudo(6, n) {
		key := fmt.Appendf(nil, "key%03d", pseudo(200, n, i))
		switch pseudo(10, n, i, 1) {
		case 0, 1:
			w = append(w, engine.Write{Key: key})
		case 2:
			w = append(w, engine.Write{Key: key, Value: bytes.Repeat(fmt.Appendf(nil, "%d,%d;", n, i), 900)})
		default:
			w = append(w, engine.Write{Key: key, Value: bytes.Repeat(fmt.Appendf(nil, "%d,%d;", n, i), 1+pseudo(20, n, i, 2))})
		}
	}
	return w
}

// storeLoad is a load of a store, and what each image is compared with.
type storeLoad struct {
	machine
	ignores  func(folder bool) bool // syncs that the disk does not make
	interval time.Duration
	mkdir    bool // the program makes the folder itself
	puts     int  // the number of the last one
	// start is what an earlier load has left, with a store in which first Puts are.
	start *Image
	first int

	opened bool // the program has opened the store
	done   int  // the last Put that was done
	// Each Put up to synced was done before a sync began that has ended; those up to before, before
	// the last sync began.
	synced, before int
	states         []map[string]string

	lost    int // images with a store that lacks a Put that was done
	refused int // images with a store that Open refuses
}

// run runs the load, and looks at all images.
func (l *storeLoad) run(t *testing.T) {
	t.Helper()
	l.states = []map[string]string{{}}
	l.disk, l.program = NewDisk(l.start), l
	l.disk.Ignores = l.ignores
	l.opened, l.done, l.synced = l.start != nil, l.first, l.first
	variables := []string{
		fmt.Sprint("FREERUN_SYNC=", l.interval), fmt.Sprint("FREERUN_PUTS=", l.puts),
	}
	if l.mkdir {
		variables = append(variables, "FREERUN_MKDIR=yes")
	}
	l.machine.run(t, "puts", variables...)
	if l.done != l.puts {
		t.Errorf("%d Puts are done", l.done)
	}
	t.Logf("%d images lack a Put that was done, %d are refused", l.lost, l.refused)
}

func (l *storeLoad) said(line string) {
	if line == "opened" {
		l.opened = true
	} else if n, err := strconv.Atoi(line); err == nil {
		l.done = n
	}
}

func (l *storeLoad) syncs(after bool) {
	if after {
		l.synced = l.before
	} else {
		l.before = l.done
	}
}

// state is what is in the store after a number of Puts.
func (l *storeLoad) state(n int) map[string]string {
	for next := len(l.states); next <= n; next++ {
		s := maps.Clone(l.states[next-1])
		for _, w := range storePut(next) {
			if delete(s, string(w.Key)); w.Value != nil {
				s[string(w.Key)] = string(w.Value)
			}
		}
		l.states = append(l.states, s)
	}
	return l.states[n]
}

// look opens the store, as the next start of the machine would.
func (l *storeLoad) look(dir string, torn bool) error {
	dir = filepath.Join(dir, storeFolder)
	if mark := filepath.Join(dir, markFile); exists(mark) {
		if err := os.WriteFile(mark, []byte("another boot"), 0o600); err != nil {
			return err
		}
	}
	last, err := l.open(dir)
	switch {
	case err == nil && last < l.done:
		l.lost++
	case errors.Is(err, engine.ErrStateLost):
		l.refused++
	}
	want := l.done
	if l.interval != 0 {
		want = l.synced
	}
	if err == nil && last < want {
		err = fmt.Errorf("it has the first %d Puts", last)
	}
	if l.interval != 0 && l.opened && torn && errors.Is(err, engine.ErrStateLost) {
		return nil // SyncEvery does not promise more
	}
	if err != nil {
		return fmt.Errorf("%d Puts were done, %d synced: %w", l.done, l.synced, err)
	}
	return nil
}

// open tells how many Puts a store has. It must have what they have put, and no more.
func (l *storeLoad) open(dir string) (last int, err error) {
	// A store whose Open has returned is there for good: it needs no Create.
	s, err := filestore.Open(dir, filestore.Options{Create: !l.opened})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	got := map[string]string{}
	err = s.Scan(nil, nil, func(key, value []byte) error {
		got[string(key)] = string(value)
		return nil
	})
	if err != nil {
		return 0, err
	}
	last, _ = strconv.Atoi(got["last"])
	if !maps.Equal(got, l.state(last)) {
		return 0, fmt.Errorf("it has not what the first %d Puts have put, and no more", last)
	}
	return last, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// putsIn is the number of the last Put that an image has.
func putsIn(t *testing.T, i *Image) int {
	t.Helper()
	dir := filepath.Join(scratch(t), "image")
	if err := i.Restore(dir); err != nil {
		t.Fatal(err)
	}
	s, err := filestore.Open(filepath.Join(dir, storeFolder), filestore.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n, err := putsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPowerLoss has the power fail at each sync of a store, from the first one on: what was done is
// there, and of what was not, nothing that comes after what is missing. Each next load goes on with
// what one of the losses has left.
func TestPowerLoss(t *testing.T) {
	var start *Image
	first := 0
	for range 3 {
		l := &storeLoad{puts: first + 40, first: first, start: start}
		l.random = cuts(3)
		l.run(t)
		l.report(t)
		if n := putsIn(t, l.last); n > 0 {
			start, first = l.last, n
		}
	}
}

// TestPowerLossAfterAKill has the process killed at each sync while it makes the store. Then
// another one has the store, and what it has done outlives a loss of power.
func TestPowerLossAfterAKill(t *testing.T) {
	step := 1
	if conformance.RaceDetector {
		step = 4
	}
	for kill, killed := 1, true; killed; kill += step {
		l := &storeLoad{puts: 5, mkdir: kill/step%2 == 0}
		l.random, l.killAt = cuts(3), kill
		l.run(t)
		l.report(t)
		killed = l.killed
	}
}

// TestPowerLossControls holds that the tests above find disks that do not sync, and stores that do
// not.
func TestPowerLossControls(t *testing.T) {
	for name, l := range map[string]*storeLoad{
		"no sync by the disk": {ignores: func(bool) bool { return true }},
		"no sync of files":    {ignores: func(folder bool) bool { return !folder }},
		"no sync of folders":  {ignores: func(folder bool) bool { return folder }},
	} {
		t.Run(name, func(t *testing.T) {
			l.puts, l.random = 20, 2
			l.run(t)
			lost := 0
			for _, problem := range l.problems {
				if !strings.Contains(problem, ": 0 Puts were done") {
					lost++
				}
			}
			if lost == 0 {
				t.Errorf("no image has lost what was done: %q", l.problems)
			}
			t.Logf("%d images have lost what was done, as one has: %s", lost, l.problems[len(l.problems)-1])
		})
	}
}

// TestPowerLossWithSyncNever has a store that never syncs. As with one that does so now and then,
// but for what it may lose.
func TestPowerLossWithSyncNever(t *testing.T) {
	l := &storeLoad{puts: 300, interval: -1}
	l.random = cuts(3)
	l.run(t)
	l.report(t)
	if l.lost+l.refused == 0 {
		t.Error("nothing was lost: the test does not test")
	}
}

// TestPowerLossWithSyncEvery has a store that syncs now and then. A store that opens has what the
// first Puts have put, and all that were done before the last sync began. If the kernel has written
// nothing since that sync, or all, it opens; if it has written some of it, Open may refuse it.
func TestPowerLossWithSyncEvery(t *testing.T) {
	l := &storeLoad{puts: 100, interval: 2 * time.Millisecond}
	l.random = cuts(3)
	l.run(t)
	l.report(t)
	if l.lost == 0 || l.refused == 0 {
		t.Error("nothing was lost: the test does not test")
	}
}
