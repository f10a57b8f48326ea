package goakt

import (
	"testing"

	"github.com/freerun-go/freerun/bench/rivals"
	"github.com/freerun-go/freerun/bench/rivals/contest"
)

var (
	entities     = []contest.Named[contest.Entity]{{Name: "goakt", Adapter: Entity}}
	pairs        = []contest.Named[contest.Pair]{{Name: "goakt", Adapter: Pair}}
	keyed        = []contest.Named[contest.Counters]{{Name: "goakt", Adapter: Counters}}
	besideEntity = append(entities, contest.Named[contest.Entity]{Name: "freerun", Adapter: rivals.FreerunEntity})
	besidePairs  = append(pairs, contest.Named[contest.Pair]{Name: "freerun", Adapter: rivals.FreerunPair})
	besideKeyed  = append(keyed, contest.Named[contest.Counters]{Name: "freerun", Adapter: rivals.FreerunCounters})
)

func TestFanIn(t *testing.T)    { contest.Check(t, entities, contest.FanIn) }
func TestPingPong(t *testing.T) { contest.Check(t, pairs, contest.PingPong) }
func TestCounters(t *testing.T) { contest.CheckCounters(t, keyed) }

func BenchmarkFanIn(b *testing.B)    { contest.Bench(b, besideEntity, contest.FanIn) }
func BenchmarkPingPong(b *testing.B) { contest.Bench(b, besidePairs, contest.PingPong) }

// BenchmarkCounters has 100,000 keys, a tenth of those of bench/rivals: goakt makes its grains one
// at a time.
func BenchmarkCounters(b *testing.B) { contest.BenchCounters(b, besideKeyed, 100_000, 1<<17) }
