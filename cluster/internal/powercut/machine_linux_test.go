//go:build amd64 || arm64

package powercut

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/internal/verify/conformance"
)

// cuts is how many images a test looks at before a sync that has torn and reordered writes;
// FREERUN_CUTS says more.
func cuts(normal int) int {
	if n, err := strconv.Atoi(os.Getenv("FREERUN_CUTS")); err == nil {
		return n
	}
	if conformance.RaceDetector {
		return 1
	}
	return normal
}

// program is what a machine asks of a test, one call at a time.
type program interface {
	// said is called with what the program says.
	said(line string)
	// syncs is called before each sync, and after it.
	syncs(after bool)
	// look is called with what the machine finds if the power fails now, in a folder that look may
	// change. torn says that some of what was not synced has survived. It tells what is wrong.
	look(dir string, torn bool) error
}

// machine runs a program over a disk, and has the power fail at each of its syncs: before it, in
// the middle of it, and after it.
type machine struct {
	disk    *Disk
	random  int // images of each sync that have some of what was not synced
	killAt  int // the sync before which the program is killed, and started again; 0 for none
	program program

	scratch       string // the folder for images
	seed          uint64
	syncs, images int
	problems      []string
	killed        bool
	last          *Image // one of the images, chosen at random
}

// run runs a role to its end. It skips the test if there is no FUSE.
func (m *machine) run(t *testing.T, role string, variables ...string) {
	t.Helper()
	at := t.TempDir()
	m.scratch = scratch(t)
	m.seed = rand.Uint64()
	if s, err := strconv.ParseUint(os.Getenv("FREERUN_SEED"), 10, 64); err == nil {
		m.seed = s
	}
	kill, ignores := func() {}, m.disk.Ignores
	m.disk.Ignores = func(folder bool) bool {
		return m.killed && m.syncs == m.killAt || ignores != nil && ignores(folder)
	}
	m.disk.OnSay = m.program.said
	m.disk.OnSync = func(after bool) {
		if !after {
			m.syncs++
		}
		m.program.syncs(after)
		if !after && m.syncs == m.killAt {
			m.killed = true
			kill()
		}
		m.cuts(after)
	}
	unmount, err := Mount(m.disk, at)
	if errors.Is(err, ErrNoFUSE) {
		t.Skipf("no loss of power is tested: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unmount(); err != nil {
			t.Errorf("unmounting %s: %v", at, err)
		}
	}()
	for {
		ctx, cancel := context.WithCancel(t.Context())
		m.disk.mu.Lock()
		kill = cancel
		m.disk.mu.Unlock()
		process := child.Command(ctx, role, append(variables, "FREERUN_MOUNT="+at)...)
		process.Stdout = os.Stdout
		err := process.Run()
		again := ctx.Err() != nil && t.Context().Err() == nil
		cancel()
		if again {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	// The race detector does not see that the calls of the process came before its end.
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	t.Logf("%d syncs, %d images", m.syncs, m.images)
}

// cuts has the power fail before a sync, or after it.
func (m *machine) cuts(after bool) {
	if after {
		m.cut("after", Survivors{})
		m.cut("after, all written", Survivors{Share: 1})
		return
	}
	m.cut("before", Survivors{})
	m.cut("before, all written", Survivors{Share: 1})
	for n := range m.random {
		random := rand.New(rand.NewPCG(m.seed, uint64(m.syncs)<<32|uint64(n)))
		m.cut(fmt.Sprintf("during, seed %d, number %d", m.seed, n), Survivors{Share: random.Float64(), Random: random})
	}
}

func (m *machine) cut(name string, s Survivors) {
	i := m.disk.Cut(s)
	if m.images++; rand.IntN(m.images) == 0 {
		m.last = i
	}
	dir := filepath.Join(m.scratch, "image")
	err := i.Restore(dir)
	if err == nil {
		err = m.program.look(dir, s.Share > 0 && s.Share < 1)
	}
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		m.problems = append(m.problems, fmt.Sprintf("sync %d, %s: %v", m.syncs, name, err))
	}
}

// report fails the test if an image has a problem.
func (m *machine) report(t *testing.T) {
	t.Helper()
	for n, problem := range m.problems {
		if n == 10 {
			t.Errorf("and %d more", len(m.problems)-n)
			break
		}
		t.Error(problem)
	}
}

// scratch is a folder for images: in memory if it can be, as each image is synced when it is
// opened.
func scratch(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "powercut")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// pseudo is a number between 0 and n that follows from others.
func pseudo(n int, of ...int) int {
	h := fnv.New64a()
	fmt.Fprint(h, of)
	return int(h.Sum64() >> 1 % uint64(n))
}
