package rivals

import (
	"testing"

	"github.com/freerun-go/freerun/bench/rivals/contest"
)

var (
	entities = []contest.Named[contest.Entity]{
		{Name: "freerun", Adapter: FreerunEntity},
		{Name: "channels", Adapter: ChannelEntity},
		{Name: "hollywood", Adapter: HollywoodEntity},
	}
	pairs = []contest.Named[contest.Pair]{
		{Name: "freerun", Adapter: FreerunPair},
		{Name: "channels", Adapter: ChannelPair},
		{Name: "hollywood", Adapter: HollywoodPair},
	}
	pools = []contest.Named[contest.Pool]{
		{Name: "freerun", Adapter: FreerunPool},
		{Name: "go", Adapter: GoPool},
		{Name: "ants", Adapter: AntsPool},
		{Name: "pond", Adapter: PondPool},
		{Name: "conc", Adapter: ConcPool},
	}
	counters = []contest.Named[contest.Counters]{
		{Name: "freerun", Adapter: FreerunCounters},
		{Name: "mutex", Adapter: MutexCounters},
		{Name: "goroutine", Adapter: GoroutineCounters},
	}
)

func TestFanIn(t *testing.T)    { contest.Check(t, entities, contest.FanIn) }
func TestPingPong(t *testing.T) { contest.Check(t, pairs, contest.PingPong) }
func TestSubmit(t *testing.T)   { contest.Check(t, pools, contest.Submit) }

func TestCounters(t *testing.T) { contest.CheckCounters(t, counters) }

// BenchmarkCounters takes some ten seconds a round: -benchtime says how many.
func BenchmarkCounters(b *testing.B) { contest.BenchCounters(b, counters, 1_000_000, 1<<18) }

func BenchmarkFanIn(b *testing.B)    { contest.Bench(b, entities, contest.FanIn) }
func BenchmarkPingPong(b *testing.B) { contest.Bench(b, pairs, contest.PingPong) }
func BenchmarkSubmit(b *testing.B)   { contest.Bench(b, pools, contest.Submit) }
