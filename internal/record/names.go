package record

import (
	"runtime"
	"sync"
)

// Operation is what is known of an operation by its number.
type Operation struct {
	Name  string `json:"name"`
	State string `json:"state,omitempty"` // the type of the state of the units that it is for
}

// The operations of the process. Those that are declared get their numbers then, functions when they are met.
var operations = struct {
	sync.RWMutex
	all    []Operation
	codes  map[uintptr]uint16
	titles map[string]uint16
}{all: make([]Operation, 1), codes: map[uintptr]uint16{}, titles: map[string]uint16{}}

// Declare returns the number of an operation; 0, the one that has no name, if there are too many.
func Declare(o Operation) uint16 {
	operations.Lock()
	defer operations.Unlock()
	if len(operations.all) >= MostOperations {
		return 0
	}
	operations.all = append(operations.all, o)
	return uint16(len(operations.all) - 1)
}

// Names are the names of units in one recording, and what of the operations' it has told already.
type Names struct {
	sync.Mutex
	units   map[string]uint32
	fresh   map[uint32]string // not told
	telling int               // operations told
}

// mostUnits is how many names of units a recording knows.
const mostUnits = 1 << 20

// Code returns the number of the operation that is the function at code. Any goroutine.
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

// Title returns the number of the activities with a name. Any goroutine.
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

// Unit returns the number of a unit's name, 0 if there are too many. Any goroutine.
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

// table is what a stream has of names.
type table struct {
	Operations map[int]Operation `json:"operations,omitempty"`
	Units      map[uint32]string `json:"units,omitempty"`
}

// tell returns the names that were not told before; all of them if it is for a stream of its own.
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
