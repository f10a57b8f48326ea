package sched

import (
	"sync/atomic"
	"testing"
)

// TestOfferIsTaken has a task wait for its offered part: another processor must come for it, awake
// or asleep.
func TestOfferIsTaken(t *testing.T) {
	const rounds = 200
	s := started(t, 2)
	for round := range rounds {
		if round%2 == 0 {
			awaitParked(t, s)
		}
		done := make(chan struct{})
		s.Inject(&newJob(func(p *Processor) {
			helped := make(chan struct{})
			offered := newJob(func(*Processor) { close(helped) })
			if !p.Offer().Empty() {
				t.Error("something is offered already")
			}
			p.Offer().Put(&offered.Task)
			<-helped
			if p.Offer().Take() != nil || !p.Offer().Empty() {
				t.Error("what was taken is still there")
			}
			close(done)
		}).Task)
		await(t, "the offer to be taken", done)
	}
}

// TestOfferTakenBack offers and takes back while the other processor steals: each task has one
// taker.
func TestOfferTakenBack(t *testing.T) {
	const tasks = 20_000
	s := started(t, 2)
	var stolen atomic.Int64
	kind := &Kind{Run: func(*Processor, *Task) { stolen.Add(1) }}
	back := 0
	done := make(chan struct{})
	s.Inject(&newJob(func(p *Processor) {
		defer close(done)
		task := &Task{Kind: kind}
		for range tasks {
			p.Offer().Put(task)
			switch p.Offer().Take() {
			case task: // no thief has it, so it may be offered again
				back++
			case nil:
				task = &Task{Kind: kind}
			default:
				t.Error("took another task back")
			}
		}
	}).Task)
	await(t, "the offers", done)
	awaitParked(t, s)
	if got := back + int(stolen.Load()); got != tasks {
		t.Errorf("of %d offers, %d were taken back and %d stolen", tasks, back, stolen.Load())
	}
}

// TestStealOffered holds that only accepted tasks are taken, and none from the thief's own offer.
func TestStealOffered(t *testing.T) {
	s := New(Config{Processors: 3})
	p, q, r := s.all()[0], s.all()[1], s.all()[2]
	mine, one, other := newJob(nop), newJob(nop), newJob(nop)
	p.Offer().Put(&mine.Task)
	q.Offer().Put(&one.Task)
	r.Offer().Put(&other.Task)
	if got := p.StealOffered(func(t *Task) bool { return t == &mine.Task }); got != nil {
		t.Error("stole from itself")
	}
	if got := p.StealOffered(func(t *Task) bool { return t == &other.Task }); got != &other.Task {
		t.Error("did not steal the accepted one")
	}
	if !r.Offer().Empty() || q.Offer().Empty() {
		t.Error("the wrong offer is empty")
	}
	p.Offer().Take()
	q.Offer().Take()
}

// TestOfferAlone has a processor without others offer a task: one that comes while the task that
// offers still runs finds it.
func TestOfferAlone(t *testing.T) {
	s := started(t, 1)
	part := make(chan struct{})
	inTask(t, s, func(p *Processor) {
		o := p.Offer()
		if !o.Empty() {
			t.Error("the offer is not empty")
		}
		o.Put(&newJob(func(*Processor) { close(part) }).Task)
		s.Resize(2)
		await(t, "the offered part", part)
		if o.Take() != nil {
			t.Error("what was stolen is still there")
		}
	})
}

// TestNoOffer holds that the offer for a task without a processor takes nothing.
func TestNoOffer(t *testing.T) {
	if o := NoOffer(); o.Empty() || o.Take() != nil {
		t.Error("a task without a processor can offer something")
	}
}
