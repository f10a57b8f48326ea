package clustertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// sharedVaults has the vaults of vaults_test.go on several machines.
type sharedVaults struct {
	*machines
	sent  []sentDeal
	told  map[int]int // deals without a future → their units
	reads []freerun.Future[vault]
}

// begins gives a machine the unit that hears what deals do there.
func (s *sharedVaults) begins(m *machine) {
	listeners.Store(m.rt, freerun.NewUnit(m.rt, listener{map[int]int{}}))
}

func (s *sharedVaults) vaultName() string { return vaultNames[s.random.IntN(len(vaultNames))] }

// act does something at random.
func (s *sharedVaults) act(m *machine) {
	c, random := m.rt.Context(), s.random
	switch random.IntN(14) {
	case 0:
		name := s.vaultName()
		vaults[len(name)%2].Stop(c, "{v}"+name)
	case 1, 2:
		m.rests(s.upTo(400 * time.Millisecond))
	case 3:
		s.reads = append(s.reads, lookAtVault.Send(c, vaultAt(c, s.vaultName()), struct{}{}))
	default:
		d := s.deals(m, c)
		s.logf("%12v %s sends %+v to %d", s.Now(), m.name, d.deal, d.units)
		if s.told[d.ID] == 0 {
			s.sent = append(s.sent, d)
			if random.IntN(4) == 0 {
				_, err := d.outcome.Wait(context.Background())
				s.logf("%12v %s has the outcome of %d: %v", s.Now(), m.name, d.ID, err)
			}
		}
	}
}

// deals sends a deal.
func (s *sharedVaults) deals(m *machine, c *freerun.Context) sentDeal {
	random := s.random
	s.names++
	d := sentDeal{units: 1, deal: deal{ID: s.names, Amount: 1 + random.IntN(30), To: s.vaultName(), trouble: s.trouble()}}
	if random.IntN(6) == 0 {
		c = cluster.Direct(c)
	}
	names := slices.Clone(vaultNames)
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	if random.IntN(12) == 0 {
		names[random.IntN(2)] = noVault
	}
	if random.IntN(12) == 0 {
		d.To = noVault
	}
	switch random.IntN(8) {
	case 0, 1:
		d.Does = []string{"forget", "timer", "lend"}[random.IntN(3)]
		d.outcome = dealOne.Send(c, vaultAt(c, names[0]), d.deal)
	case 2:
		d.Does = "once"
		d.outcome = dealOne.Send(cluster.Once(c, fmt.Sprint(d.ID)), vaultAt(c, s.vaultName()), d.deal)
	case 3:
		d.units = 2
		if err := deal2.Tell(c, vaultAt(c, names[0]), vaultAt(c, names[1]), d.deal); err != nil {
			s.Errorf("%s: Tell: %v", m.name, err)
		}
		s.told[d.ID] = d.units
	case 4, 5:
		var all []*freerun.Unit[vault]
		for _, name := range names[:1+random.IntN(4)] {
			all = append(all, vaultAt(c, name))
		}
		d.units = len(all)
		d.outcome = dealAll.Send(c, all, d.deal)
	default:
		if random.IntN(3) == 0 {
			d.Does = "tell"
		}
		d.units = 2
		d.outcome = deal2.Send(c, vaultAt(c, names[0]), vaultAt(c, names[1]), d.deal)
	}
	return d
}

// check holds what is promised of each deal: it is in all of its vaults or in none, as its outcome
// says, once, and what it tells is there if it is.
func (s *sharedVaults) check(m *machine) {
	c, in, sum := m.rt.Context(), map[int]int{}, 0
	units := []*freerun.Unit[vault]{archives.At(c, "all")}
	for _, name := range vaultNames {
		units = append(units, vaultAt(c, name))
	}
	for n, u := range units {
		v, err := lookAtVault.Send(c, u, struct{}{}).Wait(context.Background())
		if err != nil {
			s.Errorf("vault %d: %v", n, err)
			return
		}
		s.logf("%12v vault %d: %d, %v", s.Now(), n, v.Sum, v.Log)
		sum += v.Sum
		for _, id := range v.Log {
			in[id]++
		}
	}
	recorded, held := s.recorded(m, in)
	if sum+held != 0 {
		s.Errorf("there are %d, and %d in recorded failures, and there were 0", sum, held)
	}
	for _, d := range s.sent {
		s.checkDeal(d, in, recorded)
	}
	for id, units := range s.told {
		if n := in[id]; n != 0 && n != units || n != 0 && recorded[id] != 0 || recorded[id] > 1 {
			s.Errorf("deal %d, without a future, is in %d logs of %d, and recorded %d times", id, n, units, recorded[id])
		} else if n != 0 {
			s.sum["told"]++
		} else {
			s.sum["recorded"] += recorded[id]
		}
	}
	for _, f := range s.reads {
		if _, err := f.Wait(context.Background()); err == nil {
			s.sum["reads"]++
		}
	}
}

// recorded returns how often each deal, or what it has told with its number below 0, is a recorded
// failure, and what recorded failures hold: what is to go to the archive, with its log, and what
// was lent, and refused.
func (s *sharedVaults) recorded(m *machine, in map[int]int) (all map[int]int, held int) {
	all = map[int]int{}
	for f, err := range m.node.Failures() {
		if err != nil {
			s.Errorf("recorded failures: %v", err)
			break
		}
		s.logf("%12v recorded: %s of %s %v, %s: %s", s.Now(), f.Operation, f.Key, f.Others, f.Arg, f.Err)
		arg := string(f.Arg)
		id, _ := strconv.Atoi(idOf.FindString(arg))
		switch f.Operation {
		case "hears":
			all[-id]++
		case "lent":
			if amount := lentOf.FindStringSubmatch(arg); strings.Contains(arg, `{"text":`) {
				n, _ := strconv.Atoi(amount[1])
				held += n
			}
		case "archive":
			var v vault
			if err := json.Unmarshal(f.Arg, &v); err != nil {
				s.Errorf("what was to go to the archive: %v", err)
			}
			held += v.Sum
			for _, id := range v.Log {
				in[id]++
			}
		default:
			all[id]++
			if f.Operation == "deal2" && (len(f.Others) != 1 || !strings.Contains(f.Others[0], "/{v}")) {
				s.Errorf("a recorded failure of an operation on two units: %+v", f)
			}
		}
	}
	return all, held
}

var lentOf = regexp.MustCompile(`"Amount":([0-9]+)`)

func (s *sharedVaults) checkDeal(d sentDeal, in, recorded map[int]int) {
	_, err := d.outcome.Wait(context.Background())
	n := in[d.ID]
	said := fmt.Sprintf("deal %+v, with outcome %v, is in %d logs of %d", d.deal, err, n, d.units)
	var p *freerun.PanicError
	switch {
	case n != 0 && n != d.units:
		s.Error(said)
	case n > 0 && d.Does == "tell" && in[-d.ID]+recorded[-d.ID] != 1, n == 0 && in[-d.ID] != 0:
		s.Errorf("%s, and has told %d times, of which %d are recorded", said, in[-d.ID], recorded[-d.ID])
	case err == nil && n == 0:
		s.Error(said)
	case err == nil:
		s.sum["done"]++
		if d.units > 1 {
			s.sum["moved"]++
		}
	case errors.Is(err, freerun.ErrClosed), errors.Is(err, engine.ErrUncertain):
		s.sum["unknown"]++
	case errors.Is(err, partition.ErrNotRun), errors.Is(err, engine.ErrNoSpace), errors.Is(err, engine.ErrClosed), strings.Contains(err.Error(), "ends the process"), strings.Contains(err.Error(), errNoVault.Error()),
		errors.As(err, &p), d.Panics == 3, d.Exits, d.Waits, d.Spoils:
		s.sum["failed"]++
		if n != 0 {
			s.Error(said)
		}
	default:
		s.Errorf("%s", said)
	}
}

// TestMachinesVaults has operations on one and on several units of a tag meet on several machines,
// with all else that durable units do.
func TestMachinesVaults(t *testing.T) {
	runMachines(t, machinePrograms[2], "done", "moved", "failed", "unknown", "told", "recorded", "reads")
}
