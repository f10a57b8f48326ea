package ddb

import "strconv"

// scanQuery has SCAN's arguments.
type scanQuery struct {
	cursor  uint64
	pattern string
	all     bool // no pattern
	nothing bool // TYPE asks for something other than strings
	count   int
}

// A cursor is shard + shards*(position+1), or the shard alone for "from the end of that shard's
// entries". So 0 is the beginning of the first shard, and never the middle of anything.

func (q *scanQuery) shard(shards int) int { return int(q.cursor % uint64(shards)) }

func (q *scanQuery) position(shards int) uint64 { return q.cursor / uint64(shards) }

// nextCursor continues the scan of a shard at a position, or at position 0 with the next shard. It
// returns 0 at the end.
func nextCursor(shard, shards int, position uint64) uint64 {
	if position > 0 {
		return uint64(shard) + uint64(shards)*position
	}
	if shard+1 < shards {
		return uint64(shard + 1)
	}
	return 0
}

// scan visits at most query.count entries of the shard, downwards from a position (0: from the
// end), and sets p.next to the next position, 0 if there is none.
//
// It returns each key that is present during the whole iteration. The entries still to be visited
// are entries[:position]. An entry changes its place only in remove: the last entry moves to the
// place of the removed one. If the moved entry was still to be visited, so is its new, lower place;
// otherwise it may be returned once more.
func (s *shard) scan(p *part, position uint64) {
	end := len(s.entries)
	if position > 0 {
		end = int(min(position, uint64(end)))
	}
	begin := max(0, end-p.scan.count)
	for i := end - 1; i >= begin; i-- {
		e := s.records.at(s.entries[i])
		if p.scan.nothing || s.due(e) {
			continue
		}
		if key := s.records.key(e); p.scan.all || matches(p.scan.pattern, key, false) {
			if !p.copy(len(key) + keyOverhead) {
				return
			}
			p.keys = append(p.keys, s.records.keepKey(e))
		}
	}
	p.next = uint64(begin)
}

func parseScan(args [][]byte) (q *scanQuery, msg string) {
	cursor, err := strconv.ParseUint(string(args[1]), 10, 64)
	if err != nil {
		return nil, errInvalidCursor
	}
	q = &scanQuery{cursor: cursor, all: true, count: 10}
	for rest := args[2:]; len(rest) > 0; rest = rest[2:] {
		if len(rest) == 1 {
			return nil, errSyntax
		}
		switch {
		case equalFold(rest[0], "COUNT"):
			n, ok := parseInteger(rest[1])
			if !ok {
				return nil, errNotInteger
			}
			if n < 1 {
				return nil, errSyntax
			}
			q.count = int(min(n, 1<<31-1))
		case equalFold(rest[0], "MATCH"):
			q.pattern = string(rest[1])
			q.all = q.pattern == "*"
		case equalFold(rest[0], "TYPE"):
			q.nothing = !equalFold(rest[1], "STRING")
		default:
			return nil, errSyntax
		}
	}
	return q, ""
}
