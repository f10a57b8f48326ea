package cluster

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/calls"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     the machines change: gates open and close. A machine that does not have a partition
//             any more stops its units, behind what was sent to them before, and tells the one that
//             has it: that opens its gate then
//             a machine that leaves does so with all, before it says goodbye, and waits for the
//             outcomes of what it has taken
// Invariants: M1 While no machine is cut off, or slower than mostAwait, a unit is on one machine.
// Checked by: of package clustertest TestMachinesGuests; of package nats TestVolatileLeaves

// looked notes which machines there are. In the turn of the members.
func (c *volatileCalls) looked(v *partition.View) {
	before, now := c.known, c.of.node.rt.Now()
	if v == before && now.Sub(c.looks) < time.Minute {
		return
	}
	c.known, c.looks = v, now
	c.tellParts(v, before, func(moved map[int]string) {
		if c.leaving.Load() || before != nil && len(moved) == 0 {
			return
		}
		c.stopOthers(func() { // units of before the runtime has joined, too
			for _, p := range slices.Sorted(maps.Keys(moved)) { // so that a seed repeats it
				c.parts[p].releases(moved[p])
			}
		})
		// A message that was about to go on here may have made a unit again.
		c.of.node.after(partition.Absent, func() { c.stopOthers(func() {}) })
	})
}

// tellParts has the partitions know which machines there are, where it knew others before, and
// calls then once all do: with the partitions that are elsewhere now, and where. In the turn of the
// members.
func (c *volatileCalls) tellParts(v, before *partition.View, then func(moved map[int]string)) {
	self, owners, first := c.of.engine.Name(), v.Owners, before == nil
	if c.leaving.Load() {
		owners = v.Without(self).Owners
	}
	if first { // this machine has just begun
		before = v.Without(self)
	}
	mayAnswer := v.MayAnswer()
	left, moved := &atomic.Int64{}, &sync.Map{}
	left.Store(int64(len(c.parts)))
	for _, t := range c.parts {
		t.turn.Inline(func() {
			was := t.owner
			t.owner = owners[t.p]
			switch mine := t.owner == self; {
			case !mine:
				t.opens(false)
				t.releaser = "" // of a move that this machine never knew of
				// A machine that begins together with this one may think that this one has it.
				if was == self || first {
					moved.Store(t.p, t.owner)
				}
			case was != self && before.Owners[t.p] != self && slices.Contains(v.Members, before.Owners[t.p]):
				t.awaits(before.Owners[t.p])
			case t.awaited != "" && !slices.Contains(v.Members, t.awaited), was != self:
				t.opens(true) // one that has left has stopped its units before
			}
			t.gate.Members(mayAnswer)
			t.line.Members(mayAnswer)
			t.settle()
			if left.Add(-1) == 0 {
				all := map[int]string{}
				for p, to := range moved.Range {
					all[p.(int)] = to.(string)
				}
				then(all)
			}
		})
	}
}

// opens has the partition be here, or not. In the turn.
func (t *callsPart) opens(here bool) {
	if t.awaited = ""; here {
		t.releaser = ""
	}
	t.open.Store(here)
	t.gate.Open(here)
}

// awaits has the partition be here once the machine that had it has stopped its units: it says so,
// or takes too long. In the turn.
func (t *callsPart) awaits(machine string) {
	if t.releaser == machine {
		t.opens(true)
		return
	}
	t.opens(false)
	t.awaited = machine
	t.waits++
	wait := t.waits
	lineWorld{t}.After(mostAwait, func() {
		if t.awaited != "" && t.waits == wait {
			t.opens(true)
		}
	})
}

// mostAwait is how long a partition is nobody's at most, while its units are stopped.
const mostAwait = 2 * time.Second

// releases tells the machine that has the partition now that its units are stopped here.
func (t *callsPart) releases(to string) {
	if to != "" {
		t.of.of.machine.SendBeside(to, &calls.Frame{Kind: calls.Released, P: t.p, Node: t.of.of.engine.Name()})
	}
}

// released has the partition be here, if the machine that had it says so. In the turn.
func (t *callsPart) released(by string) {
	if t.awaited == by {
		t.opens(true)
	} else if !t.open.Load() {
		t.releaser = by
	}
}

// stopOthers stops the units that are not here any more, behind what was sent to them.
func (c *volatileCalls) stopOthers(done func()) {
	kinds := c.of.node.volatile
	left := &atomic.Int64{}
	left.Store(int64(len(kinds)) + 1)
	stopped := func() {
		if left.Add(-1) == 0 {
			done()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) { // so that a seed repeats it
		k := kinds[name]
		seam.StopSome(c.of.node.rt, k.name, func(key any) bool {
			text, err := k.keyText(key)
			return err == nil && !c.parts[partition.Of(k.unit(text), len(c.parts))].open.Load()
		}, stopped)
	}
	stopped()
}

const (
	// mostStops is how long a machine that leaves waits for its units to stop, before others get
	// its partitions, and mostRuns for the operations that it has taken.
	mostStops = time.Second
	mostRuns  = 10 * time.Second
	// mostSilent is how long it waits without a word.
	mostSilent = time.Second
)

// leave has the units be on other machines: what was taken here runs, and then they are stopped.
// stopped is called then, or after mostStops, and ended when all outcomes have left, or after
// mostRuns.
func (c *volatileCalls) leave(stopped, ended func()) {
	hush := c.of.node.limit(mostSilent, c.sayRuns)
	tells := ended
	stopped, ended = c.within(mostStops, stopped), c.within(mostRuns, func() {
		hush()
		tells()
	})
	c.of.machine.Run(func() {
		c.leaving.Store(true)
		v := c.of.machine.View()
		if v == nil {
			stopped()
			ended()
			return
		}
		c.tellParts(v, v, func(map[int]string) {
			// Twice: a message that was about to go on here may have made a unit again.
			c.stopOthers(func() {
				c.stopOthers(func() {
					stopped()
					c.awaitRuns(ended)
				})
			})
		})
	})
}

// within returns a function that calls fn once, and calls it after a while; at once if the runtime
// drains.
func (c *volatileCalls) within(most time.Duration, fn func()) func() {
	once := sync.OnceFunc(fn)
	stop := c.of.node.limit(most, once)
	return func() {
		stop()
		once()
	}
}

// awaitRuns waits until all that was taken has its outcome.
func (c *volatileCalls) awaitRuns(done func()) {
	if c.runs.Load() == 0 || c.of.isEnding() {
		done()
		return
	}
	c.of.node.after(leastPause, func() { c.awaitRuns(done) })
}

// sayRuns logs which operations have been taken and have no outcome, if there are any.
func (c *volatileCalls) sayRuns() {
	if c.runs.Load() == 0 || c.of.isEnding() {
		return
	}
	each, left := make(chan []string, len(c.parts)), &atomic.Int64{}
	left.Store(int64(len(c.parts)))
	for _, t := range c.parts {
		t.turn.Inline(func() {
			each <- t.running()
			if left.Add(-1) > 0 {
				return
			}
			close(each)
			var all []string
			for some := range each {
				all = append(all, some...)
			}
			slices.Sort(all)
			slog.Warn("cluster: a machine that leaves waits for operations of volatile units that others have called, 10 s at most; an operation that returns a future has its outcome with that",
				"operations", len(all), "first", strings.Join(all[:min(len(all), 3)], ", "))
		})
	}
}

// running returns the names of what was taken and has no outcome. In the turn.
func (t *callsPart) running() (all []string) {
	for body := range t.gate.Running() {
		if call, err := layout.DecodeCall(body); err == nil {
			all = append(all, fmt.Sprintf("%s of %s %q", call.Operation, call.Kind, call.Key))
		}
	}
	return all
}
