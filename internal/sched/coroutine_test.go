package sched

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

// pieces is a task that runs on a coroutine, one piece each time that it is queued.
type pieces struct {
	Task
	co   *Coroutine
	then func(p *Processor, t *pieces) // called by the host after a piece
}

var piecesKind = &Kind{Run: func(p *Processor, t *Task) {
	w := (*pieces)(unsafe.Pointer(t))
	if _, now, alive := w.co.Enter(p); alive {
		w.then(now, w)
	}
}}

// inPieces returns a task that runs body on a coroutine and is queued again after each piece.
func inPieces(s *Scheduler, body func(co *Coroutine)) *pieces {
	w := &pieces{co: NewCoroutine(body)}
	w.Kind = piecesKind
	w.then = func(p *Processor, t *pieces) {
		if p == nil {
			s.Inject(&t.Task)
		} else {
			p.PushBack(&t.Task)
		}
	}
	return w
}

func TestCoroutineTakesTurns(t *testing.T) {
	for name, config := range map[string]Config{
		"real":          {Processors: 1},
		"deterministic": {Processors: 1, Choose: func([]int) int { return 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(config)
			var order []int
			for id := range 3 {
				s.Inject(&inPieces(s, func(co *Coroutine) {
					for range 4 {
						p := co.Processor()
						switch {
						case p == nil || p != CurrentProcessor():
							t.Error("not on its processor")
						case CurrentCoroutine() != co || !co.Here():
							t.Error("not the coroutine that runs")
						case !p.isHome():
							t.Error("the processor's home is elsewhere")
						case CurrentHost() == nil || CurrentHost().Task() != p.Running():
							t.Error("not in its task")
						}
						order = append(order, id)
						p.Pause()
						co.Suspend()
					}
				}).Task)
			}
			s.Start()
			runDry(t, s)
			if !slices.Equal(order, []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}) {
				t.Errorf("order %v", order)
			}
		})
	}
}

func TestCoroutineLeavesItsProcessor(t *testing.T) {
	s := New(Config{Processors: 1})
	release, left := make(chan struct{}), make(chan struct{})
	var after []*Processor
	s.Inject(&inPieces(s, func(co *Coroutine) {
		co.Processor().Leave()
		close(left)
		<-release
		after = append(after, co.Processor())
		co.Suspend()
		after = append(after, co.Processor())
	}).Task)
	s.Start()
	<-left
	s.Inject(&inPieces(s, func(*Coroutine) { close(release) }).Task) // on the left processor
	runDry(t, s)
	if len(after) != 2 || after[0] != nil || after[1] == nil {
		t.Errorf("processors after it left: %v", after)
	}
}

func TestCoroutineSleepsInASuspension(t *testing.T) {
	s := New(Config{Processors: 1})
	var suspension Suspension
	slept := false
	s.Inject(&inPieces(s, func(co *Coroutine) {
		p := co.Processor()
		p.Push(&inPieces(s, func(other *Coroutine) { suspension.Ready(other.Processor()) }).Task)
		q := suspension.Wait(p)
		slept = q != nil && q == co.Processor() && q.isHome()
		co.Suspend()
		slept = slept && co.Processor() != nil && co.Processor().isHome()
	}).Task)
	s.Start()
	runDry(t, s)
	if !slept {
		t.Error("after the sleep the coroutine was not at home")
	}
}

func TestCoroutineEndsByGoexit(t *testing.T) {
	s := New(Config{Processors: 1})
	deferred, ran := false, false
	s.Inject(&inPieces(s, func(co *Coroutine) {
		defer func() { deferred = true }()
		co.Suspend()
		runtime.Goexit()
	}).Task)
	s.Inject(&inPieces(s, func(co *Coroutine) {
		co.Suspend()
		co.Suspend()
		ran = true
	}).Task)
	s.Start()
	runDry(t, s)
	if !deferred || !ran {
		t.Errorf("deferred: %v, the other one ran: %v", deferred, ran)
	}
}

func TestCoroutinesAreKeptAndEnded(t *testing.T) {
	s := New(Config{Processors: 1})
	ended := 0
	task := &pieces{}
	task.Kind = &Kind{Run: func(p *Processor, _ *Task) {
		if p.TakeCoroutine() != nil {
			t.Error("one was there before any was kept")
		}
		var all []*Coroutine
		for range maxFreeCoroutines + 3 {
			co := NewCoroutine(func(co *Coroutine) { co.Suspend(); ended++ })
			co.Enter(p)
			all = append(all, co)
		}
		for _, co := range all {
			p.KeepCoroutine(co)
		}
		if ended != 3 {
			t.Errorf("%d were ended, want 3", ended)
		}
		co := p.TakeCoroutine()
		if co != all[maxFreeCoroutines-1] {
			t.Error("not the one that was kept last")
		}
		p.KeepCoroutine(co)
	}}
	s.Inject(&task.Task)
	s.Start()
	runDry(t, s)
	if ended != maxFreeCoroutines+3 {
		t.Errorf("%d were ended in the end, want all", ended)
	}
}

func TestCoroutineTrace(t *testing.T) {
	s := New(Config{Processors: 2})
	found := make(chan []byte)
	begun, release := make(chan *Coroutine, 1), make(chan struct{})
	s.Inject(&inPieces(s, func(co *Coroutine) {
		begun <- co
		waitInAWellKnownPlace(release)
	}).Task)
	s.Start()
	co := <-begun
	go func() { found <- co.Trace() }()
	if trace := <-found; !bytes.Contains(trace, []byte("waitInAWellKnownPlace")) {
		t.Errorf("trace:\n%s", trace)
	}
	close(release)
	runDry(t, s)
}

//go:noinline
func waitInAWellKnownPlace(release chan struct{}) { <-release }

func TestPickAndCarry(t *testing.T) {
	s := New(Config{Processors: 1})
	var order []string
	named := func(name string, run func(p *Processor)) *Task {
		t := &pieces{}
		t.Kind = &Kind{Run: func(p *Processor, _ *Task) {
			order = append(order, name)
			if run != nil {
				run(p)
			}
		}}
		return &t.Task
	}
	s.Inject(named("first", func(p *Processor) {
		if p.Pick() != nil {
			t.Error("picked something where there is nothing")
		}
		p.PushBack(named("a", nil))
		p.PushBack(named("b", nil))
		p.Carry(p.Pick())
		p.PushNext(named("c", nil))
	}))
	s.Start()
	runDry(t, s)
	if !slices.Equal(order, []string{"first", "a", "c", "b"}) {
		t.Errorf("order %v", order)
	}
}

// runDry runs a scheduler until it is idle, and stops it.
func runDry(t *testing.T, s *Scheduler) {
	t.Helper()
	if err := s.AwaitIdle(context.Background(), func() bool { return true }); err != nil {
		t.Error(err)
	}
	if stuck := s.Stop(nil); stuck != nil {
		t.Errorf("stuck: %v", stuck)
	}
}

func BenchmarkCoroutineSwitch(b *testing.B) {
	s := New(Config{Processors: 1})
	done := make(chan struct{})
	for range 10 {
		n := b.N/10 + 1
		s.Inject(&inPieces(s, func(co *Coroutine) {
			for range n {
				co.Suspend()
			}
		}).Task)
	}
	b.ResetTimer()
	s.Start()
	go func() { s.AwaitIdle(context.Background(), func() bool { return true }); close(done) }()
	<-done
	b.StopTimer()
	s.Stop(nil)
}
