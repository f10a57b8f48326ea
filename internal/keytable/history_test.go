package keytable

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/anishathalye/porcupine"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

// numbered is an object with a number of its own, from 1 to 255, by which histories know it.
type numbered struct {
	Entry[int]
	number int
}

func object(key, number int) *numbered { return &numbered{Entry[int]{key}, number} }

// numberOf returns the number of the object that an entry is part of, 0 without one.
func numberOf(e *Entry[int]) int {
	if e == nil {
		return 0
	}
	return (*numbered)(unsafe.Pointer(e)).number
}

const (
	loads = iota
	loadsOrStores
	replaces
	deletes
)

var verbs = [...]string{"Load", "LoadOrStore", "Replace", "Delete"}

// A call is an operation of a history, as the recorder's Value has it: a verb, a key below
// mostKeys, and the numbers of objects.
type call struct{ verb, key, object, by int }

const mostKeys = 8

func (c call) value() int { return c.verb | c.key<<4 | c.object<<8 | c.by<<16 }

func callOf(v int) call { return call{v & 0xf, v >> 4 & 0xf, v >> 8 & 0xff, v >> 16} }

// A scribe calls a table's methods and records them.
type scribe struct {
	*Table[int]
	client *linear.Client
}

func (s scribe) note(c call, do func() (int, bool)) {
	begin := s.client.Begin()
	v, ok := do()
	s.client.End(begin, linear.Call{Value: c.value()}, linear.Answer{Value: v, OK: ok})
}

func (s scribe) load(key int) (e *Entry[int]) {
	s.note(call{loads, key, 0, 0}, func() (int, bool) {
		e = s.Load(key)
		return numberOf(e), e != nil
	})
	return e
}

func (s scribe) loadOrStore(o *numbered) (e *Entry[int]) {
	s.note(call{loadsOrStores, o.Key, o.number, 0}, func() (number int, loaded bool) {
		e, loaded = s.LoadOrStore(&o.Entry)
		return numberOf(e), loaded
	})
	return e
}

func (s scribe) replace(old *Entry[int], by *numbered) (ok bool) {
	s.note(call{replaces, by.Key, numberOf(old), by.number}, func() (int, bool) {
		ok = s.Replace(old, &by.Entry)
		return 0, ok
	})
	return ok
}

func (s scribe) delete(e *Entry[int]) (ok bool) {
	s.note(call{deletes, e.Key, numberOf(e), 0}, func() (int, bool) {
		ok = s.Delete(e)
		return 0, ok
	})
	return ok
}

// contents has the number of each key's object, 0 without one.
type contents [mostKeys]int

// step returns whether a call may give an answer, and what there is afterwards.
func (now contents) step(c call, answer linear.Answer) (bool, contents) {
	there := now[c.key]
	switch c.verb {
	case loads:
		return answer.Value == there, now
	case loadsOrStores:
		if there != 0 {
			return answer.OK && answer.Value == there, now
		}
		now[c.key] = c.object
		return !answer.OK && answer.Value == c.object, now
	case replaces:
		if answer.OK {
			now[c.key] = c.by
		}
	case deletes:
		if answer.OK {
			now[c.key] = 0
		}
	}
	return answer.OK == (there == c.object), now
}

// A judge checks histories, and remembers those that it has seen.
type judge struct{ known map[string]bool }

// check returns an error unless there is an order of the calls, of which each takes effect at one
// instant, in which a map gives these answers. began has what was there before.
func (j *judge) check(began contents, h linear.History) error {
	text := fmt.Sprint(began, h)
	right, known := j.known[text]
	if !known {
		operations := make([]porcupine.Operation, len(h))
		for i, o := range h {
			operations[i] = porcupine.Operation{ClientId: o.Client, Input: callOf(o.Call.Value), Call: o.Begin, Output: o.Answer, Return: o.End}
		}
		right = porcupine.CheckOperations(porcupine.Model{
			Init: func() any { return began },
			Step: func(now, in, out any) (bool, any) { return now.(contents).step(in.(call), out.(linear.Answer)) },
		}, operations)
		if j.known == nil {
			j.known = map[string]bool{}
		}
		j.known[text] = right
	}
	if right {
		return nil
	}
	var b strings.Builder
	for _, o := range h {
		c := callOf(o.Call.Value)
		fmt.Fprintf(&b, "  client %d  [%3d,%3d]  %s(key %d, %d, %d) = %d, %v\n", o.Client, o.Begin, o.End, verbs[c.verb], c.key, c.object, c.by, o.Answer.Value, o.Answer.OK)
	}
	return fmt.Errorf("this is no history of a map that began with %v:\n%s", began, b.String())
}
