package jet

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestOnePairAway stops the server that has one pair of streams: what has its partitions on the
// other pair goes on, and what has them on the first does when it is back.
func TestOnePairAway(t *testing.T) {
	t.Parallel()
	s := arrange(t, 3, within)
	for i := range s.places {
		s.places[i].MostStored = 1 << 30 // JetStream takes the server with the most room
	}
	s.startAll()
	nc := s.connect(t)
	e, away := (*Engine)(nil), 0
	for try := 0; ; try++ { // and of several like that by chance
		e = open(t, nc, Options{Program: fmt.Sprint("away", try), Pairs: 2, Replicas: 1})
		defer e.Close()
		away = s.leader(nc, e.logs(0))
		if s.leader(nc, e.logs(1)) != away && s.leader(nc, e.entries(1)) != away {
			break
		}
		if try == 100 {
			t.Fatal("all pairs are on one server")
		}
	}
	appends := func(p int) error {
		done := make(chan error, 1)
		e.Append(p, []byte("entry"), func(_ uint64, err error) { done <- err })
		return <-done
	}
	swaps := func(p int) error {
		done := make(chan error, 1)
		writes := []engine.Write{{Key: []byte("a"), Value: []byte("x")}, {Key: []byte("b"), Value: []byte("x")}}
		e.Read(p, writes[0].Key, func(_ []byte, revision uint64, err error) {
			if err != nil {
				done <- err
				return
			}
			e.Swap(p, writes, revision, func(_ uint64, err error) { done <- err })
		})
		return <-done
	}
	settles := func(what string, p int, call func(p int) error) {
		t.Helper()
		err := call(p)
		for end := time.Now().Add(time.Minute); err != nil && time.Now().Before(end); err = call(p) {
			if !errors.Is(err, engine.ErrUncertain) && !errors.Is(err, engine.ErrConflict) {
				t.Fatalf("%s, partition %d: %v", what, p, err)
			}
			time.Sleep(mostCall / 20)
		}
		if err != nil {
			t.Errorf("%s, partition %d: %v", what, p, err)
		}
	}
	s.stop(away)
	settles("an entry", 1, appends)
	settles("a record", 3, swaps)
	if err := appends(2); !errors.Is(err, engine.ErrUncertain) {
		t.Errorf("an entry of a pair that is away: %v", err)
	}
	s.start(away)
	settles("an entry, back", 2, appends)
	settles("a record, back", 0, swaps)
}

// TestTrimRemoves holds that the server has no entry any more that was trimmed, of any pair.
func TestTrimRemoves(t *testing.T) {
	t.Parallel()
	e := open(t, serve(t, 1).connect(t), Options{Program: "p", Pairs: 3})
	defer e.Close()
	for p := range e.Partitions() {
		appended := make(chan uint64, 1)
		e.Append(p, []byte("entry"), func(seq uint64, err error) {
			if err != nil {
				t.Error(err)
			}
			appended <- seq
		})
		e.Trim(p, <-appended)
		left := make(chan uint64, 1)
		for end := time.Now().Add(time.Minute); ; time.Sleep(mostCall / 200) {
			e.Last(p, func(seq uint64, err error) {
				if err != nil {
					t.Error(err)
				}
				left <- seq
			})
			seq := <-left
			if seq == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("partition %d has entry %d still", p, seq)
			}
		}
	}
}
