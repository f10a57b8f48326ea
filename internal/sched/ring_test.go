package sched

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"weak"
)

// ringAt returns an empty ring whose indices begin at start.
func ringAt(start uint32) *ring {
	r := &ring{swept: start}
	r.init()
	r.head.Store(start)
	r.tail.Store(start)
	return r
}

func jobs(count int) []*job {
	all := make([]*job, count)
	for i := range all {
		all[i] = newJob(nop)
	}
	return all
}

var ringStarts = []uint32{0, 1<<31 - 100, 1<<32 - 1, 1<<32 - 100, 1<<32 - 300}

func TestRingSequential(t *testing.T) {
	for _, start := range ringStarts {
		r, all := ringAt(start), jobs(3*mostRing)
		in, out := 0, 0
		push := func(count int) {
			for range count {
				if got, want := r.push(&all[in%len(all)].Task), in-out < mostRing; got != want {
					t.Fatalf("from %d: push with %d in it: %v", start, in-out, got)
				} else if got {
					in++
				}
			}
		}
		pop := func(count int) {
			for range count {
				got := r.pop()
				if in == out {
					if got != nil {
						t.Fatalf("from %d: an empty ring gave a task", start)
					}
					continue
				}
				if got != &all[out%len(all)].Task {
					t.Fatalf("from %d: pop %d gave another task", start, out)
				}
				out++
			}
		}
		for _, count := range []int{1, 3, ringSize, 7, ringSize/2 + 1, ringSize + 1, 5 * ringSize, mostRing, 10} {
			push(count)
			if r.empty() != (in == out) {
				t.Fatalf("from %d: empty = %v with %d in it", start, r.empty(), in-out)
			}
			pop(count/2 + 1)
		}
		pop(mostRing)
	}
}

// TestRingFetchesLoot holds that the memory of each stolen task is asked for before its turn, first
// roughly and then nearly, and that the tasks of a short ring which were not stolen are left alone.
func TestRingFetchesLoot(t *testing.T) {
	for _, start := range ringStarts {
		type asked struct{ far, near bool }
		fetched := map[*Task]asked{}
		kind := &Kind{Run: func(*Processor, *Task) {}, Prefetch: func(t *Task, near bool) {
			a := fetched[t]
			if near && !a.far {
				panic("near before far")
			}
			fetched[t] = asked{true, near}
		}}
		victim, thief := ringAt(start), ringAt(start+17)
		for range 2 * firstTurns {
			victim.push(&Task{Kind: kind})
			victim.push(&Task{Kind: kind})
		}
		const stolen = 2 * firstTurns
		if n := thief.stealHalf(victim); n != stolen {
			t.Fatalf("from %d: stole %d tasks, want %d", start, n, stolen)
		}
		for range stolen {
			thief.push(&Task{Kind: kind}) // its own, behind the stolen ones
		}
		for i := range 2 * stolen {
			task := thief.pop()
			switch a := fetched[task]; {
			case i < stolen && !a.near:
				t.Fatalf("from %d: stolen task %d was not asked for: %+v", start, i, a)
			case i >= stolen+farTurns && a.far:
				t.Fatalf("from %d: task %d of the thief's own was asked for", start, i)
			}
		}
		clear(fetched)
		for victim.pop() != nil {
		}
		if len(fetched) > 0 {
			t.Fatalf("from %d: the victim's ring asked for %d tasks", start, len(fetched))
		}
	}
}

func TestRingStealHalf(t *testing.T) {
	for _, start := range ringStarts {
		for _, count := range []int{0, 1, 2, 3, 100, ringSize - 1, ringSize, 3 * ringSize} {
			victim, thief, all := ringAt(start), ringAt(start+17), jobs(count)
			for _, j := range all {
				victim.push(&j.Task)
			}
			n := thief.stealHalf(victim)
			if n != min((count+1)/2, ringSize/2) {
				t.Fatalf("from %d: stole %d of %d", start, n, count)
			}
			for i, j := range all {
				from, told := victim, int32(0)
				if i < n {
					from, told = thief, 1
				}
				if from.pop() != &j.Task || j.stolen.Load() != told {
					t.Fatalf("from %d: task %d of %d is not where it should be, or was told %d times", start, i, count, j.stolen.Load())
				}
			}
			if !victim.empty() || !thief.empty() {
				t.Fatalf("from %d: something is left", start)
			}
		}
	}
}

func TestRingTakeHalf(t *testing.T) {
	for _, start := range ringStarts {
		for _, count := range []int{0, 1, 2, 5, ringSize, 3 * ringSize} {
			r, all := ringAt(start), jobs(count)
			for _, j := range all {
				r.push(&j.Task)
			}
			newest, oldest := r.takeHalf()
			half := min(count/2, ringSize/2)
			if half == 0 {
				if newest != nil || oldest != nil {
					t.Fatalf("took something of %d", count)
				}
				continue
			}
			if oldest != &all[0].Task || newest != &all[half-1].Task {
				t.Fatalf("from %d: took other tasks of %d", start, count)
			}
			for i, n := half-1, &newest.Node; i > 0; i-- {
				if n = n.Next(); n != &all[i-1].Node {
					t.Fatalf("from %d: the list of those taken of %d is broken", start, count)
				}
			}
			for _, j := range all[half:] {
				if r.pop() != &j.Task {
					t.Fatalf("from %d: another task is left of %d", start, count)
				}
			}
		}
	}
}

// TestRingFrozenThief freezes a thief before its compare-and-swap, while the owner goes once
// around: the slot that the thief has read holds another task by then, so its compare-and-swap
// must fail.
func TestRingFrozenThief(t *testing.T) {
	r, all := ringAt(1<<32-100), jobs(2*ringSize)
	for _, j := range all[:ringSize] {
		r.push(&j.Task)
	}
	h := r.head.Load()
	for i := range ringSize {
		r.pop()
		r.push(&all[ringSize+i].Task)
	}
	if r.head.CompareAndSwap(h, h+1) {
		t.Fatal("a thief that slept while its slot was used again was let through")
	}
	if r.pop() != &all[ringSize].Task {
		t.Fatal("another task is the oldest")
	}
}

// TestRingStress has an owner that pushes, pops and takes halves, and thieves with rings of their
// own. Each task comes out once, and Stolen is called once for each theft.
func TestRingStress(t *testing.T) {
	const count, thieves = 120_000, 2
	r, all := ringAt(1<<32-1000), jobs(count)
	var pushed atomic.Bool
	var group sync.WaitGroup
	for range thieves {
		group.Go(func() {
			for mine := ringAt(1<<32 - 500); ; {
				finished := pushed.Load()
				if mine.stealHalf(r) == 0 {
					if finished {
						return
					}
					runtime.Gosched()
				}
				for task := mine.pop(); task != nil; task = mine.pop() {
					jobOf(task).ran.Add(1)
				}
			}
		})
	}
	for i, j := range all {
		for !r.push(&j.Task) {
			newest, oldest := r.takeHalf()
			if newest == nil {
				continue
			}
			for n := &newest.Node; ; n = n.Next() {
				jobOf(taskOf(n)).ran.Add(1)
				if n == &oldest.Node {
					break
				}
			}
		}
		if i%3 == 0 {
			if task := r.pop(); task != nil {
				jobOf(task).ran.Add(1)
			}
		}
	}
	pushed.Store(true)
	for task := r.pop(); task != nil; task = r.pop() {
		jobOf(task).ran.Add(1)
	}
	group.Wait()
	stolen := 0
	for i, j := range all {
		if n := j.ran.Load(); n != 1 {
			t.Fatalf("task %d came out %d times", i, n)
		}
		if n := j.stolen.Load(); n > 1 {
			t.Fatalf("task %d was told %d times that it was stolen", i, n)
		}
		stolen += int(j.stolen.Load())
	}
	t.Logf("%d of %d were stolen", stolen, count)
}

// TestRingRetainsNothing holds that neither ring keeps a taken task alive, once its owner has
// found it empty.
func TestRingRetainsNothing(t *testing.T) {
	r, thief := ringAt(1<<32-20), ringAt(7)
	var gone []weak.Pointer[job]
	for range 50 {
		j := newJob(nop)
		gone = append(gone, weak.Make(j))
		r.push(&j.Task)
	}
	for range 10 {
		r.pop()
	}
	runtime.GC()
	runtime.GC()
	for i, w := range gone[:10] {
		if w.Value() != nil {
			t.Errorf("task %d, which was popped, is kept alive", i)
		}
	}
	thief.stealHalf(r)
	for _, own := range []*ring{r, thief} {
		for own.pop() != nil {
		}
	}
	runtime.GC()
	runtime.GC()
	for i, w := range gone {
		if w.Value() != nil {
			t.Errorf("task %d is kept alive", i)
		}
	}
	runtime.KeepAlive(r)
	runtime.KeepAlive(thief)
}
