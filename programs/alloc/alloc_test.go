package alloc

import (
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// some returns values for a run that hardly uses its blocks.
func some(size, tasks, foreign, blocks, batch int) programs.Values {
	return programs.Values{programs.Size: size, paramTasks: tasks, paramForeign: foreign, paramBlocks: blocks, paramBatch: batch, paramTouch: 0}
}

// touching returns the same values for a run that uses all bytes of its blocks.
func touching(v programs.Values) programs.Values {
	v = maps.Clone(v)
	v[paramTouch] = 1
	return v
}

// shapes are runs of all kinds, among them runs whose blocks cannot be divided evenly, and runs
// with more tasks than blocks.
var shapes = []programs.Values{
	some(10, 1, 0, 1, 1),
	some(10, 1, 100, 1000, 7),
	some(17, 3, 50, 5000, 64),
	some(1000, 2, 0, 2000, 64),
	some(1000, 5, 100, 3000, 10),
	some(10_000, 64, 33, 1001, 3),
	some(16, 64, 100, 10, 4096),
	touching(some(10, 2, 0, 1000, 7)),
	touching(some(1000, 3, 50, 2000, 10)),
	touching(some(1003, 2, 100, 2000, 10)),
}

func TestVariants(t *testing.T) {
	for _, v := range shapes {
		for name, r := range programtest.Run(t, Program, v) {
			if r.Operations != uint64(v[paramBlocks]) {
				t.Errorf("%s with %v: %d operations", name, v, r.Operations)
			}
			programtest.Figure[uint64](t, r, "gc_cpu_us")
		}
	}
}

// TestGarbageIsCollected: the collector has run within the clock if there was garbage, because its
// work is part of the cost of make.
func TestGarbageIsCollected(t *testing.T) {
	variant, _ := Program.Variant("make")
	// 200 MB.
	r, err := Program.Run(variant, programs.Config{Processors: 2, Values: some(10_000, 2, 0, 20_000, 8)})
	if err != nil {
		t.Fatal(err)
	}
	if n := programtest.Figure[uint64](t, r, "collections"); n < 3 {
		t.Errorf("200 MB of garbage have led to %d collections", n)
	}
	if r.Allocs < 20_000 {
		t.Errorf("%d allocations for 20000 blocks: they were optimized away", r.Allocs)
	}
}

// audit is memory that counts, and that fails or cheats on demand.
type audit struct {
	live, most, freed, foreign atomic.Int64

	failAt   int64 // allocations that succeed before one fails; 0 for all
	failFree bool
	twice    bool // each block is handed out a second time
	allocs   atomic.Int64
	last     atomic.Pointer[audited]
}

// audited is a block that knows its task.
type audited struct {
	owner int
	data  []byte
	gone  atomic.Bool
}

// auditor is a task's part of an audit.
type auditor struct {
	*audit
	i int
}

var errFull, errStuck = errors.New("full"), errors.New("stuck")

func (a auditor) Alloc(size int) (*audited, error) {
	n := a.allocs.Add(1)
	if a.failAt > 0 && n > a.failAt {
		return nil, errFull
	}
	live := a.live.Add(1)
	for most := a.most.Load(); live > most && !a.most.CompareAndSwap(most, live); most = a.most.Load() {
	}
	if b := a.last.Load(); a.twice && n%2 == 0 && b != nil {
		return b, nil
	}
	b := &audited{owner: a.i, data: make([]byte, size)}
	a.last.Store(b)
	return b, nil
}

func (a auditor) Bytes(b *audited) []byte { return b.data }

func (a auditor) Free(b *audited) error {
	a.live.Add(-1)
	a.freed.Add(1)
	if b.owner != a.i {
		a.foreign.Add(1)
	}
	if a.failFree || b.gone.Swap(true) {
		return errStuck
	}
	return nil
}

func (a *audit) variant() programs.Variant {
	return Variant("audit", programs.Rival, "", func(d Demand) (Source[*audited], error) {
		return Source[*audited]{
			Task: func(i int) Memory[*audited] { return auditor{a, i} },
			Close: func() error {
				if n := a.live.Load(); n != 0 {
					return errors.New("blocks are left")
				}
				if a.most.Load() > int64(d.Live) {
					return errors.New("more blocks were live than were announced")
				}
				return nil
			},
		}, nil
	})
}

// TestFrees: each block is freed, no more blocks are in use than the demand said, and the share of
// foreign frees is as asked for.
func TestFrees(t *testing.T) {
	for _, v := range shapes {
		a := new(audit)
		if _, err := Program.Run(a.variant(), programs.Config{Processors: 2, Values: v}); err != nil {
			t.Errorf("%v: %v", v, err)
		}
		blocks, share := int64(v[paramBlocks]), int64(v[paramForeign])
		if a.freed.Load() != blocks {
			t.Errorf("%v: %d blocks were freed", v, a.freed.Load())
		}
		due := blocks * share / 100
		if v[paramTasks] == 1 {
			due = 0
		}
		slack := int64(v[paramTasks] * v[paramBatch]) // the last batches may be small
		if got := a.foreign.Load(); got < due-slack || got > due+slack || share == 0 && got > 0 {
			t.Errorf("%v: %d frees were foreign, want about %d", v, got, due)
		}
	}
}

// TestFailuresEndTheRun simulates memory that is full, cannot free, or hands blocks out twice. The
// run ends with an error, and every allocated block is freed.
func TestFailuresEndTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		memory *audit
		says   string
	}{
		"full":  {&audit{failAt: 500}, errFull.Error()},
		"stuck": {&audit{failFree: true}, errStuck.Error()},
		"twice": {&audit{twice: true}, ""},
	} {
		for _, foreign := range []int{0, 50, 100} {
			a := &audit{failAt: c.memory.failAt, failFree: c.memory.failFree, twice: c.memory.twice}
			_, err := Program.Run(a.variant(), programs.Config{Processors: 2, Values: some(100, 1, foreign, 2000, 16)})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %d%% foreign: error %v", name, foreign, err)
			}
			if n := a.live.Load(); n != 0 {
				t.Errorf("%s, %d%% foreign: %d blocks were not freed", name, foreign, n)
			}
		}
	}
	a := &audit{failAt: 500}
	if _, err := Program.Run(a.variant(), programs.Config{Processors: 2, Values: some(100, 8, 50, 5000, 16)}); !errors.Is(err, errFull) || a.live.Load() != 0 {
		t.Errorf("full with 8 tasks: error %v, %d blocks were not freed", err, a.live.Load())
	}
}

// TestOverwritten: a run notices a block whose end was overwritten.
func TestOverwritten(t *testing.T) {
	k := &task[[]byte]{memory: heap{}, size: 100, batch: 4, end: 4}
	blocks, err := k.fill()
	if err != nil {
		t.Fatal(err)
	}
	blocks[2][99]++
	if err := k.free(blocks); err == nil || !strings.Contains(err.Error(), "number 3") {
		t.Errorf("error %v, want one that names the block", err)
	}
}

// TestOpenFails: if the memory cannot be made, the run returns an error.
func TestOpenFails(t *testing.T) {
	broken := Variant("broken", programs.Rival, "", func(Demand) (Source[[]byte], error) { return Source[[]byte]{}, errFull })
	if _, err := Program.Run(broken, programs.Config{Processors: 1, Values: shapes[0]}); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
}

// TestEveryByteCounts: a run that uses all bytes of its blocks writes each of them, and notices by
// an error or by its checksum when one changes.
func TestEveryByteCounts(t *testing.T) {
	for _, size := range []int{10, 16, 17, 100} {
		for i := range size {
			k := &task[[]byte]{memory: heap{}, size: size, batch: 1, end: 1, touch: true}
			blocks, err := k.fill()
			if err != nil {
				t.Fatal(err)
			}
			blocks[0][i] ^= 1
			if err := k.free(blocks); err == nil && k.sum == 1 {
				t.Errorf("byte %d of %d was overwritten, and nothing noticed it", i, size)
			}
		}
	}
}

// TestZeroed: the blocks that are compared with those of make come zeroed, also where a block was
// used before.
func TestZeroed(t *testing.T) {
	source, err := openZeroArena(Demand{Size: 100, Tasks: 1, Blocks: 10, Live: 1})
	if err != nil {
		t.Fatal(err)
	}
	memory := source.Task(0)
	for range 5 {
		block, err := memory.Alloc(100)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range memory.Bytes(block)[:100] {
			if b != 0 {
				t.Fatalf("byte %d is %d", i, b)
			}
		}
		write(memory.Bytes(block), 1<<63+5)
		if err := memory.Free(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := source.Close(); err != nil {
		t.Error(err)
	}
}
