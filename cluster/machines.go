package cluster

// Machines are the machines that share the durable units, as one of them knows it: others may know
// something else for a second or two. The units are in partitions; each machine has some. What this
// one has done is in [Stats].
type Machines struct {
	// Self is the name of this machine. No process has the name of another one, nor its own one
	// again when it starts again. It is empty where one process has the store.
	Self string
	// Partitions has how many partitions each machine should have, by its name: of those that were
	// heard of within the last 1.2 seconds, this one too.
	Partitions map[string]int
}

// Machines returns the machines that this one knows. Any goroutine may call it; it does not wait.
func (n *Node) Machines() Machines {
	s := n.shared
	if s == nil {
		return Machines{}
	}
	m := Machines{Self: s.engine.Name(), Partitions: map[string]int{}}
	m.Partitions[m.Self] = 0 // it may have just begun
	v := s.machine.View()
	if v == nil {
		return m
	}
	for _, name := range v.Members {
		m.Partitions[name] = 0
	}
	for _, owner := range v.Owners {
		if owner != "" {
			m.Partitions[owner]++
		}
	}
	return m
}
