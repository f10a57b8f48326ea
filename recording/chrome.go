package recording

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// chromeEvent is an event as the viewers of Chrome and Perfetto read it. Times are in microseconds.
type chromeEvent struct {
	Name  string         `json:"name"`
	Phase string         `json:"ph"`
	Time  float64        `json:"ts"`
	For   *float64       `json:"dur,omitempty"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	ID    uint32         `json:"id,omitempty"`
	Cat   string         `json:"cat,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Scope string         `json:"s,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// WriteChrome writes the recording as JSON for chrome://tracing and ui.perfetto.dev: a track for
// each processor, and an arrow from each send to the run of its message. It returns the first error
// of w.
func (t *Trace) WriteChrome(w io.Writer) error {
	out := &chromeWriter{w: bufio.NewWriter(w)}
	out.text(`{"displayTimeUnit":"ns","traceEvents":[`)
	out.event(chromeEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": t.Program}})
	out.event(chromeEvent{Name: "thread_name", Phase: "M", Tid: trackOf(Outside), Args: map[string]any{"name": "outside"}})
	for p := range t.Processors {
		out.event(chromeEvent{Name: "thread_name", Phase: "M", Tid: trackOf(int16(p)), Args: map[string]any{"name": fmt.Sprintf("processor %d", p)}})
	}
	for _, s := range t.Slices() {
		d := micros(s.End - s.Begin)
		e := chromeEvent{Name: t.nameOf(s), Phase: "X", Time: micros(s.Begin), For: &d, Tid: trackOf(s.Processor), Cat: s.Kind.String()}
		if s.Message != 0 {
			e.Args = map[string]any{"message": s.Message}
			if s.Unit != 0 {
				e.Args["unit"] = t.unitName(s.Unit)
			}
		}
		out.event(e)
	}
	for i, m := range t.Messages() {
		if m.Sent < 0 || m.Begin < 0 {
			continue
		}
		name := t.Operation(m.Operation)
		out.event(chromeEvent{Name: name, Phase: "s", Time: micros(m.Sent), Tid: trackOf(m.SentBy), ID: uint32(i), Cat: "send"})
		out.event(chromeEvent{Name: name, Phase: "f", Time: micros(m.Begin), Tid: trackOf(m.RanOn), ID: uint32(i), Cat: "send", Bind: "e"})
	}
	for _, e := range t.Events {
		switch e.Kind {
		case KindSteal:
			out.event(chromeEvent{Name: "steal", Phase: "i", Time: micros(e.Time), Tid: trackOf(e.Processor), Scope: "t", Args: map[string]any{"from": e.Other, "tasks": e.N}})
		case KindLost:
			out.event(chromeEvent{Name: "lost", Phase: "i", Time: micros(e.Time), Tid: trackOf(e.Processor), Scope: "t", Args: map[string]any{"events": e.N}})
		}
	}
	out.text("\n]}\n")
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.err
}

func micros(nanoseconds int64) float64 { return float64(nanoseconds) / 1000 }

func trackOf(processor int16) int { return int(processor) + 1 }

// nameOf names a slice by its operation, or by what the processor did.
func (t *Trace) nameOf(s Slice) string {
	switch s.Kind {
	case KindSearchBegin:
		return "search"
	case KindPark:
		return "parked"
	}
	if name := t.Operation(s.Operation); name != "" {
		return name
	}
	return s.Kind.String()
}

// unitName returns the name of a unit, or else its number with the type of its state. It is empty
// for 0 and for numbers without a unit.
func (t *Trace) unitName(n uint32) string {
	if n == 0 || int(n) >= len(t.Units) {
		return ""
	}
	switch u := t.Units[n]; {
	case u.Name != "":
		return u.Name
	case u.State != "":
		return fmt.Sprintf("%s #%d", u.State, n)
	}
	return fmt.Sprintf("unit #%d", n)
}

// chromeWriter writes events. It keeps its first error and writes nothing more then.
type chromeWriter struct {
	w    *bufio.Writer
	some bool
	err  error
}

func (c *chromeWriter) text(s string) {
	if c.err == nil {
		_, c.err = c.w.WriteString(s)
	}
}

func (c *chromeWriter) event(e chromeEvent) {
	if c.err != nil {
		return
	}
	b, err := json.Marshal(e)
	if err != nil {
		c.err = err
		return
	}
	if c.some {
		c.text(",")
	}
	c.some = true
	c.text("\n")
	c.text(string(b))
}
