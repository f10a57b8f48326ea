package ddb

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestOrderWhileStarving has clients write values that are large for the limit, in pipelines, so
// that shards halt all the time and others evict for them. A read in the same pipeline finds the
// last value written before it, or nothing; never an older or a newer one.
func TestOrderWhileStarving(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		s, addr := serve(t, Config{Shards: 6, Processors: 3, Values: values, MaxMemory: 150_000, MaxMemoryPolicy: AllKeysLRU})
		seed := rand.Uint64()
		var clients sync.WaitGroup
		for id := range 4 {
			c := dial(t, addr)
			clients.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(id)))
				for round := range 60 {
					var out strings.Builder
					var wants [][]string // the replies that are right
					present := map[string]string{}
					for i := range 20 {
						key := func() string { return fmt.Sprintf("%d.%d", id, random.IntN(8)) }
						value := strconv.Itoa(round*100+i) + strings.Repeat("v", random.IntN(12_000))
						switch k := key(); random.IntN(5) {
						case 0, 1:
							out.WriteString(request("set", k, value))
							present[k] = value
							wants = append(wants, []string{"+OK\r\n"})
						case 2:
							other := key()
							out.WriteString(request("mset", k, value, other, value+"!"))
							present[k] = value
							present[other] = value + "!"
							wants = append(wants, []string{"+OK\r\n"})
						case 3:
							out.WriteString(request("multi") + request("set", k, value) + request("strlen", k) + request("exec"))
							present[k] = value
							wants = append(wants, []string{"+OK\r\n"}, []string{"+QUEUED\r\n"}, []string{"+QUEUED\r\n"},
								[]string{fmt.Sprintf("*2\r\n+OK\r\n:%d\r\n", len(value))})
						case 4:
							out.WriteString(request("get", k))
							if last, ok := present[k]; ok {
								wants = append(wants, []string{bulk(last), "$-1\r\n"})
							} else {
								wants = append(wants, nil) // of an earlier pipeline
							}
						}
					}
					c.send(out.String())
					for i, want := range wants {
						got := c.reply()
						ok := want == nil && !strings.HasPrefix(got, "-")
						for _, w := range want {
							ok = ok || got == w
						}
						if !ok {
							t.Errorf("seed %d, client %d, round %d, reply %d: %.40q, want one of %.40q", seed, id, round, i, got, want)
							return
						}
					}
				}
			})
		}
		clients.Wait()
		if s.stats.halted.Load() == 0 {
			t.Error("no message was halted, so nothing was tested")
		}
		checkBudget(t, s, dial(t, addr))
	})
}
