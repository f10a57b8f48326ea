package freerun

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sched"
)

// TestOperationOnTheWay: the end of a runtime asks for the operation of a goroutine whose task is
// away. There is no context when the task is just about to leave its processor, or has got one
// again since the scheduler was asked.
func TestOperationOnTheWay(t *testing.T) {
	h := &sched.Host{}
	newHostState(h)
	if name := contextOf(h, nil).operation(); name != "" {
		t.Errorf("it is called %q", name)
	}
}
