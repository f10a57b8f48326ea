package ddb

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func small(set map[string]int) programs.Values {
	v, err := Program.Values(true, map[string]int{programs.Size: 200, paramKeys: 50})
	if err != nil {
		panic(err)
	}
	// Without bounds: the program must be right also where its figures mean nothing.
	maps.Copy(v, set)
	return v
}

func TestVariants(t *testing.T) {
	for _, set := range []map[string]int{
		nil,
		{paramHot: 0},
		{paramHot: 100},
		{programs.Size: 1},
		{programs.Size: 2},
		{paramKeys: 1, paramServers: 1, paramClients: 1},
		{paramServers: 13, paramClients: 3},
	} {
		v := small(set)
		for name, r := range programtest.Run(t, Program, v) {
			if want := uint64(v.Get(paramClients) * v.Get(programs.Size)); r.Operations != want {
				t.Errorf("%s with %v: %d operations, want %d", name, set, r.Operations, want)
			}
		}
	}
}

// TestFigures checks the figures of the variants on units: every request takes at least one message
// to the server and one to the client.
func TestFigures(t *testing.T) {
	for _, name := range []string{"units", "replies"} {
		v := small(nil)
		variant, _ := Program.Variant(name)
		r, err := Program.Run(variant, programs.Config{Processors: 2, Values: v})
		if err != nil {
			t.Fatal(err)
		}
		messages := programtest.Figure[[]uint64](t, r, "messages_per_processor")
		var sum uint64
		for _, n := range messages {
			sum += n
		}
		if len(messages) != 2 || sum < 2*r.Operations {
			t.Errorf("%s: messages per processor %v for %d requests, want 2 numbers of at least %d in all",
				name, messages, r.Operations, 2*r.Operations)
		}
		var served uint64
		for _, n := range programtest.Figure[[]uint64](t, r, "messages_per_server") {
			served += n
		}
		if clients := programtest.Figure[[]uint64](t, r, "messages_per_client"); served != r.Operations || len(clients) != v.Get(paramClients) {
			t.Errorf("%s: the servers ran %d messages for %d requests; clients %v", name, served, r.Operations, clients)
		}
		if n := len(programtest.Figure[[]uint64](t, r, "steals_per_server")); n != v.Get(paramServers) {
			t.Errorf("%s: steals of %d servers, there are %d", name, n, v.Get(paramServers))
		}
		if n := len(programtest.Figure[[]uint64](t, r, "steals_per_client")); n != v.Get(paramClients) {
			t.Errorf("%s: steals of %d clients, there are %d", name, n, v.Get(paramClients))
		}
	}
}

// played returns a database in which the clients have made all their requests, in random turns.
func played(seed uint64) *database {
	db := newDatabase(small(nil))
	random := rand.New(rand.NewPCG(seed, 0))
	answers := make([]int64, len(db.clients))
	for left := len(db.clients); left > 0; {
		i := random.IntN(len(db.clients))
		c := db.clients[i]
		if c.asked == c.quota {
			continue
		}
		r, _ := c.next(answers[i])
		answers[i] = db.tables[home(r.key, len(db.tables))].serve(r)
		if c.asked == c.quota {
			left--
		}
	}
	return db
}

func TestAuditAcceptsWhatIsRight(t *testing.T) {
	for seed := range uint64(20) {
		if err := played(seed).audit(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestAuditFindsDamage breaks a database that is right in each way in which a faulty runtime could.
func TestAuditFindsDamage(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(*database)
		says   string
	}{
		"lost update":     {func(db *database) { db.table(hotKey).values[hotKey]-- }, "the shared keys sum up to"},
		"update twice":    {func(db *database) { db.table(hotKey).values[hotKey]++ }, "the shared keys sum up to"},
		"lost tally":      {func(db *database) { k := db.clients[3].tally; db.table(k).values[k]-- }, "the last tally written"},
		"quota not met":   {func(db *database) { db.clients[5].asked-- }, "its quota is"},
		"key misplaced":   {func(db *database) { misplace(db) }, "belongs to server"},
		"key disappeared": {func(db *database) { delete(db.table(1).values, 1) }, "keys, there are"},
	} {
		t.Run(name, func(t *testing.T) {
			db := played(1)
			db.table(1).values[1], db.table(hotKey).values[hotKey] = 0, db.table(hotKey).values[hotKey]+db.table(1).values[1]
			if err := db.audit(); err != nil {
				t.Fatalf("before the damage: %v", err)
			}
			c.damage(db)
			err := db.audit()
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

func (db *database) table(key int) *table { return db.tables[home(key, len(db.tables))] }

func misplace(db *database) {
	from := home(1, len(db.tables))
	delete(db.tables[from].values, 1)
	db.tables[(from+1)%len(db.tables)].values[1] = 0
}

// TestHotKeyGetsItsShare holds the load against the parameter that unbalances it.
func TestHotKeyGetsItsShare(t *testing.T) {
	for _, hot := range []int{0, 50, 100} {
		c := newClient(0, 1000, hot, 20_000)
		reads, hits := 0, 0
		values := map[int]int64{}
		answer := int64(0)
		for r, ok := c.next(0); ok; r, ok = c.next(answer) {
			fresh := r.verb == get
			switch r.verb {
			case increment:
				values[r.key] += r.value
			case put:
				values[r.key] = r.value
			}
			answer = values[r.key]
			if fresh {
				reads++
				if r.key == hotKey {
					hits++
				}
			}
		}
		if share := 100 * hits / reads; share < hot-5 || share > hot+5 {
			t.Errorf("%d%% of the reads went to the hot key, want about %d%%", share, hot)
		}
	}
}

func TestHomeSpreadsKeys(t *testing.T) {
	const servers, keys = 4, 10_000
	var counts [servers]int
	for key := range keys {
		counts[home(key, servers)]++
	}
	for server, n := range counts {
		if n < keys/servers*9/10 || n > keys/servers*11/10 {
			t.Errorf("server %d holds %d of %d keys, want about a quarter", server, n, keys)
		}
	}
}
