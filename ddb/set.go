package ddb

import "math"

// setOptions are the options after the value in SET.
type setOptions struct {
	nx, xx, get, keepttl bool
	unit                 setUnit
	expire               []byte // the argument of the unit
}

type setUnit uint8

const (
	noExpiry setUnit = iota
	seconds
	milliseconds
	unixSeconds
	unixMilliseconds
)

var setUnits = [...]struct {
	word string
	unit setUnit
}{{"EX", seconds}, {"PX", milliseconds}, {"EXAT", unixSeconds}, {"PXAT", unixMilliseconds}}

func set(s *shard, args [][]byte, w *writer) {
	if len(args) == 3 { // the usual form
		e := s.put(s.find(args[1]), args[1], args[2], 0)
		if e == nil {
			w.fail(errOOM)
			return
		}
		if e.expiry >= 0 {
			s.setDeadline(e, 0)
		}
		w.ok()
		return
	}
	options, ok := parseSetOptions(args[3:])
	if !ok {
		w.fail(errSyntax)
		return
	}
	deadline, msg := s.setDeadlineFrom(options)
	if msg != "" {
		w.fail(msg)
		return
	}
	s.setWith(options, deadline, args, w)
}

func (s *shard) setWith(options setOptions, deadline int64, args [][]byte, w *writer) {
	e, begun := s.find(args[1]), len(w.buf)
	if options.get {
		if e == nil {
			s.stats.misses++
			w.null()
		} else {
			s.stats.hits++
			s.reply(e, w)
		}
	}
	if (options.nx && e != nil) || (options.xx && e == nil) {
		if !options.get {
			w.null()
		}
		return
	}
	if e = s.put(e, args[1], args[2], 0); e == nil {
		w.instead(begun, errOOM)
		return
	}
	if !options.keepttl {
		s.setDeadline(e, deadline)
	}
	if !options.get {
		w.ok()
	}
}

func parseSetOptions(args [][]byte) (o setOptions, ok bool) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case equalFold(arg, "NX") && !o.xx:
			o.nx = true
		case equalFold(arg, "XX") && !o.nx:
			o.xx = true
		case equalFold(arg, "GET"):
			o.get = true
		case equalFold(arg, "KEEPTTL") && o.unit == noExpiry:
			o.keepttl = true
		default:
			unit := parseSetUnit(arg)
			if unit == noExpiry || o.keepttl || (o.unit != noExpiry && o.unit != unit) || i+1 == len(args) {
				return o, false
			}
			i++
			o.unit, o.expire = unit, args[i]
		}
	}
	return o, true
}

func parseSetUnit(arg []byte) setUnit {
	for _, u := range setUnits {
		if equalFold(arg, u.word) {
			return u.unit
		}
	}
	return noExpiry
}

// setDeadlineFrom returns the options' deadline in Unix milliseconds, 0 for none, or an error text.
func (s *shard) setDeadlineFrom(o setOptions) (deadline int64, msg string) {
	if o.unit == noExpiry {
		return 0, ""
	}
	n, ok := parseInteger(o.expire)
	if !ok {
		return 0, errNotInteger
	}
	invalid := errExpireTime("set")
	if n <= 0 {
		return 0, invalid
	}
	if o.unit == seconds || o.unit == unixSeconds {
		if n > math.MaxInt64/1000 {
			return 0, invalid
		}
		n *= 1000
	}
	if o.unit == seconds || o.unit == milliseconds {
		if n > math.MaxInt64-s.now {
			return 0, invalid
		}
		n += s.now
	}
	return n, ""
}
