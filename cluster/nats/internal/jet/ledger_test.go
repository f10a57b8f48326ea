package jet

import (
	"fmt"
	"slices"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

const (
	parts = 4
	units = 17
	tags  = 4
)

// unitName returns the key of a unit. Those of one tag can be changed together.
func unitName(n int) string { return fmt.Sprintf("{t%d}u%d", n%units%tags, n%units) }

// partOf returns the partition of a unit.
func partOf(unit string) int { return partition.Of(unit, parts) }

// ledger is the state of the units: the names of the commands that had their effect, in order.
type ledger struct{ Have []string }

// entry is a command to a ledger.
type entry struct {
	ID    string
	Tells string `json:",omitempty"` // a unit
	Asks  string `json:",omitempty"`
}

// parcelOf is a command that a porter carries to a ledger.
type parcelOf struct{ ID, To string }

// What a command has done elsewhere has its name with one of these behind it.
const (
	toldMark  = "'" // told by it
	askedMark = "?" // asked by it
	heardMark = "!" // the answer
	otherMark = "+" // on the second unit of a command on two
)

var (
	ledgers = freerun.NewKind("ledger", func(*freerun.Context, string) (ledger, error) { return ledger{}, nil }, cluster.Durable(cluster.Tagged()))
	note    = freerun.Op("note", func(c *freerun.Context, l *ledger, e entry) (string, error) {
		l.Have = append(l.Have, e.ID)
		if e.Tells != "" {
			if err := hears.Tell(c, ledgers.At(c, e.Tells), e.ID+toldMark); err != nil {
				return "", err
			}
		}
		if e.Asks != "" {
			if err := cluster.Ask(c, answers, ledgers.At(c, e.Asks), e.ID, answered); err != nil {
				return "", err
			}
		}
		return e.ID, nil
	})
	both = freerun.Op2("both", func(_ *freerun.Context, a, b *ledger, id string) (string, error) {
		a.Have, b.Have = append(a.Have, id), append(b.Have, id+otherMark)
		return id, nil
	})
	hears = freerun.Op("hears", func(_ *freerun.Context, l *ledger, id string) (int, error) {
		l.Have = append(l.Have, id)
		return 0, nil
	})
	answers = freerun.Op("answers", func(_ *freerun.Context, l *ledger, id string) (string, error) {
		l.Have = append(l.Have, id+askedMark)
		return id + heardMark, nil
	})
	answered = freerun.Op("answered", func(_ *freerun.Context, l *ledger, a cluster.Answer[string, string]) (int, error) {
		if a.Err != nil {
			return 0, a.Err
		}
		l.Have = append(l.Have, a.Result)
		return 0, nil
	})
	// Porters are not durable, and carry commands to ledgers.
	porters = freerun.NewKind("porter", func(*freerun.Context, int) (int, error) { return 0, nil }, cluster.Volatile())
	carry   = freerun.Op("carry", func(c *freerun.Context, carried *int, p parcelOf) (string, error) {
		*carried++
		return freerun.Forward(c, note.Send(cluster.Direct(c), ledgers.At(c, p.To), entry{ID: p.ID}))
	})
	peek = freerun.ReadOp("peek", func(_ *freerun.Context, l *ledger, _ struct{}) ([]string, error) {
		return slices.Clone(l.Have), nil
	})
)
