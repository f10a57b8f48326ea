package claim

import (
	"runtime"
	"sync"
	"testing"
)

// TestWord goes through all transitions on one goroutine.
func TestWord(t *testing.T) {
	var w Word
	w.Reserve()
	if w.Claim(1) {
		t.Error("two holders")
	}
	if !w.Join(0) || w.Join(0) {
		t.Error("the first owner joins, and no other")
	}
	if held := w.Held(); held != Bit(0)|Bit(1) {
		t.Errorf("held %b", held)
	}
	w.Drop(0)
	if w.Claim(2) {
		t.Error("two holders")
	}
	if w.GiveUp() {
		t.Error("given up with a mailbox that was left to the holder")
	}
	if held := w.Release(); held != Bit(1)|Bit(2) {
		t.Errorf("released %b", held)
	}
	if !w.Claim(3) || w.Held() != Bit(3) {
		t.Error("not claimed")
	}
	w.Drop(3)
	if !w.GiveUp() || !w.Claim(0) {
		t.Error("not given up")
	}
}

// TestWordStress has goroutines claim again and again, each with a mailbox of its own. One at a
// time is the holder, and each mailbox that was left to the holder is served.
func TestWordStress(t *testing.T) {
	const rounds = 2000
	var w Word
	var all sync.WaitGroup
	var boxes [4]chan struct{} // each has a token while its mailbox has no owner
	served := 0                // by the holder
	for i := range uint8(4) {
		boxes[i] = make(chan struct{}, 1)
		boxes[i] <- struct{}{}
	}
	for i := range uint8(4) {
		all.Go(func() {
			for range rounds {
				<-boxes[i]
				if !w.Claim(i) {
					continue
				}
				for {
					held := w.Held()
					if held == 0 {
						if w.GiveUp() {
							break
						}
						continue
					}
					for j := range uint8(4) {
						if held&Bit(j) != 0 {
							served++
							w.Drop(j)
							boxes[j] <- struct{}{}
						}
					}
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
	if served != 4*rounds {
		t.Errorf("served %d of %d", served, 4*rounds)
	}
}
