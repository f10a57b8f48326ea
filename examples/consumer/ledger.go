package main

import (
	"context"
	"errors"
	"sync"
	"time"
)

// event is what a customer does. His events have the numbers 1, 2, 3 and so on.
type event struct {
	Customer string
	Number   int
	Amount   int
}

// account is what the ledger has of a customer.
type account struct{ Last, Balance int }

var (
	errEarly  = errors.New("an event before this one is missing")
	errFailed = errors.New("the ledger is not to be reached")
)

// ledger stands for the database that has the effects. It is a map here, and waits as a database
// does.
type ledger struct {
	wait  func(e event) time.Duration // how long an event takes
	fails func(e event) bool          // whether it fails this time
	sleep func(time.Duration)
	added func(e event, effects int) // is called with each effect, and how many there are now

	mu       sync.Mutex
	accounts map[string]account
	journal  []event // all effects, in their order
	early    int     // how many events came before their turn
}

func newLedger() *ledger {
	return &ledger{
		wait:     func(event) time.Duration { return 0 },
		fails:    func(event) bool { return false },
		sleep:    time.Sleep,
		added:    func(event, int) {},
		accounts: map[string]account{},
	}
}

// add has the effect of an event once, and after those before it. In SQL it is
//
//	UPDATE accounts SET last = :number, balance = balance + :amount
//	WHERE customer = :customer AND last = :number - 1
//
// An event that had its effect is no error: it was delivered again.
func (l *ledger) add(_ context.Context, e event) error {
	if d := l.wait(e); d > 0 {
		l.sleep(d)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.accounts[e.Customer]
	switch {
	case l.fails(e):
		return errFailed
	case e.Number <= a.Last:
		return nil
	case e.Number > a.Last+1:
		l.early++
		return errEarly
	}
	l.accounts[e.Customer] = account{e.Number, a.Balance + e.Amount}
	l.journal = append(l.journal, e)
	l.added(e, len(l.journal))
	return nil
}

// disorder returns the first effect that has come out of its order, or twice, or is missing of the
// number that each customer has; nil if there is none.
func disorder(journal []event, customers, each int) *event {
	last := map[string]int{}
	for _, e := range journal {
		if last[e.Customer]++; e.Number != last[e.Customer] {
			return &e
		}
	}
	for customer, n := range last {
		if n != each {
			return &event{Customer: customer, Number: n + 1}
		}
	}
	if len(last) != customers {
		return &event{Number: 1}
	}
	return nil
}
