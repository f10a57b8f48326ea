//go:build explore

package offheap

import (
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// figures has one thread allocate a block of 4096 bytes with tag 2 and keep it, another free a
// block, and a third ask for all figures of the arena meanwhile. alloc calls has when the program
// has the block.
func figures(alloc func(a *Arena, has func(b Block))) func(*explore.Run) {
	return func(r *explore.Run) {
		o := newOwners(explored(8192, 2048, 2))
		kept, err := o.a.AllocTagged(2048, 1)
		if err != nil {
			r.Failf("%v", err)
		}
		o.got(r, "setup", kept)
		freed := o.alloc(r, "setup", 1000)
		var made atomics.Uint64 // a Block, once the program has it
		r.Go("allocates", func() {
			alloc(o.a, func(b Block) {
				o.got(r, "allocates", b)
				made.Store(uint64(b))
			})
		})
		r.Go("frees", func() { o.free(freed) })
		r.Go("asks", func() {
			had := Block(made.Load()) // live from here on, if it is a block
			u := o.a.Usage()
			o.plausible(r, "Usage", u, had)
			s := o.a.Stats()
			o.plausible(r, "Stats", s.Usage, had)
			if part := s.ExternalFragmentation; part < 0 || part > 1 {
				r.Failf("external fragmentation %v", part)
			}
			if tags := s.Tags; !slices.ContainsFunc(tags, func(t TagStats) bool { return t.Tag == 1 && t.Blocks == 1 && t.Bytes == 2048 }) {
				r.Failf("the block with tag 1 is not among %+v", tags)
			}
			leaks := o.a.Leaks()
			for _, b := range []Block{kept, had} {
				if b != 0 && !slices.ContainsFunc(leaks, func(l Leak) bool { return l.Block == b && l.Size == o.a.Size(b) }) {
					r.Failf("%v is live, and not among %+v", b, leaks)
				}
			}
			if o.a.SizeFor(1000) != 2048 || o.a.Size(kept) != 2048 {
				r.Failf("sizes that do not change: %d, %d", o.a.SizeFor(1000), o.a.Size(kept))
			}
		})
		r.After(func() {
			if u := o.a.Usage(); u.Blocks != 2 || u.Live != 2048+4096 {
				r.Failf("at the end %+v", u)
			}
			o.free(kept)
			o.free(Block(made.Load()))
			o.whole(r)
		})
	}
}

// plausible holds that usage is of an instant of the call: the block of 2048 bytes that is kept is
// counted, and so is had, of 4096 bytes, if there was such a block before the call.
func (o *owners) plausible(r *explore.Run, call string, u Usage, had Block) {
	blocks, live := int64(1), int64(2048)
	if had != 0 {
		blocks, live = blocks+1, live+4096
	}
	if u.Blocks < blocks || u.Blocks > 3 || u.Live < live || u.Live > 8192 || u.Size != 8192 || u.Peak > 8192 {
		r.Failf("%s: %+v, with %d blocks of %d bytes live all the time", call, u, blocks, live)
	}
	if part := u.InternalFragmentation; part < 0 || part > 1 {
		r.Failf("%s: internal fragmentation %v", call, part)
	}
}

// TestExploreFigures asks for figures while others allocate and free.
func TestExploreFigures(t *testing.T) {
	body := figures(func(a *Arena, has func(b Block)) {
		b, err := a.AllocTagged(4096, 2)
		if err != nil {
			panic(err)
		}
		has(b)
	})
	t.Run("exhaustive", func(t *testing.T) { explore.Exhaustive(t, 2, body) })
	t.Run("random", func(t *testing.T) { explore.Random(t, 2000, body) })
}

// TestExploreFiguresControls counts a block, or makes it live, only after the program has it.
func TestExploreFiguresControls(t *testing.T) {
	const size, class, tag = 4096, 1, 2
	t.Run("counted late", func(t *testing.T) {
		explore.MustFail(t, 2, figures(func(a *Arena, has func(b Block)) {
			fill := fillOf(size, class+a.least)
			has(a.allocSlowly(class, fill, tag, false))
			a.count(class, fill, tag, 1)
		}))
	})
	t.Run("live late", func(t *testing.T) {
		explore.MustFail(t, 2, figures(func(a *Arena, has func(b Block)) {
			fill := fillOf(size, class+a.least)
			place, _ := a.takeOut(class, false)
			s := a.states.at(place)
			b := a.nextBlock(place, s.Load(), class, fill, tag)
			a.count(class, fill, tag, 1)
			has(b)
			s.Store(b.state(live))
		}))
	})
}

// link is the type of the objects that the threads of views make.
type link struct {
	value uint64
	next  Ref[link]
}

// views has one thread make values through a view and pass a reference on, and other threads take
// and free them. fill writes 7 and 8 into two values, and calls pass when others may see them.
func views(fill func(write func(i int, value uint64), pass func())) func(*explore.Run) {
	return func(r *explore.Run) {
		o := newOwners(explored(8192, 2048, 2))
		v, err := ViewOf[link](o.a)
		if err != nil {
			r.Failf("%v", err)
		}
		var passed, written atomics.Uint64
		take := func() {
			b := Ref[link](Block(passed.Load()))
			if b.IsZero() || !passed.CompareAndSwap(uint64(b), 0) {
				return
			}
			written.Load() // the step with which the values are read
			if all := v.Slice(b); v.At(b) != &all[0] || len(all) < 2 || all[0].value != 7 || all[1].value != 8 {
				r.Failf("what was passed on is %+v and %+v", all[0], all[1])
			}
			next := v.At(b).next
			if next.IsZero() || *v.At(next) != (link{}) {
				r.Failf("%v is no new value", next)
			}
			v.Free(next)
			v.Free(b)
		}
		r.Go("makes", func() {
			n, err := v.New()
			if err != nil {
				r.Failf("%v", err)
			}
			b, err := v.Tagged(1).NewSlice(2)
			if err != nil {
				r.Failf("%v", err)
			}
			v.At(b).next = n
			fill(func(i int, value uint64) {
				all := v.Slice(b)
				written.Add(1) // the step with which the value is written, as the explorer sees it
				all[i].value = value
			}, func() { passed.Store(uint64(b)) })
		})
		for range 2 {
			r.Go("takes", take)
		}
		r.After(func() {
			take()
			o.whole(r)
		})
	}
}

// TestExploreViews passes values from one thread to others.
func TestExploreViews(t *testing.T) {
	body := views(func(write func(i int, value uint64), pass func()) {
		write(0, 7)
		write(1, 8)
		pass()
	})
	t.Run("exhaustive", func(t *testing.T) { explore.Exhaustive(t, 2, body) })
	t.Run("random", func(t *testing.T) { explore.Random(t, 2000, body) })
}

// TestExploreViewsControl passes a value on before it is all there.
func TestExploreViewsControl(t *testing.T) {
	explore.MustFail(t, 2, views(func(write func(i int, value uint64), pass func()) {
		write(0, 7)
		pass()
		write(1, 8)
	}))
}
