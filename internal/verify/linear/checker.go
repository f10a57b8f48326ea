package linear

import "encoding/binary"

// A Checker checks many histories and remembers the results. Exploring a program yields the same
// histories again and again. One goroutine at a time may use it.
type Checker struct {
	model Model
	known map[string]error
}

// NewChecker returns a checker for a model.
func NewChecker(m Model) *Checker { return &Checker{model: m, known: map[string]error{}} }

// Check does what the function [Check] does.
func (c *Checker) Check(h History) error {
	key := h.key()
	err, known := c.known[key]
	if !known {
		err = Check(c.model, h)
		c.known[key] = err
	}
	return err
}

// key encodes the history; different histories have different keys.
func (h History) key() string {
	var b []byte
	for _, o := range h {
		flags := uint64(o.Call.Verb) << 4
		if o.Answer.OK {
			flags |= 1
		}
		if o.Answer.Lost {
			flags |= 2
		}
		if o.Call.Busy {
			flags |= 4
		}
		if o.Joined {
			flags |= 8
		}
		b = binary.AppendUvarint(b, flags)
		for _, v := range [...]int64{int64(o.Client), int64(o.Call.Value), int64(o.Answer.Value), o.Begin, o.End} {
			b = binary.AppendVarint(b, v)
		}
	}
	return string(b)
}
