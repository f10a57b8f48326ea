package sched

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// has returns the bits of priorities.
func has(all ...Priority) (present uint32) {
	for _, pr := range all {
		present |= pr.bit()
	}
	return present
}

// TestTurnsShare holds the shares that the constants promise, in operations, whatever has run
// before, and whatever number of operations each priority runs at a time. A task of High never
// waits for two turns in a row.
func TestTurnsShare(t *testing.T) {
	random := rand.New(rand.NewPCG(replay.Seed(t), 0))
	promised := map[Priority]int{Normal: normalTurn, Low: lowTurn, Idle: idleTurn}
	for _, flood := range []Priority{High, Normal} {
		for _, below := range [][]Priority{{Normal}, {Low}, {Idle}, {Low, Idle}, {Normal, Low, Idle}} {
			if !flood.Before(below[0]) {
				continue
			}
			for _, batch := range [][priorities]int{ // by number: Normal, High, Low, Idle
				{1, 1, 1, 1},
				{turnBatch, 1, turnBatch, turnBatch},
				{1, 5, 1, 1},
				{turnBatch, 8, 3, 1},
			} {
				t.Run(fmt.Sprint(flood, below, batch), func(t *testing.T) {
					turns := new(Turns)
					for range random.IntN(2000) {
						turns.Next(1 + random.Uint32N(1<<priorities-1))
						turns.Ran(random.IntN(40))
					}
					ran, all, last := map[Priority]int{}, 0, High
					for all < 400_000 {
						pr := turns.Next(has(append(below, flood)...))
						if pr != flood && last != flood && all > 0 {
							t.Fatalf("turns of %v and %v follow each other", last, pr)
						}
						turns.Ran(batch[pr])
						ran[pr] += batch[pr]
						all += batch[pr]
						last = pr
					}
					for _, pr := range below {
						if want := all / promised[pr]; ran[pr] < want*99/100-200 || ran[pr] > want*101/100+200 {
							t.Errorf("%v had %d of %d operations, want %d", pr, ran[pr], all, want)
						}
					}
				})
			}
		}
	}
}

// TestTurnsAreLost holds that a priority without tasks saves no turns up, and that what it runs
// while nothing better is there costs it none.
func TestTurnsAreLost(t *testing.T) {
	var turns Turns
	for range 10_000 {
		turns.Next(has(High))
		turns.Ran(1)
	}
	for range 10_000 {
		turns.Next(has(Normal, Low))
		turns.Ran(1)
	}
	for i := range normalTurn - 1 { // of High, until Normal is due
		if pr := turns.Next(has(High, Normal)); pr != High {
			t.Fatalf("step %d is of %v", i, pr)
		}
		turns.Ran(1)
	}
	if pr := turns.Next(has(High, Normal)); pr != Normal {
		t.Errorf("after %d of High comes %v", normalTurn-1, pr)
	}
}

// batchFlood has puppets run one task again and again, which runs up to limit operations of a
// priority at a time, and gives way when it is told to.
func batchFlood(s *puppets, p *Processor, pr Priority, limit int, ran *[priorities]int) {
	var j *job
	j = newJob(func(p *Processor) {
		for left := limit; left > 0; left-- {
			p.yieldTimer.left--
			if ran[pr]++; p.GiveWay(pr) {
				break
			}
		}
		p.PushBackAt(pr, &j.Task)
	})
	p.PushBackAt(pr, &j.Task)
}

// TestGiveWay floods a processor with tasks of High that run many operations each, beside chains,
// whose tasks run one operation and queue the next task. The priority of each chain has the
// promised share of all operations.
func TestGiveWay(t *testing.T) {
	promised := map[Priority]int{Normal: normalTurn, Low: lowTurn, Idle: idleTurn}
	for _, flood := range byRank[:3] {
		for _, pr := range byRank[rank[flood]+1:] {
			for name, how := range ways(pr) {
				t.Run(fmt.Sprint(flood, " before ", name), func(t *testing.T) {
					s := newPuppets(t, 1)
					p := s.all()[0]
					var ran [priorities]int
					batchFlood(s, p, flood, 128, &ran)
					batchFlood(s, p, flood, 128, &ran)
					var chain *job
					chain = newJob(func(p *Processor) {
						p.yieldTimer.left--
						ran[pr]++
						how(p, &chain.Task)
					})
					how(p, &chain.Task)
					all := func() int { return ran[High] + ran[Normal] + ran[Low] + ran[Idle] }
					for all() < 100*idleTurn {
						if !s.step(p) {
							t.Fatal("nothing is left")
						}
					}
					if want := all() / promised[pr]; ran[pr] < want-2 || ran[pr] > want+2 {
						t.Errorf("the chain had %d of %d operations, want %d", ran[pr], all(), want)
					}
				})
			}
		}
	}
}
