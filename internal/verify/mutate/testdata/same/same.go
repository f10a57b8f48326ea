// Package same has a place for each class of changes that are the same to every caller, and beside
// it a place that looks alike and is not.
package same

import (
	"sync/atomic"
	"time"
)

type node struct {
	a, b atomic.Int32
	next atomic.Pointer[node]
}

type list struct {
	head  atomic.Pointer[node]
	word  atomic.Uint32
	asked atomic.Uint64 // a statistic: only Stats reads it
	size  atomic.Int64  // Stats reads it, and grown does
}

const patience = time.Millisecond

// unpublished makes a node and publishes it afterwards.
func (l *list) unpublished() {
	n := &node{}
	n.a.Store(1)
	n.b.Store(2)
	l.head.Store(n)
	n.a.Store(3)
	n.b.Store(4)
}

// captured gives its node to a goroutine first.
func captured() *node {
	n := &node{}
	go func() { n.a.Add(1) }()
	n.a.Store(1)
	n.b.Store(2)
	return n
}

// given stores into a node that others may know.
func given(n *node) {
	n.a.Store(1)
	n.b.Store(2)
}

func (l *list) count() {
	l.asked.Add(1)
	l.size.Add(1)
	l.word.Store(1)
}

func (l *list) grown() bool { return l.size.Load() > 9 }

// Stats is for people.
func (l *list) Stats() (asked uint64, size int64) { return l.asked.Load(), l.size.Load() }

// attempt looks before it changes the word; either looks at one word before it changes another.
func (l *list) attempt() bool { return l.word.Load() == 0 && l.word.CompareAndSwap(0, 1) }

func (l *list) exchange() bool { return l.word.Load() == 0 && l.word.Swap(1) == 0 }

func (l *list) either() bool { return l.size.Load() == 0 && l.word.CompareAndSwap(0, 1) }

func late(took, limit time.Duration) bool { return took > patience || took > limit }

const here, elsewhere = true, false

func (l *list) build() {
	if elsewhere {
		l.word.Store(1)
	}
	if here {
		l.word.Store(2)
		return
	}
	l.word.Store(3)
}
