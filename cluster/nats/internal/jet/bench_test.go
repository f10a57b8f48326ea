package jet

import (
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

const (
	benchUnits = 10000
	inFlight   = 1024
)

// BenchmarkPairs is the limit of what goes through a log: for each command an entry of the log and
// then a record by compare-and-set, many at once, and nothing else.
func BenchmarkPairs(b *testing.B) {
	e := open(b, serve(b, 1).connect(b), Options{Program: "p"})
	defer e.Close()
	value := make([]byte, 112)
	revisions := make([]uint64, benchUnits)
	keys := make([][]byte, benchUnits)
	free := make(chan int, benchUnits) // units without a pair under way
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "unit %d", i)
		free <- i
	}
	places := make(chan struct{}, inFlight)
	b.ResetTimer()
	for range b.N {
		places <- struct{}{}
		unit := <-free
		e.Append(unit%4, value, func(_ uint64, err error) {
			if err != nil {
				b.Error(err)
			}
			e.Swap(unit%4, []engine.Write{{Key: keys[unit], Value: value}}, revisions[unit], func(revision uint64, err error) {
				if err != nil {
					b.Error(err)
				}
				revisions[unit] = revision
				free <- unit
				<-places
			})
		})
	}
	for range inFlight {
		places <- struct{}{}
	}
}

// BenchmarkLogged sends commands through the protocol to units that have one write each under way.
func BenchmarkLogged(b *testing.B) {
	p := newProcess(b, serve(b, 1).url(), "p", "one")
	defer p.kill()
	time.Sleep(1500 * time.Millisecond) // until it owns the partitions
	body := []byte("x")
	places := make(chan struct{}, inFlight)
	for i := range inFlight { // all units are loaded
		places <- struct{}{}
		p.Send(fmt.Sprintf("unit %d", i), body, func(error) {}, func([]byte, error) { <-places })
	}
	b.ResetTimer()
	for i := range b.N {
		places <- struct{}{}
		p.Send(fmt.Sprintf("unit %d", i%benchUnits), body, func(error) {}, func(_ []byte, err error) {
			if err != nil {
				b.Error(err)
			}
			<-places
		})
	}
	for range inFlight {
		places <- struct{}{}
	}
}
