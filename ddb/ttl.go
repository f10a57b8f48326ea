package ddb

import "math"

// expireOptions are the conditions of EXPIRE and PEXPIRE.
type expireOptions struct{ nx, xx, gt, lt bool }

func expire(s *shard, args [][]byte, w *writer)  { s.expireIn(args, 1000, "expire", w) }
func pexpire(s *shard, args [][]byte, w *writer) { s.expireIn(args, 1, "pexpire", w) }

func (s *shard) expireIn(args [][]byte, unit int64, name string, w *writer) {
	options, msg := parseExpireOptions(args[3:])
	if msg != "" {
		w.fail(msg)
		return
	}
	when, ok := parseInteger(args[2])
	if !ok {
		w.fail(errNotInteger)
		return
	}
	if when > math.MaxInt64/unit || when < math.MinInt64/unit || when*unit > math.MaxInt64-s.now {
		w.fail(errExpireTime(name))
		return
	}
	when = when*unit + s.now
	e := s.find(args[1])
	if e == nil || !options.allow(s.deadline(e), when) {
		w.integer(0)
		return
	}
	if when <= s.now {
		s.remove(e)
	} else {
		s.setDeadline(e, when)
		s.touch(e)
	}
	w.integer(1)
}

// allow compares the present deadline (0: none) with the new one.
func (o expireOptions) allow(now, when int64) bool {
	switch {
	case o.nx && now != 0, o.xx && now == 0:
		return false
	case o.gt && (now == 0 || when <= now):
		return false
	case o.lt && now != 0 && when >= now:
		return false
	}
	return true
}

func parseExpireOptions(args [][]byte) (o expireOptions, msg string) {
	for _, arg := range args {
		switch {
		case equalFold(arg, "NX"):
			o.nx = true
		case equalFold(arg, "XX"):
			o.xx = true
		case equalFold(arg, "GT"):
			o.gt = true
		case equalFold(arg, "LT"):
			o.lt = true
		default:
			return o, errUnsupported(arg)
		}
	}
	switch {
	case o.nx && (o.xx || o.gt || o.lt):
		return o, errExpireNX
	case o.gt && o.lt:
		return o, errExpireGTLT
	}
	return o, ""
}

func ttl(s *shard, args [][]byte, w *writer) {
	left := s.left(args[1])
	if left > 0 {
		left = left/1000 + (left%1000+500)/1000
	}
	w.integer(left)
}

func pttl(s *shard, args [][]byte, w *writer) { w.integer(s.left(args[1])) }

// left returns the milliseconds until a key expires, -1 if it does not expire, -2 if it does not
// exist.
func (s *shard) left(key []byte) int64 {
	switch e := s.look(key); {
	case e == nil:
		return -2
	case e.expiry < 0:
		return -1
	default:
		return max(0, s.deadline(e)-s.now) // 0 in its last millisecond, as in Redis
	}
}

func persist(s *shard, args [][]byte, w *writer) {
	e := s.find(args[1])
	had := e != nil && e.expiry >= 0
	if had {
		s.setDeadline(e, 0)
		s.touch(e)
	}
	w.bit(had)
}
