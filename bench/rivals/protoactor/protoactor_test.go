package protoactor

import (
	"testing"

	"github.com/freerun-go/freerun/bench/rivals/contest"
)

var (
	entities = []contest.Named[contest.Entity]{{Name: "protoactor", Adapter: Entity}}
	pairs    = []contest.Named[contest.Pair]{{Name: "protoactor", Adapter: Pair}}
)

func TestFanIn(t *testing.T)    { contest.Check(t, entities, contest.FanIn) }
func TestPingPong(t *testing.T) { contest.Check(t, pairs, contest.PingPong) }

func BenchmarkFanIn(b *testing.B)    { contest.Bench(b, entities, contest.FanIn) }
func BenchmarkPingPong(b *testing.B) { contest.Bench(b, pairs, contest.PingPong) }
