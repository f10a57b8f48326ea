package httpview

import "github.com/freerun-go/freerun/recording"

// columns is the number of parts of equal length in a lane, about one for each pixel.
const columns = 360

// What a processor did in a column if it ran no operation. Operations have numbers from 0 on.
const (
	doingNothing = -1 // between operations: scheduling, or unknown
	searching    = -2
	parked       = -3
)

// lane has the figures of one processor in a sample.
type lane struct {
	Running   float64 `json:"running"` // shares of the time
	Searching float64 `json:"searching"`
	Parked    float64 `json:"parked"`
	// Columns are pairs: what the processor did, and for how many columns.
	Columns []int `json:"columns"`
}

// column has the events of one column.
type column struct {
	running, searching, parked int64 // nanoseconds
	// The longest time of one operation, whose colour the column gets.
	longest   int64
	operation int
}

// lanes paints the outermost slices of each processor.
func lanes(t *recording.Trace, slices []recording.Slice) []lane {
	painted := make([][columns]column, t.Processors)
	for i := range slices {
		s := &slices[i]
		if s.Depth == 0 && s.Processor >= 0 && int(s.Processor) < len(painted) && t.End > 0 {
			paint(&painted[s.Processor], s, t.End)
		}
	}
	all := make([]lane, t.Processors)
	for p := range painted {
		all[p] = finish(&painted[p], t.End)
	}
	return all
}

// paint adds a slice to the columns that it touches. end is the length of the sample in
// nanoseconds.
func paint(lane *[columns]column, s *recording.Slice, end int64) {
	from := max(0, s.Begin)
	to := min(s.End, end)
	for from < to {
		i := min(from*columns/end, columns-1)
		edge := to
		if i+1 < columns {
			edge = min(to, max(from+1, ((i+1)*end+columns-1)/columns))
		}
		c, d := &lane[i], edge-from
		switch s.Kind {
		case recording.KindSearchBegin:
			c.searching += d
		case recording.KindPark:
			c.parked += d
		default:
			c.running += d
			if d > c.longest {
				c.longest, c.operation = d, int(s.Operation)
			}
		}
		from = edge
	}
}

// doing returns what took most of a column, which has the given length in nanoseconds.
func (c *column) doing(length int64) int {
	nothing := length - c.running - c.searching - c.parked
	switch most := max(c.running, c.searching, c.parked, nothing); {
	// Short operations: the gaps between them are part of the picture.
	case c.running > 0 && (most == c.running || most == nothing):
		return c.operation
	case most == c.parked && c.parked > 0:
		return parked
	case most == c.searching && c.searching > 0:
		return searching
	}
	return doingNothing
}

func finish(painted *[columns]column, end int64) (l lane) {
	var running, searching, parked int64
	for i := range painted {
		c := &painted[i]
		running, searching, parked = running+c.running, searching+c.searching, parked+c.parked
		doing := c.doing(end / columns)
		if n := len(l.Columns); n > 0 && l.Columns[n-2] == doing {
			l.Columns[n-1]++
		} else {
			l.Columns = append(l.Columns, doing, 1)
		}
	}
	if end > 0 {
		l.Running, l.Searching, l.Parked = float64(running)/float64(end), float64(searching)/float64(end), float64(parked)/float64(end)
	}
	return l
}
