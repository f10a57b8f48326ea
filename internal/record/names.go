package record

import (
	"runtime"
	"sync"
)

// Operation is an operation in a recording.
type Operation struct {
	Name  string `json:"name"`
	State string `json:"state,omitempty"` // type of the state of its units
}

// The operations of the process. A declared operation gets its number at its declaration, a
// function when it is recorded first.
var operations = struct {
	sync.RWMutex
	all    []Operation
	codes  map[uintptr]uint16
	titles map[string]uint16
}{all: make([]Operation, 1), codes: map[uintptr]uint16{}, titles: map[string]uint16{}}

// Declare returns the number of a new operation, or 0, which has no name, if there are too many.
func Declare(o Operation) uint16 {
	operations.Lock()
	defer operations.Unlock()
	if len(operations.all) >= MostOperations {
		return 0
	}
	operations.all = append(operations.all, o)
	return uint16(len(operations.all) - 1)
}

// Names has the names of units in one recording, and knows which names were told.
type Names struct {
	sync.Mutex
	units   map[string]uint32
	fresh   map[uint32]string // not told yet
	telling int               // how many operations were told
}

// mostUnits limits the names of units in a recording.
const mostUnits = 1 << 20

// Code returns the number of the operation that is the function at code. Any goroutine may call it.
func (*Names) Code(code uintptr) uint16 {
	operations.RLock()
	n, ok := operations.codes[code]
	operations.RUnlock()
	if ok {
		return n
	}
	name := "a closure"
	if f := runtime.FuncForPC(code); f != nil {
		name = f.Name()
	}
	n = Declare(Operation{Name: name})
	operations.Lock()
	defer operations.Unlock()
	operations.codes[code] = n
	return n
}

// Title returns the number of the activities with a name. Any goroutine may call it.
func (*Names) Title(name string) uint16 {
	operations.RLock()
	n, ok := operations.titles[name]
	operations.RUnlock()
	if ok {
		return n
	}
	if n = Declare(Operation{Name: name}); n == 0 {
		return 0
	}
	operations.Lock()
	defer operations.Unlock()
	operations.titles[name] = n
	return n
}

// Unit returns the number of a unit's name, or 0 if there are too many. Any goroutine may call it.
func (n *Names) Unit(name string) uint32 {
	n.Lock()
	defer n.Unlock()
	number, ok := n.units[name]
	if ok || len(n.units) >= mostUnits {
		return number
	}
	if n.units == nil {
		n.units, n.fresh = map[string]uint32{}, map[uint32]string{}
	}
	number = uint32(len(n.units) + 1)
	n.units[name], n.fresh[number] = number, name
	return number
}

// table is the block of a stream that holds names.
type table struct {
	Operations map[int]Operation `json:"operations,omitempty"`
	Units      map[uint32]string `json:"units,omitempty"`
}

// tell returns the names that were not told yet, or all names for a stream of its own.
func (n *Names) tell(all bool) (t table, some bool) {
	n.Lock()
	defer n.Unlock()
	operations.RLock()
	defer operations.RUnlock()
	from := n.telling
	if all {
		from = 0
		t.Units = make(map[uint32]string, len(n.units))
		for name, number := range n.units {
			t.Units[number] = name
		}
	} else {
		t.Units, n.fresh = n.fresh, map[uint32]string{}
		n.telling = len(operations.all)
	}
	t.Operations = map[int]Operation{}
	for i := from; i < len(operations.all); i++ {
		t.Operations[i] = operations.all[i]
	}
	return t, len(t.Operations)+len(t.Units) > 0
}
