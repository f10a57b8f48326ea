package ddb

import (
	"strconv"

	"github.com/freerun-go/freerun/programs"
)

// The names of the parameters.
const (
	paramKeys    = "keys"
	paramHot     = "hot"
	paramServers = "servers"
	paramClients = "clients"
)

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "ddb",
	Doc:       "a database of server units under an unbalanced load from client units",
	Source:    "Quirk 2008, section 9, figures 7 to 10",
	Operation: "request served",
	Params: []programs.Param{
		{Name: programs.Size, Doc: "requests that each client makes", Default: 50_000, Quick: 30_000, Min: 10, Max: 1_000_000_000},
		{Name: paramKeys, Doc: "keys that the clients share", Default: 1024, Quick: 1024, Min: 1, Max: 100_000_000},
		{Name: paramHot, Doc: "percentage of the reads that go to the one hot key", Default: 50, Quick: 50, Min: 0, Max: 100},
		{Name: paramServers, Doc: "server units", Default: 4, Quick: 4, Min: 1, Max: 4096},
		{Name: paramClients, Doc: "client units", Default: 28, Quick: 28, Min: 1, Max: 100_000},
	},
	Variants: []programs.Variant{
		{Name: "units", Kind: programs.Freerun, Doc: "units; the client's next message waits for the answer, a future", Simulable: true, Run: runUnits},
		{Name: "replies", Kind: programs.Freerun, Doc: "the same units; the server answers by Tell, so there are no futures", Simulable: true, Run: runReplies},
		{Name: "channels", Kind: programs.PlainGo, Doc: "a goroutine per server and per client, channels between them", Run: runChannels},
		{Name: "mutex", Kind: programs.PlainGo, Doc: "a goroutine per client, no servers: each one's map is under a lock", Run: runMutex},
	},
	Expected: func(v programs.Values) string {
		return strconv.Itoa(v.Get(paramClients) * v.Get(programs.Size))
	},
}

// database is the state that every variant sets up: the servers' tables and the clients.
type database struct {
	tables  []*table
	clients []*client
}

// newDatabase makes the clients, and the tables with every key at its server.
func newDatabase(v programs.Values) *database {
	db := &database{}
	for range v.Get(paramServers) {
		db.tables = append(db.tables, &table{values: make(map[int]int64)})
	}
	shared := v.Get(paramKeys)
	for id := range v.Get(paramClients) {
		db.clients = append(db.clients, newClient(id, shared, v.Get(paramHot), v.Get(programs.Size)))
	}
	for key := range shared + len(db.clients) {
		db.tables[home(key, len(db.tables))].values[key] = 0
	}
	return db
}

// requests is how many requests all clients together make.
func (db *database) requests() uint64 {
	var sum uint64
	for _, c := range db.clients {
		sum += uint64(c.quota)
	}
	return sum
}

// finishRun checks the database after a run and completes the result.
func (db *database) finishRun(r programs.Result, figures ...programs.Figure) (programs.Result, error) {
	if err := db.audit(); err != nil {
		return r, err
	}
	var served uint64
	for _, t := range db.tables {
		served += t.served
	}
	r.Checksum = strconv.FormatUint(served, 10)
	r.Figures = append([]programs.Figure{
		{Name: "ops_per_sec", Doc: "requests served per second", Value: r.OpsPerSecond()},
	}, figures...)
	return r, nil
}
