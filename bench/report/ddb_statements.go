package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/freerun-go/freerun/bench"
)

// paperProcessors is the number of processors of the paper's machine, and of the units of its ddb.
const paperProcessors = 32

// The statements about figures 7 to 9 are decided by the row of the variant that is written as in
// the paper, on the most processors up to the paper's 32.
var (
	messageStatements = []statement{
		{
			says:  "The scheduler distributes the work over the processors.",
			test:  "9 of 10 processors run at least half as many messages as the unit with the least load; partly: half of the processors do.",
			judge: byLoad(distributes),
		},
		{
			says:  "With as many processors as units, the work of the processors matches that of the units: each unit gets a processor of its own.",
			test:  "Ordered by messages, the processors' shares and the units' overlap by 90%; partly: by 70%.",
			judge: byLoad(matchesUnits),
		},
	}
	stealStatements = []statement{
		{
			says:  "With as many processors as units, the system settles after a little stealing.",
			test:  "At most 1 unit is taken for each 1,000 messages; partly: 10.",
			judge: byLoad(settles),
		},
	}
	stolenStatements = []statement{
		{
			says:  "Units with more load are stolen less often: servers less than clients.",
			test:  "Each server is stolen less often than each client; partly: the mean of the servers is below that of the clients.",
			judge: byLoad(loadedStolenLess),
		},
		{
			says:  "The same in its strict form: the unit with the most load, the hot server, is stolen least of all.",
			test:  "No unit is stolen less often; partly: no client is.",
			judge: byLoad(hotStolenLeast),
		},
		{
			says:  "Units that run many messages stay where they are.",
			test:  "For each message that it runs, a server is stolen a tenth as often as a client, or less; partly: less often.",
			judge: byLoad(loadedStay),
		},
	}
)

// load holds the messages and the thefts of a run of ddb, by unit.
type load struct {
	row                    bench.Row
	servers, clients       []float64 // messages
	serverSteals           []float64
	clientSteals           []float64
	processors             []float64 // messages
	raids, taken, messages float64
}

// loadOf returns the load of the row that decides, if the rows have one with all figures.
func loadOf(part rows) (load, bool) {
	r, ok := units(part).last(paperProcessors)
	l := newLoad(r)
	return l, ok && l.known()
}

// byLoad returns the predicate of a statement about the load of the row that decides.
func byLoad(judge func(l load) finding) func(rows) finding {
	return func(part rows) finding {
		l, ok := loadOf(part)
		if !ok {
			return finding{}
		}
		return judge(l)
	}
}

func newLoad(r bench.Row) load {
	l := load{
		row:     r,
		servers: numbers(r, "messages_per_server"), clients: numbers(r, "messages_per_client"),
		serverSteals: numbers(r, "steals_per_server"), clientSteals: numbers(r, "steals_per_client"),
		processors: numbers(r, "messages_per_processor"),
	}
	if s := numbers(r, "steals"); len(s) == 2 {
		l.raids, l.taken = s[0], s[1]
	}
	l.messages = sum(l.processors)
	return l
}

// known reports whether the row has the load of every unit. Older rows do not.
func (l load) known() bool {
	return len(l.servers) > 0 && len(l.clients) > 0 && len(l.servers) == len(l.serverSteals) && len(l.clients) == len(l.clientSteals) &&
		sum(l.servers) > 0 && sum(l.clients) > 0 && l.messages > 0
}

// hot returns which server has the most load.
func (l load) hot() int { return slices.Index(l.servers, slices.Max(l.servers)) }

// where says on how many processors the row is.
func (l load) where() string { return plural(l.row.Processors, "processor") }

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// descending returns the values, the greatest first.
func descending(values ...float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	slices.Reverse(sorted)
	return sorted
}

func distributes(l load) finding {
	enough := slices.Min(append(slices.Clone(l.servers), l.clients...)) / 2
	busy := 0
	for _, n := range l.processors {
		if n >= enough {
			busy++
		}
	}
	share := float64(busy) / float64(l.row.Processors)
	return finding{grade(share >= 0.9, share >= 0.5), fmt.Sprintf("%d of %s run %s messages or more", busy, l.where(), precise(math.Ceil(enough)))}
}

func matchesUnits(l load) finding {
	if l.row.Processors != len(l.servers)+len(l.clients) {
		return finding{}
	}
	units, common := descending(append(slices.Clone(l.servers), l.clients...)...), 0.0
	for i, n := range descending(l.processors...) {
		common += min(n/l.messages, units[i]/sum(units))
	}
	return finding{grade(common >= 0.9, common >= 0.7), fmt.Sprintf(
		"%s: an overlap of %s; the busiest runs %s of the messages, and the hot server has %s",
		l.where(), percent(common), percent(slices.Max(l.processors)/l.messages), percent(units[0]/sum(units)))}
}

func settles(l load) finding {
	if l.row.Processors != len(l.servers)+len(l.clients) {
		return finding{}
	}
	rate := 1000 * l.taken / l.messages
	return finding{grade(rate <= 1, rate <= 10), fmt.Sprintf(
		"%s: %s raids take %s units, %s for each 1,000 messages", l.where(), precise(l.raids), precise(l.taken), precise(rate))}
}

func loadedStolenLess(l load) finding {
	mean := func(all []float64) float64 { return sum(all) / float64(len(all)) }
	return finding{grade(slices.Max(l.serverSteals) < slices.Min(l.clientSteals), mean(l.serverSteals) < mean(l.clientSteals)), fmt.Sprintf(
		"%s: a server %s times, a client %s", l.where(), span(l.serverSteals), span(l.clientSteals))}
}

func hotStolenLeast(l load) finding {
	i := l.hot()
	hot, others := l.serverSteals[i], slices.Delete(slices.Clone(l.serverSteals), i, i+1)
	clients := hot <= slices.Min(l.clientSteals)
	if len(others) == 0 {
		return finding{}
	}
	return finding{grade(clients && hot <= slices.Min(others), clients), fmt.Sprintf(
		"%s: the hot server %s times, the others %s, clients %s", l.where(), precise(hot), span(others), span(l.clientSteals))}
}

func loadedStay(l load) finding {
	if sum(l.clientSteals) == 0 {
		return finding{}
	}
	servers, clients := 1000*sum(l.serverSteals)/sum(l.servers), 1000*sum(l.clientSteals)/sum(l.clients)
	return finding{grade(servers <= clients/10, servers < clients), fmt.Sprintf(
		"%s: for each 1,000 messages servers are stolen %s times and clients %s", l.where(), precise(servers), precise(clients))}
}
