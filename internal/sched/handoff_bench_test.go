//go:build !explore

package sched

import "testing"

// BenchmarkLeave measures a task that leaves its processor and ends: two goroutines take turns as
// the processor's home.
func BenchmarkLeave(b *testing.B) {
	s := New(Config{Processors: 1})
	s.Start()
	defer s.Stop(nil)
	b.ReportAllocs()
	done := make(chan struct{})
	left := b.N
	var j *job
	j = newJob(func(p *Processor) {
		if left--; left == 0 {
			close(done)
			return
		}
		p.Push(&j.Task)
		p.Leave()
	})
	b.ResetTimer()
	s.Inject(&j.Task)
	<-done
}

// BenchmarkWait measures a task that waits for one that it has queued, like a join whose other
// branch was not begun.
func BenchmarkWait(b *testing.B) {
	s := New(Config{Processors: 1})
	s.Start()
	defer s.Stop(nil)
	b.ReportAllocs()
	done := make(chan struct{})
	s.Inject(&newJob(func(p *Processor) {
		defer close(done)
		var st Suspension
		ready := newJob(func(q *Processor) { st.Ready(q) })
		for range b.N {
			p.Push(&ready.Task)
			p = st.Wait(p)
		}
	}).Task)
	<-done
}

// BenchmarkTurn measures one turn of a deterministic scheduler.
func BenchmarkTurn(b *testing.B) {
	s := New(Config{Processors: 2, Choose: func([]int) int { return 0 }})
	s.Start()
	defer s.Stop(nil)
	b.ReportAllocs()
	left := b.N
	var j *job
	j = newJob(func(p *Processor) {
		if left--; left > 0 {
			p.Push(&j.Task)
		}
	})
	s.Inject(&j.Task)
	b.ResetTimer()
	s.Drive(nil)
}
