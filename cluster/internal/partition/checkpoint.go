package partition

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/wire"
)

// checkpoint has the marks of a partition behind an entry of its log, and what it has sent by then.
type checkpoint struct {
	seq uint64
	marks
	sent map[int]Number // the last that its operations have sent, by partition
}

// checkpointed says what is stored.
type checkpointed struct {
	revision uint64
	seq      uint64
	under    bool // a write is under way
}

// checkpointEvery is how often a partition stores its checkpoint, if it has a new one. A new owner
// reads again what came since.
const checkpointEvery = 500 * time.Millisecond

// CheckpointKey is the key of a partition's checkpoint, among its entries.
const CheckpointKey = "c"

func newCheckpoint() checkpoint {
	return checkpoint{marks: newMarks(), sent: map[int]Number{}}
}

// read moves the checkpoint behind an entry that is settled.
func (c *checkpoint) read(it *item, by rules) {
	c.seq = it.seq
	c.marks.read(it.seq, it.entry, by)
	for i, s := range it.sends {
		c.sent[s.To] = Number{it.seq, uint64(i + 1)}
	}
}

// checkpoints stores a checkpoint each time.
func (o *Owner) checkpoints() {
	if !o.MayWrite() {
		return
	}
	o.awake = o.world.Now()
	o.store(func() {})
	o.world.After(checkpointEvery, o.checkpoints)
}

// Checkpoint stores a checkpoint at once: a record has no room until one is behind what it has
// sent.
func (o *Owner) Checkpoint() {
	if !o.stored.under && o.MayWrite() {
		o.store(func() {})
	}
}

// store stores a checkpoint, unless what is stored is as late, and calls done.
func (o *Owner) store(done func()) {
	if o.stored.under {
		o.world.After(leastPause, func() { o.store(done) })
		return
	}
	if o.phase == ended || o.settled.seq <= o.stored.seq {
		done()
		return
	}
	o.stored.under = true
	c := o.settled
	c.marks = *o.rules.keeps(&o.settled.marks, &o.read)
	value, seq := c.encode(), c.seq
	o.log.Swap(o.p, []engine.Write{{Key: []byte(CheckpointKey), Value: value}}, o.stored.revision, func(revision uint64, err error) {
		o.world.Run(func() {
			if err == nil {
				o.stored = checkpointed{revision: revision, seq: seq}
				o.log.Trim(o.p, seq)
				done()
				return
			}
			o.look(done)
		})
	})
}

// look reads the checkpoint that is stored, after a write of it that may have failed. Another owner
// may have written it.
func (o *Owner) look(done func()) {
	o.log.Read(o.p, []byte(CheckpointKey), func(value []byte, revision uint64, err error) {
		o.world.Run(func() {
			o.stored.under = false
			if err != nil || value == nil {
				done() // the next time
				return
			}
			c, err := decodeCheckpoint(value)
			if err != nil {
				o.fail(err)
				return
			}
			o.stored = checkpointed{revision: revision, seq: c.seq}
			done()
		})
	})
}

func (c *checkpoint) encode() []byte {
	b := binary.AppendUvarint([]byte{version}, c.seq)
	b = binary.AppendUvarint(b, uint64(len(c.sessions)))
	for _, name := range slices.Sorted(maps.Keys(c.sessions)) {
		s := c.sessions[name]
		b = binary.AppendUvarint(wire.AppendBytes(binary.AppendUvarint(b, name), s.node), s.last)
		b = appendNumber(appendNumber(b, s.mark), s.known)
	}
	for _, of := range []map[int]Number{c.outboxes, c.sent} {
		b = binary.AppendUvarint(b, uint64(len(of)))
		for _, p := range slices.Sorted(maps.Keys(of)) {
			b = appendNumber(binary.AppendUvarint(b, uint64(p)), of[p])
		}
	}
	return b
}

var errCheckpoint = errors.New("partition: the checkpoint is damaged")

func decodeCheckpoint(b []byte) (checkpoint, error) {
	c, r := newCheckpoint(), readerOf(b)
	if v := r.Byte(); r.Bad || v != version {
		return c, fmt.Errorf("partition: a checkpoint has form %d, and this program knows %d; a newer one has written it", v, version)
	}
	c.seq = r.Uvarint()
	for range r.Count() {
		name := r.Uvarint()
		c.sessions[name] = &sessionMark{string(r.Bytes()), r.Uvarint(), r.number(), r.number()}
	}
	for _, of := range []map[int]Number{c.outboxes, c.sent} {
		for range r.Count() {
			p := int(r.Uvarint())
			of[p] = r.number()
		}
	}
	if r.Bad || len(r.Rest) > 0 {
		return c, errCheckpoint
	}
	return c, nil
}
