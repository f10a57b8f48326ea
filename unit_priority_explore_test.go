//go:build explore

package freerun

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// laneModel is a unit without scheduler: code that would queue a task runs it at once. Its state
// is a plain field, so two goroutines that run operations at the same time race.
type priorityModel struct {
	normal mailbox.Queue
	lanes  atomics.Pointer[priorityMailboxes]
	state  atomics.Plain[int]
	ran    atomics.Plain[[]string]
	turns  int // messages before others get their turn
	// hasty is a control: new priority mailboxes are not claimed, though the mailbox of Normal may
	// have an owner.
	hasty bool
}

type priorityMessage struct {
	mailbox.Node
	name  string
	token bool
}

func (m *priorityModel) mailbox(x *priorityMailboxes, p sched.Priority) *mailbox.Queue {
	if p == sched.Normal {
		return &m.normal
	}
	return &x.express[p].mailbox
}

// send stands for deliverAt, withPriorityMailboxes and queue.
func (m *priorityModel) send(p sched.Priority, l *priorityMessage, token *priorityMessage) {
	if p == sched.Normal {
		if m.normal.Enqueue(&l.Node) {
			m.task(sched.Normal)
		}
		return
	}
	x := m.lanes.Load()
	made := false
	if x == nil {
		x = new(priorityMailboxes)
		x.word.Store(claimed)
		if m.hasty {
			x.word.Store(0)
			x.joined.Set(true)
		}
		if made = m.lanes.CompareAndSwap(nil, x); !made {
			x = m.lanes.Load()
		}
	}
	if made && m.normal.Enqueue(&token.Node) {
		m.task(sched.Normal)
	}
	if x.express[p].mailbox.Enqueue(&l.Node) {
		m.task(p)
	}
}

// task stands for drain and runPriorityMailbox.
func (m *priorityModel) task(p sched.Priority) {
	x := m.lanes.Load()
	switch {
	case p != sched.Normal:
		if x.claim(p) {
			m.serve(x)
		}
		return
	case x != nil:
		if x.join() || x.claim(sched.Normal) {
			m.serve(x)
		}
		return
	}
	for n := m.normal.Dequeue(); n != nil; n = m.normal.Dequeue() {
		m.run(n)
		if x = m.lanes.Load(); x != nil {
			if x.join() || x.claim(sched.Normal) {
				m.serve(x)
			}
			return
		}
	}
}

func (m *priorityModel) serve(x *priorityMailboxes) {
	for ran := 0; ; {
		p, some := x.pick()
		if !some {
			return
		}
		n := m.mailbox(x, p).Dequeue()
		if n == nil {
			x.gaveUp(p)
			continue
		}
		m.run(n)
		if ran++; ran == m.turns {
			held := x.release()
			for p := range sched.Priority(priorities) {
				if held&laneBit(p) != 0 {
					m.task(p)
				}
			}
			return
		}
	}
}

func (m *priorityModel) run(n *mailbox.Node) {
	l := (*priorityMessage)(unsafe.Pointer(n))
	m.state.Set(m.state.Get() + 1)
	if !l.token {
		m.ran.Set(append(m.ran.Get(), l.name))
	}
}

// laneProgram has one thread for each priority, which sends that many messages.
func priorityProgram(turns int, hasty bool, each int, priorities ...sched.Priority) func(*explore.Run) {
	return func(r *explore.Run) {
		m := &priorityModel{turns: turns, hasty: hasty}
		want := 0
		for _, p := range priorities {
			letters := make([]priorityMessage, each)
			token := &priorityMessage{token: true}
			want += each
			r.Go(p.String(), func() {
				for i := range letters {
					letters[i].name = p.String()
					m.send(p, &letters[i], token)
				}
			})
		}
		r.After(func() {
			if n := len(m.ran.Get()); n != want {
				r.Failf("%d of %d letters were run: %v", n, want, m.ran.Get())
			}
			if x := m.lanes.Load(); x != nil && (x.word.Load() != 0 || x.held.Get() != 0) {
				r.Failf("claimed for ever: %x", x.word.Load())
			}
		})
	}
}

func TestExploreLanes(t *testing.T) {
	for name, body := range map[string]func(*explore.Run){
		"two lanes made":   priorityProgram(100, false, 1, sched.Normal, sched.High),
		"two express":      priorityProgram(100, false, 1, sched.High, sched.Low),
		"two each":         priorityProgram(100, false, 2, sched.Normal, sched.High),
		"turns":            priorityProgram(1, false, 2, sched.Normal, sched.High),
		"turns of express": priorityProgram(1, false, 2, sched.Low, sched.High),
	} {
		t.Run(name, func(t *testing.T) { explore.Exhaustive(t, 4, body) })
	}
	t.Run("three", func(t *testing.T) {
		explore.Exhaustive(t, 2, priorityProgram(1, false, 1, sched.Normal, sched.High, sched.Low))
	})
}

// TestExploreLanesControl: if new priority mailboxes are not claimed in the name of the owner that
// Normal's mailbox may have, two processors run operations at once.
func TestExploreLanesControl(t *testing.T) {
	explore.MustFail(t, 2, priorityProgram(100, true, 1, sched.Normal, sched.High))
}
