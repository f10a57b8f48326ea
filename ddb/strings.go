package ddb

import "strconv"

// maxValue is the maximal length of a value: Redis's proto-max-bulk-len.
const maxValue = 512 << 20

func get(s *shard, args [][]byte, w *writer) {
	if e := s.read(args[1]); e != nil {
		s.reply(e, w)
	} else {
		w.null()
	}
}

func setnx(s *shard, args [][]byte, w *writer) {
	e := s.find(args[1])
	if e == nil {
		if s.put(nil, args[1], args[2], 0) == nil {
			w.fail(errOOM)
			return
		}
	}
	w.bit(e == nil)
}

func getset(s *shard, args [][]byte, w *writer) {
	e, begun := s.read(args[1]), len(w.buf)
	if e == nil {
		w.null()
	} else {
		s.reply(e, w)
	}
	if e = s.put(e, args[1], args[2], 0); e == nil {
		w.instead(begun, errOOM)
		return
	}
	s.setDeadline(e, 0)
}

// reply answers with the value of an entry.
func (s *shard) reply(e *entry, w *writer) {
	switch {
	case s.records.arena != nil:
		w.copied(s.records.parts(e))
	case e.length > shareable:
		w.bulk(s.records.lend(e))
	default:
		w.bulk(s.records.value(e))
	}
}

func appendTo(s *shard, args [][]byte, w *writer) {
	e := s.find(args[1])
	switch {
	case e == nil:
		if e = s.put(nil, args[1], args[2], 0); e == nil {
			w.fail(errOOM)
			return
		}
	case int(e.length)+len(args[2]) > maxValue:
		w.fail(errTooLong)
		return
	case !s.extend(e, args[2]):
		w.fail(errOOM)
		return
	}
	w.integer(int64(e.length))
}

func strlen(s *shard, args [][]byte, w *writer) {
	var n int
	if e := s.read(args[1]); e != nil {
		n = int(e.length)
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
	case n == -n && n != 0: // the least integer equals its negative
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
		if old, ok = parseInteger(s.records.value(e)); !ok {
			w.fail(errNotInteger)
			return
		}
	}
	if addOverflows(old, n) {
		w.fail(errOverflow)
		return
	}
	var digits [20]byte
	if s.put(e, key, strconv.AppendInt(digits[:0], old+n, 10), 0) == nil {
		w.fail(errOOM)
		return
	}
	w.integer(old + n)
}
