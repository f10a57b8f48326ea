package ddb

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// worker is the state of a client unit.
type worker struct {
	*client
	self    *freerun.Unit[worker]
	servers []*freerun.Unit[table]
	finish  *programs.Finish
}

// failed ends the run if a message was refused.
func (w *worker) failed(err error) error {
	if err != nil {
		w.finish.Fail(err)
	}
	return err
}

// runAsUnits is the common part of the variants on units, which differ in how an answer comes back
// to the client: start says how.
func runAsUnits(
	cfg programs.Config, start *freerun.Operation[worker, struct{}, struct{}],
) (result programs.Result, err error) {
	db := newDatabase(cfg.Values)
	rt := cfg.NewRuntime()
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()

	servers := make([]*freerun.Unit[table], len(db.tables))
	for i, t := range db.tables {
		servers[i] = freerun.NewUnit(rt, *t)
	}
	finish := cfg.NewFinish(len(db.clients))
	clients := make([]*freerun.Unit[worker], len(db.clients))
	for i, c := range db.clients {
		clients[i] = freerun.NewUnit(rt, worker{client: c, servers: servers, finish: finish})
		introduced := freerun.Do(rt.Context(), clients[i], func(_ *freerun.Context, w *worker) (struct{}, error) {
			w.self = clients[i]
			return struct{}{}, nil
		})
		if _, err := introduced.Wait(context.Background()); err != nil {
			return result, err
		}
	}

	meter := cfg.StartMeter()
	for _, c := range clients {
		if err := start.Tell(rt.Context(), c, struct{}{}); err != nil {
			return result, err
		}
	}
	end, err := finish.Wait()
	if err != nil {
		return result, err
	}
	result = meter.StopAt(end, db.requests())
	figures := []programs.Figure{
		programs.MessagesPerProcessor(rt),
		programs.Steals(rt),
		{Name: "messages_per_server", Doc: "messages run by each server unit", Value: each(servers, messages)},
		{Name: "messages_per_client", Doc: "messages run by each client unit", Value: each(clients, messages)},
		{Name: "steals_per_server", Doc: "times each server unit was stolen", Value: each(servers, steals)},
		{Name: "steals_per_client", Doc: "times each client unit was stolen", Value: each(clients, steals)},
	}

	for i, u := range servers {
		t, err := freerun.Do(rt.Context(), u, func(_ *freerun.Context, t *table) (*table, error) {
			return t, nil
		}).Wait(context.Background())
		if err != nil {
			return result, err
		}
		db.tables[i] = t
	}
	return db.finishRun(result, figures...)
}

// messages returns how many messages a unit has run.
func messages(s freerun.UnitStats) uint64 { return s.Operations }

// steals returns how often a unit was stolen.
func steals(s freerun.UnitStats) uint64 { return s.Steals }

// each returns a figure of each of the units.
func each[S any](units []*freerun.Unit[S], figure func(freerun.UnitStats) uint64) []uint64 {
	counts := make([]uint64, len(units))
	for i, u := range units {
		counts[i] = figure(u.Stats())
	}
	return counts
}
