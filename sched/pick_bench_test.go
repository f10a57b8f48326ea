package sched

import "testing"

// BenchmarkPick reports what it costs to queue a task and to pick it again, by one goroutine that plays a processor.
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
			p, t := New(Config{Processors: 1}).processors[0], &newJob(nop).Task
			for b.Loop() {
				way.queue(p, t)
				if p.next() != t {
					b.Fatal("another task was picked")
				}
			}
		})
	}
}
