package news

import (
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/programs"
)

// notice is a place on the board. It has a message after out is set.
type notice struct {
	out     activity.Event // set when the message is there
	message int            // written before out is set, read after; so is next
	next    *notice
	unread  *activity.Latch // customers who have not read the message
}

func newNotice(customers int) *notice { return &notice{unread: activity.NewLatch(customers)} }

func runActivities(cfg programs.Config) (programs.Result, error) {
	g := newAgency(cfg.Values)
	result, err := programs.Activities(cfg, g.operations(), func(a *activity.Activity, crew *programs.Crew) error {
		first := newNotice(len(g.customers))
		b := &board{free: first}
		for i := range g.customers {
			crew.Go(a, func(a *activity.Activity) error { return g.customers[i].follow(a, first, g.total()) })
		}
		for reporter := range g.reporters {
			crew.Go(a, func(a *activity.Activity) error {
				for i := range g.messages {
					if err := b.publish(a, g.message(reporter, i), len(g.customers)); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return nil
	})
	result.Checksum = g.checksum()
	return result, err
}

// follow reads this many messages, from the first on.
func (r *reader) follow(a *activity.Activity, n *notice, messages int) error {
	var mine reader
	for ; mine.read < messages; n = n.next {
		if err := n.out.Wait(a); err != nil {
			return err
		}
		mine.see(n.message)
		n.unread.CountDown()
	}
	*r = mine
	return nil
}

// board is where reporters publish.
type board struct {
	lock activity.Mutex // the reporter holds it until the message is read
	free *notice        // the place of the next message
}

// publish publishes a message and returns when all customers have read it.
func (b *board) publish(a *activity.Activity, message, customers int) error {
	if err := b.lock.Lock(a); err != nil {
		return err
	}
	defer b.lock.Unlock()
	n := b.free
	n.message, n.next = message, newNotice(customers)
	b.free = n.next
	n.out.Set()
	return n.unread.Wait(a)
}
