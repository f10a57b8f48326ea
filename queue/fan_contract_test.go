//go:build freerun_debug

package queue

import (
	"strings"
	"testing"
)

// TestFanContract has calls of two goroutines overlap on each side of a FanIn and of a FanOut: the
// second is refused, and the text names both.
func TestFanContract(t *testing.T) {
	in, out := NewFanIn[int](4), NewFanOut[int](4)
	producer, consumer := in.Register(), out.Register()
	for _, c := range []struct {
		side  *side
		name  string
		calls map[string]func()
	}{
		{&in.consumer, "FanIn", map[string]func(){
			"TryDequeue": func() { in.TryDequeue() },
			"DequeueN":   func() { in.DequeueN(make([]int, 1)) },
		}},
		{&producer.producer, "FanInProducer", map[string]func(){
			"TryEnqueue": func() { producer.TryEnqueue(1) },
			"EnqueueN":   func() { producer.EnqueueN([]int{1}) },
			"Deregister": producer.Deregister,
		}},
		{&out.producer, "FanOut", map[string]func(){
			"TryEnqueue": func() { out.TryEnqueue(1) },
			"EnqueueN":   func() { out.EnqueueN([]int{1}) },
		}},
		{&consumer.consumer, "FanOutConsumer", map[string]func(){
			"TryDequeue": func() { consumer.TryDequeue() },
			"DequeueN":   func() { consumer.DequeueN(make([]int, 1)) },
			"Deregister": consumer.Deregister,
		}},
	} {
		for name, call := range c.calls {
			c.side.enter("queue: the first call")
			func() {
				defer func() {
					text, _ := recover().(string)
					if !strings.HasPrefix(text, "queue: "+name+" of a "+c.name) || !strings.Contains(text, "(queue: the first call)") {
						t.Errorf("%s of a %s beside another call: recovered %q", name, c.name, text)
					}
				}()
				call()
			}()
			c.side.leave()
		}
	}
	if !producer.TryEnqueue(1) || !out.TryEnqueue(1) {
		t.Error("a call that is alone is refused")
	}
	if _, ok := in.TryDequeue(); !ok {
		t.Error("what was enqueued after a refused call is not there")
	}
	if _, ok := consumer.TryDequeue(); !ok {
		t.Error("what was enqueued after a refused call is not there")
	}
}
