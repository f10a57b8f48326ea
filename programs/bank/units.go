package bank

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// ahead is how many transfers a teller sends before it waits for the last of them.
const ahead = 16

// teller is a client as a unit.
type teller struct {
	*client
	self   *freerun.Unit[teller]
	bank   []*freerun.Unit[account]
	office *freerun.Unit[office]
	finish *programs.Finish
	work   int
}

// order is the argument of an operation on an account.
type order struct {
	amount int64
	work   int
}

// transferOp has exclusive access to both accounts.
var transferOp = freerun.Op2("transfer", func(_ *freerun.Context, from, to *account, o order) (struct{}, error) {
	move(from, to, o.amount, o.work)
	return struct{}{}, nil
})

// serveOp sends the next transfers of a teller, and sends itself after the last of them is done.
var serveOp = freerun.Op[teller, freerun.Future[struct{}], struct{}]("serve", nil)

var _ = freerun.Define(serveOp, freerun.NoResult(func(c *freerun.Context, t *teller, _ freerun.Future[struct{}]) error {
	err := t.serve(c)
	if err != nil {
		t.finish.Fail(err)
	}
	return err
}))

func (t *teller) serve(c *freerun.Context) error {
	for i := 1; ; i++ {
		x, more := t.next()
		if !more {
			return closeOp.Tell(c, t.office, struct{}{})
		}
		from, to, o := t.bank[x.from], t.bank[x.to], order{x.amount, t.work}
		if i == ahead {
			return serveOp.Tell(c, t.self, transferOp.Send(c, from, to, o))
		}
		if err := transferOp.Tell(c, from, to, o); err != nil {
			return err
		}
	}
}

// office waits until the tellers close, then has the books audited.
type office struct {
	open   int
	bank   []*freerun.Unit[account]
	report *report
}

// report is the result of the audit. The audit owns it until the runtime is quiet.
type report struct {
	finish   *programs.Finish
	checksum string
	err      error
}

var closeOp = freerun.Op("close", freerun.NoResult(func(c *freerun.Context, o *office, _ struct{}) error {
	if o.open--; o.open > 0 {
		return nil
	}
	err := auditOp.Tell(c, o.bank, o.report)
	if err != nil {
		o.report.finish.Fail(err)
	}
	return err
}))

// auditOp has exclusive access to all accounts. All transfers were sent before it, so they have
// been made.
var auditOp = freerun.OpAll("audit", freerun.NoResult(func(_ *freerun.Context, accounts []*account, r *report) error {
	r.finish.Reached()
	r.checksum, r.err = audit(accounts)
	return r.err
}))

func runUnits(cfg programs.Config) (result programs.Result, err error) {
	rt := cfg.NewRuntime()
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()
	size, work := cfg.Values.Get(programs.Size), rounds(cfg.Values.Get(paramWork))
	bank := make([]*freerun.Unit[account], cfg.Values.Get(paramAccounts))
	for i := range bank {
		bank[i] = freerun.NewUnit(rt, account{balance: opening})
	}
	clients := newClients(cfg.Values.Get(paramClients), len(bank), size)
	finish := cfg.NewFinish(1)
	books := &report{finish: finish}
	door := freerun.NewUnit(rt, office{len(clients), bank, books})
	c := rt.Context()
	meter := cfg.StartMeter()
	for _, who := range clients {
		t := freerun.NewUnit(rt, teller{client: who, bank: bank, office: door, finish: finish, work: work})
		freerun.Do(c, t, func(c *freerun.Context, me *teller) (struct{}, error) {
			me.self = t
			return struct{}{}, serveOp.Tell(c, t, freerun.Resolved(struct{}{}))
		})
	}
	end, err := finish.Wait()
	result = meter.StopAt(end, uint64(size))
	if err != nil {
		return result, err
	}
	if err := rt.Quiesce(context.Background()); err != nil { // the audit is complete then
		return result, err
	}
	result.Checksum = books.checksum
	return result, books.err
}
