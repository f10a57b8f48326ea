package bank

import (
	"sync"

	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/programs"
)

// lockedAccount is an account under a lock, on lines of its own.
type lockedAccount struct {
	_  pad.Line
	mu sync.Mutex
	account
	_ pad.Line
}

func runMutex(cfg programs.Config) (programs.Result, error) {
	size, work := cfg.Values.Get(programs.Size), rounds(cfg.Values.Get(paramWork))
	bank := make([]lockedAccount, cfg.Values.Get(paramAccounts))
	for i := range bank {
		bank[i].balance = opening
	}
	clients := newClients(cfg.Values.Get(paramClients), len(bank), size)
	finish := programs.NewFinish(len(clients))
	gate := make(chan struct{})
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() {
			<-gate
			for t, more := c.next(); more; t, more = c.next() {
				first, second := &bank[min(t.from, t.to)], &bank[max(t.from, t.to)]
				first.mu.Lock()
				second.mu.Lock()
				move(&bank[t.from].account, &bank[t.to].account, t.amount, work)
				second.mu.Unlock()
				first.mu.Unlock()
			}
			finish.Reached()
		})
	}
	meter := programs.StartMeter()
	close(gate)
	end, err := finish.Wait()
	result := meter.StopAt(end, uint64(size))
	all.Wait()
	if err != nil {
		return result, err
	}
	accounts := make([]*account, len(bank))
	for i := range bank {
		accounts[i] = &bank[i].account
	}
	result.Checksum, err = audit(accounts)
	return result, err
}
