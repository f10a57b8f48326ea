package ddb

import "strconv"

// maxValue is the length that a value can have: Redis's proto-max-bulk-len.
const maxValue = 512 << 20

func get(s *shard, args [][]byte, w *writer) {
	if e := s.read(args[1]); e != nil {
		w.bulk(e.value)
	} else {
		w.null()
	}
}

func setnx(s *shard, args [][]byte, w *writer) {
	e := s.find(args[1])
	if e == nil {
		s.put(nil, args[1], args[2])
	}
	w.bit(e == nil)
}

func getset(s *shard, args [][]byte, w *writer) {
	e := s.read(args[1])
	if e == nil {
		w.null()
	} else {
		w.bulk(e.value)
	}
	s.setDeadline(s.put(e, args[1], args[2]), 0)
}

// appendTo extends a value. Bytes behind the end of a value are nobody else's, so a reply that refers to the shorter
// value is not disturbed.
func appendTo(s *shard, args [][]byte, w *writer) {
	e := s.find(args[1])
	switch {
	case e == nil:
		e = s.put(nil, args[1], args[2])
	case len(e.value)+len(args[2]) > maxValue:
		w.fail(errTooLong)
		return
	default:
		e.value = append(e.value, args[2]...)
		s.touch(e.key)
	}
	w.integer(int64(len(e.value)))
}

func strlen(s *shard, args [][]byte, w *writer) {
	var n int
	if e := s.read(args[1]); e != nil {
		n = len(e.value)
	}
	w.integer(int64(n))
}

func incr(s *shard, args [][]byte, w *writer) { s.add(args[1], 1, w) }
func decr(s *shard, args [][]byte, w *writer) { s.add(args[1], -1, w) }

func incrby(s *shard, args [][]byte, w *writer) {
	n, ok := parseInteger(args[2])
	if !ok {
		w.fail(errNotInteger)
		return
	}
	s.add(args[1], n, w)
}

func decrby(s *shard, args [][]byte, w *writer) {
	n, ok := parseInteger(args[2])
	switch {
	case !ok:
		w.fail(errNotInteger)
	case n == -n && n != 0: // the least integer is its own negative
		w.fail(errDecrOverflow)
	default:
		s.add(args[1], -n, w)
	}
}

func (s *shard) add(key []byte, n int64, w *writer) {
	e := s.find(key)
	var old int64
	if e != nil {
		var ok bool
		if old, ok = parseInteger(e.value); !ok {
			w.fail(errNotInteger)
			return
		}
	}
	if addOverflows(old, n) {
		w.fail(errOverflow)
		return
	}
	var digits [20]byte
	s.put(e, key, strconv.AppendInt(digits[:0], old+n, 10))
	w.integer(old + n)
}
