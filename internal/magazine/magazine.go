package magazine

import "github.com/freerun-go/freerun/internal/mailbox"

// Sketch:     loaded ─→ n ─→ n ─→ …   the batch in use: Take and Put at its head
//             spare  ─→ n ─→ n ─→ …   nil or a full batch
// Invariants: I1 count is the number of nodes in loaded, at most BatchSize.
//             I2 spare is nil or has BatchSize nodes.
//             So an owner that takes and puts in turns exchanges at least a batch before it needs
//             the depot.
// Progress:   wait-free but for the depot's mark: a call looks at each of its slots once at most
// Cost:       Take and Put touch the node, and one cache line of the owner's
// Checked by: TestMagazine…, TestExploreDepot

// Magazine holds messages of one operation for one owner. Only the owner may use it. The zero value
// is not opened yet (see [Cache.Open]).
type Magazine struct {
	loaded, spare *mailbox.Node // the batch in use; nil or a full batch
	count         int           // nodes in loaded
	depot         *Depot        // nil: the magazine was not opened yet
}

// Depot returns the depot with which the magazine exchanges batches.
func (m *Magazine) Depot() *Depot { return m.depot }

// Loaded returns the node that Next returns next, nil if the batch in use is empty.
func (m *Magazine) Loaded() *mailbox.Node { return m.loaded }

// Take returns a node, and takes a batch from the depot if the magazine is empty. It returns nil if
// there is none.
func (m *Magazine) Take() *mailbox.Node {
	if m.loaded == nil && !m.reload() {
		return nil
	}
	return m.Next()
}

// Next returns a node of the batch in use, which must not be empty.
func (m *Magazine) Next() *mailbox.Node {
	n := m.loaded
	m.loaded = n.Next()
	m.count--
	return n
}

// reload puts a full batch, the spare one or one of the depot, in use. It returns false if there is
// none.
func (m *Magazine) reload() bool {
	m.loaded, m.spare = m.spare, nil
	if m.loaded == nil {
		m.loaded = m.depot.Take()
	}
	if m.loaded == nil {
		return false
	}
	m.count = BatchSize
	return true
}

// Put adds a node, which is in no list. If both batches are full, it gives one to the depot.
func (m *Magazine) Put(n *mailbox.Node) {
	if m.count == BatchSize {
		if m.spare != nil {
			m.depot.Put(m.spare)
		}
		m.spare, m.loaded, m.count = m.loaded, nil, 0
	}
	n.Link(m.loaded)
	m.loaded = n
	m.count++
}

// Cache has a magazine for each operation, by the operation's number. It belongs to one owner. The
// zero value has none.
type Cache struct{ magazines []Magazine }

// Of returns the magazine of operation id, nil if there is none yet.
func (k *Cache) Of(id int) *Magazine {
	if id < len(k.magazines) && k.magazines[id].depot != nil {
		return &k.magazines[id]
	}
	return nil
}

// Open returns the magazine of operation id, and makes it if there is none. room has id+1
// magazines: they replace the present ones if those are fewer.
func (k *Cache) Open(id int, d *Depot, room []Magazine) *Magazine {
	if len(k.magazines) <= id {
		copy(room, k.magazines)
		k.magazines = room
	}
	m := &k.magazines[id]
	if m.depot == nil {
		m.depot = d
	}
	return m
}
