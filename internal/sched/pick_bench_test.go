package sched

import "testing"

// BenchmarkPick measures queueing a task and picking it again, by one goroutine that plays a
// processor.
func BenchmarkPick(b *testing.B) {
	for _, way := range []struct {
		name  string
		queue func(p *Processor, t *Task)
	}{
		{"slot", (*Processor).PushNext},
		{"ring", (*Processor).PushBack},
		{"deque", (*Processor).Push},
		{"hand", (*Processor).Hand},
		{"inbox", func(p *Processor, t *Task) { p.scheduler.Inject(t) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			p, t := New(Config{Processors: 1}).all()[0], &newJob(nop).Task
			for b.Loop() {
				way.queue(p, t)
				if p.next() != t {
					b.Fatal("another task was picked")
				}
			}
		})
	}
}

// BenchmarkPickLevels measures the same for other priorities, and for Normal while a lower one
// waits.
func BenchmarkPickLevels(b *testing.B) {
	for _, pr := range byRank {
		b.Run(pr.String(), func(b *testing.B) {
			p, t := New(Config{Processors: 2}).all()[0], &newJob(nop).Task
			for b.Loop() {
				p.PushBackAt(pr, t)
				if p.next() != t {
					b.Fatal("another task was picked")
				}
			}
		})
	}
	b.Run("normal before low", func(b *testing.B) {
		p, t, low := New(Config{Processors: 2}).all()[0], &newJob(nop).Task, &newJob(nop).Task
		p.PushBackAt(Low, low)
		for b.Loop() {
			p.PushBack(t)
			if p.next() != t { // Low had its turn
				p.PushBackAt(Low, low)
				p.next()
			}
		}
	})
}
