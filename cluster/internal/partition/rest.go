package partition

// Rest is what is left to be done in a partition that no machine owns. It reads what an owner would
// read, and does nothing.
type Rest struct {
	after uint64
	marks marks
}

// NewRest reads the checkpoint of a partition; nil for none.
func NewRest(value []byte) (*Rest, error) {
	c := newCheckpoint()
	if value != nil {
		var err error
		if c, err = decodeCheckpoint(value); err != nil {
			return nil, err
		}
	}
	return &Rest{c.seq, c.marks}, nil
}

// After returns the place of the checkpoint: the log is to be read from behind it.
func (r *Rest) After() uint64 { return r.after }

// Read reads the next entry of the log, and returns the command that is taken with it; nil for
// none.
func (r *Rest) Read(seq uint64, b []byte) (*Command, error) {
	e, err := Decode(b)
	if err != nil || r.marks.read(seq, &e, sound{}) != taken {
		return nil, err
	}
	return e.Command, nil
}

// Took reports whether the partition has taken what another one has sent it under a number, and
// what that has sent before.
func (r *Rest) Took(outbox int, n Number) bool { return !n.after(r.marks.outboxes[outbox]) }

// Sent calls each with what a record of the partition has sent, and which the logs may not have.
func (r *Rest) Sent(record *Record, each func(n Number, s *Send)) {
	index := map[uint64]uint64{} // of the last one, by entry
	for i := range record.Sends {
		s := &record.Sends[i]
		if index[s.Seq]++; s.Seq > r.after {
			each(Number{s.Seq, index[s.Seq]}, s)
		}
	}
}
