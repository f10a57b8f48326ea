package sched

import (
	"fmt"
	"testing"
)

func TestPriorityOrder(t *testing.T) {
	var zero Priority
	if zero != Normal {
		t.Error("the zero value is not Normal")
	}
	order := []Priority{High, Normal, Low, Idle}
	for i, a := range order {
		for j, b := range order {
			if a.Before(b) != (i < j) {
				t.Errorf("%v before %v: %v", a, b, a.Before(b))
			}
		}
	}
	if got := fmt.Sprint(order, Priority(9)); got != "[high normal low idle] no priority" {
		t.Errorf("their names are %s", got)
	}
}

// TestNoSuchPriority holds that every call refuses a number that is no priority.
func TestNoSuchPriority(t *testing.T) {
	const none = Priority(priorities)
	for name, queue := range map[string]func(p *Processor, t *Task){
		"PushAt":     func(p *Processor, t *Task) { p.PushAt(none, t) },
		"PushBackAt": func(p *Processor, t *Task) { p.PushBackAt(none, t) },
		"PushNextAt": func(p *Processor, t *Task) { p.PushNextAt(none, t) },
		"InjectAt":   func(p *Processor, t *Task) { p.scheduler.InjectAt(none, t) },
	} {
		s := New(Config{Processors: 1})
		func() {
			defer func() {
				if got := recover(); got != "sched: there is no such priority" {
					t.Errorf("%s panicked with %v", name, got)
				}
			}()
			queue(s.all()[0], &newJob(nop).Task)
		}()
		if s.hasWork() {
			t.Errorf("%s queued the task", name)
		}
	}
}
