//go:build explore

package claim

import (
	"math/bits"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// The mailboxes of the model: each unit has that of normal, the others are made on demand.
const (
	normal uint8 = iota
	high
	low
)

var mailboxNames = [...]string{"normal", "high", "low"}

// mailboxes are the mailboxes that are made on demand, and the word by which they are claimed.
type mailboxes struct {
	word  Word
	boxes [len(mailboxNames)]mailbox.Queue // that of normal is not used
}

// model is a unit without scheduler: code that would queue a task runs it at once. Its state is a
// plain field, so two goroutines that run operations at the same time race.
type model struct {
	normal mailbox.Queue
	more   atomics.Pointer[mailboxes]
	state  atomics.Plain[int]
	ran    atomics.Plain[[]string]
	turns  int // messages before others get their turn
	// hasty is a control: new mailboxes are not claimed, though that of normal may have an owner.
	hasty bool
}

type message struct {
	mailbox.Node
	name  string
	token bool
}

func (m *model) mailbox(x *mailboxes, p uint8) *mailbox.Queue {
	if p == normal {
		return &m.normal
	}
	return &x.boxes[p]
}

// send adds a message to a mailbox, and makes the mailboxes if there are none.
func (m *model) send(p uint8, l *message, token *message) {
	if p == normal {
		if m.normal.Enqueue(&l.Node) {
			m.task(normal)
		}
		return
	}
	x := m.more.Load()
	made := false
	if x == nil {
		x = new(mailboxes)
		x.word.Reserve()
		if m.hasty {
			x.word.word.Store(0)
			x.word.joined.Set(true)
		}
		if made = m.more.CompareAndSwap(nil, x); !made {
			x = m.more.Load()
		}
	}
	if made && m.normal.Enqueue(&token.Node) {
		m.task(normal)
	}
	if x.boxes[p].Enqueue(&l.Node) {
		m.task(p)
	}
}

// task runs the task of a mailbox, which the caller owns.
func (m *model) task(p uint8) {
	x := m.more.Load()
	switch {
	case p != normal:
		if x.word.Claim(p) {
			m.serve(x)
		}
		return
	case x != nil:
		if x.word.Join(normal) || x.word.Claim(normal) {
			m.serve(x)
		}
		return
	}
	for n := m.normal.Dequeue(); n != nil; n = m.normal.Dequeue() {
		m.run(n)
		if x = m.more.Load(); x != nil {
			if x.word.Join(normal) || x.word.Claim(normal) {
				m.serve(x)
			}
			return
		}
	}
}

// pick returns the first of the holder's mailboxes, high before the others. It returns false if
// there is none: the caller is no longer the holder then.
func (x *mailboxes) pick() (p uint8, some bool) {
	for {
		switch held := x.word.Held(); {
		case held&Bit(high) != 0:
			return high, true
		case held != 0:
			return uint8(bits.TrailingZeros32(held)), true
		case x.word.GiveUp():
			return 0, false
		}
	}
}

// serve runs messages of a unit of which the caller is the holder.
func (m *model) serve(x *mailboxes) {
	for ran := 0; ; {
		p, some := x.pick()
		if !some {
			return
		}
		n := m.mailbox(x, p).Dequeue()
		if n == nil {
			x.word.Drop(p)
			continue
		}
		m.run(n)
		if ran++; ran == m.turns {
			held := x.word.Release()
			for p := range uint8(len(mailboxNames)) {
				if held&Bit(p) != 0 {
					m.task(p)
				}
			}
			return
		}
	}
}

func (m *model) run(n *mailbox.Node) {
	l := (*message)(unsafe.Pointer(n))
	m.state.Set(m.state.Get() + 1)
	if !l.token {
		m.ran.Set(append(m.ran.Get(), l.name))
	}
}

// program has one thread for each of the given mailboxes, which sends each messages.
func program(turns int, hasty bool, each int, boxes ...uint8) func(*explore.Run) {
	return func(r *explore.Run) {
		m := &model{turns: turns, hasty: hasty}
		want := 0
		for _, p := range boxes {
			messages := make([]message, each)
			token := &message{token: true}
			want += each
			r.Go(mailboxNames[p], func() {
				for i := range messages {
					messages[i].name = mailboxNames[p]
					m.send(p, &messages[i], token)
				}
			})
		}
		r.After(func() {
			if n := len(m.ran.Get()); n != want {
				r.Failf("%d of %d messages were run: %v", n, want, m.ran.Get())
			}
			if x := m.more.Load(); x != nil && (x.word.word.Load() != 0 || x.word.held.Get() != 0) {
				r.Failf("claimed for ever: %x", x.word.word.Load())
			}
		})
	}
}

// TestExploreClaim: one processor at a time runs messages, and none is lost.
func TestExploreClaim(t *testing.T) {
	for name, body := range map[string]func(*explore.Run){
		"two mailboxes made":  program(100, false, 1, normal, high),
		"two priorities":      program(100, false, 1, high, low),
		"two each":            program(100, false, 2, normal, high),
		"turns":               program(1, false, 2, normal, high),
		"turns of priorities": program(1, false, 2, low, high),
	} {
		t.Run(name, func(t *testing.T) { explore.Exhaustive(t, 4, body) })
	}
	t.Run("three", func(t *testing.T) { explore.Exhaustive(t, 2, program(1, false, 1, normal, high, low)) })
}

// TestExploreClaimControl: if new mailboxes are not claimed in the name of the owner that the first
// mailbox may have, two processors run operations at once.
func TestExploreClaimControl(t *testing.T) {
	explore.MustFail(t, 2, program(100, true, 1, normal, high))
}
