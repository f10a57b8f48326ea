package jet

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// cell is a unit in a process: it has the names of the commands that it has run, in order. A
// command is its name, and >UNIT behind it if it sends the name with a ' to that unit.
type cell struct {
	process *process
	name    string
	part    int
	loaded  bool
	busy    bool // it is read or written
	dead    bool
	record  partition.Record // as stored, as have and revision
	have    []string
	rev     uint64
	waiting []*job
	ran     []*job // in the write under way, or the next one
	next    partition.Record
	working []string
}

// job is a command for a cell; one without a request and with seq 0 is about an outcome.
type job struct {
	owner   *partition.Owner
	seq     uint64
	command *partition.Command
	request *partition.Request // nil for others
	outcome string
	sends   []partition.Send
	// A request that was in a write whose outcome is not known: its name, and the revision that it
	// expected.
	write string
	base  uint64
}

func (u *cell) deliver(j *job) {
	u.waiting = append(u.waiting, j)
	u.goOn(j.owner)
}

// goOn runs what waits, and writes it.
func (u *cell) goOn(o *partition.Owner) {
	switch {
	case u.dead || u.busy:
		return
	case !u.loaded:
		u.load(o)
		return
	}
	u.next, u.working = u.record, slices.Clone(u.have)
	u.next.Outcomes, u.next.Sends = slices.Clone(u.next.Outcomes), slices.Clone(u.next.Sends)
	for len(u.waiting) > 0 {
		j := u.waiting[0]
		if j.request == nil && (j.seq == 0 || u.record.Has(j.seq)) && len(u.ran) > 0 {
			break // once that is written
		}
		u.waiting = u.waiting[1:]
		switch {
		case j.request != nil:
			u.runRequest(j)
		case j.seq == 0:
			u.answerAgain(j)
		case u.record.Has(j.seq):
			j.owner.HadRun(j.seq, &u.record)
			u.answerAgain(j)
		default:
			u.run(j, j.command.Body)
			u.next.Ran(j.seq, j.command, []byte(j.outcome), j.sends)
		}
	}
	if len(u.ran) > 0 {
		u.write(o)
	}
}

func (u *cell) answerAgain(j *job) {
	if value, there := u.record.Outcome(j.command.From.Session, j.command.N); there {
		u.process.Answer(j.owner, j.command, value)
	}
}

func (u *cell) run(j *job, body []byte) {
	id, to, sends := strings.Cut(string(body), ">")
	u.working = append(u.working, id)
	j.outcome, j.sends = id, nil
	if sends {
		j.sends = []partition.Send{{To: partition.Of(to, parts), Unit: to, Body: []byte(id + "'")}}
	}
	u.ran = append(u.ran, j)
}

// runRequest runs a request, unless it is not known whether it was run. It sends nothing.
func (u *cell) runRequest(j *job) {
	switch {
	case j.write == "":
	case j.write == u.record.Write: // that write was made after all
		j.request.Reply([]byte(j.outcome), nil)
		return
	case j.base != u.rev: // another one came behind it, or in its place
		j.request.Reply(nil, engine.ErrUncertain)
		return
	}
	u.run(j, j.request.Body)
}

// write writes what has run.
func (u *cell) write(o *partition.Owner) {
	if !o.MayWrite() {
		return
	}
	u.busy = true
	o.Trim(&u.next)
	u.next.Write = ""
	if slices.ContainsFunc(u.ran, func(j *job) bool { return j.request != nil }) {
		u.next.Write = fmt.Sprint(u.process.name, "/", u.process.writes.Add(1))
	}
	state, err := json.Marshal(u.working)
	if err != nil {
		panic(err)
	}
	value := append(u.next.Append(nil), state...)
	u.process.log.Swap(u.part, []engine.Write{{Key: []byte(u.name), Value: value}}, u.rev, func(revision uint64, err error) {
		u.process.turns[u.part].Run(func() {
			if !u.dead {
				u.busy = false
				u.wrote(revision, err)
				u.goOn(o)
			}
		})
	})
}

// wrote tells outcomes, or has what is not known to be written run again on what is stored.
func (u *cell) wrote(revision uint64, err error) {
	ran := u.ran
	u.ran = nil
	if err != nil {
		if errors.Is(err, engine.ErrUncertain) {
			for _, j := range ran {
				j.write, j.base = u.next.Write, u.rev
			}
		}
		u.loaded, u.waiting = false, append(ran, u.waiting...)
		return
	}
	u.record, u.have, u.rev = u.next, u.working, revision
	for _, j := range ran {
		if j.request != nil {
			j.request.Reply([]byte(j.outcome), nil)
			continue
		}
		j.owner.Done(j.seq, j.sends)
		u.process.Answer(j.owner, j.command, []byte(j.outcome))
	}
}

// load reads the record.
func (u *cell) load(o *partition.Owner) {
	u.busy = true
	turn := u.process.turns[u.part]
	u.process.log.Read(u.part, []byte(u.name), func(value []byte, revision uint64, err error) {
		turn.Run(func() {
			if u.dead {
				return
			}
			u.busy = false
			if err != nil {
				turn.After(50*time.Millisecond, func() { u.goOn(o) })
				return
			}
			if u.record, u.have, err = decodeCell(value); err != nil {
				panic(err)
			}
			u.rev, u.loaded = revision, true
			u.goOn(o)
		})
	})
}

// end ends a cell whose partition the machine does not own any more.
func (u *cell) end() {
	u.dead = true
	for _, j := range append(slices.Clone(u.ran), u.waiting...) {
		switch {
		case j.request == nil:
		case j.write == "" && !slices.Contains(u.ran, j):
			j.request.Reply(nil, partition.ErrNotRun)
		default:
			j.request.Reply(nil, engine.ErrUncertain)
		}
	}
}

// decodeCell reads what is stored of a cell.
func decodeCell(value []byte) (r partition.Record, have []string, err error) {
	if value == nil {
		return r, nil, nil
	}
	r, rest, err := partition.DecodeRecord(value)
	if err == nil {
		err = json.Unmarshal(rest, &have)
	}
	return r, have, err
}
