package ddb

import "github.com/freerun-go/freerun/offheap"

// typeOf is TYPE. Strings are the only type.
func typeOf(s *shard, args [][]byte, w *writer) {
	if s.find(args[1]) == nil {
		w.simple("none")
	} else {
		w.simple("string")
	}
}

// part is one shard's share of a command whose keys, or whose answer, belong to several shards.
type part struct {
	effect func(s *shard, args [][]byte, p *part)
	picks  []int // the arguments of the command that are keys of this shard
	scan   *scanQuery
	// MSET off the heap: for each of picks, the block for its key and value.
	blocks []offheap.Block
	group  *group // the group of the part's task
	bytes  int64  // bytes that its reply has copied
	refs   int64  // bytes that its reply refers to

	// The outcome. The connection joins those of all shards.
	done    bool
	refused bool // there was no memory for the command
	count   int64
	// MGET: one for each argument. The parts share it, and each writes at its own picks.
	values [][]byte
	keys   []string
	next   uint64
	stats  shardStats
}

func del(s *shard, args [][]byte, p *part) {
	prepared := 0
	for n, i := range p.picks {
		if n == prepared {
			prepared += s.preparePicks(args, p.picks[n:])
		}
		if e := s.find(args[i]); e != nil {
			s.remove(e)
			p.count++
		}
	}
}

func exists(s *shard, args [][]byte, p *part) {
	prepared := 0
	for n, i := range p.picks {
		if n == prepared {
			prepared += s.preparePicks(args, p.picks[n:])
		}
		if s.look(args[i]) != nil {
			p.count++
		}
	}
}

func mget(s *shard, args [][]byte, p *part) {
	prepared := 0
	for n, i := range p.picks {
		if n == prepared {
			prepared += s.preparePicks(args, p.picks[n:])
		}
		e := s.read(args[i])
		switch {
		case e == nil:
		case s.records.arena == nil && e.length > shareable:
			p.refer(int(e.length))
			p.values[i] = s.records.value(e)
		case !p.copy(int(e.length)):
			return
		default:
			p.values[i] = append(make([]byte, 0, e.length), s.records.value(e)...)
		}
	}
}

// mset cannot fail: allocBlocks has put its blocks into p.blocks.
func mset(s *shard, args [][]byte, p *part) {
	prepared := 0
	for n, i := range p.picks {
		if n == prepared {
			prepared += s.preparePicks(args, p.picks[n:])
		}
		var b offheap.Block
		if p.blocks != nil {
			b, p.blocks[n] = p.blocks[n], 0
		}
		s.setDeadline(s.put(s.find(args[i]), args[i], args[i+1], b), 0)
	}
	p.blocks = nil
}

// memoryUsage is MEMORY USAGE.
func memoryUsage(s *shard, args [][]byte, p *part) {
	p.count = -1
	if e := s.find(args[2]); e != nil {
		p.count = int64(e.cost)
	}
}

func flush(s *shard, _ [][]byte, _ *part) { s.flush() }

// size is DBSIZE. It removes keys that are due first, so that they are not counted.
func size(s *shard, _ [][]byte, p *part) {
	s.sweep(len(s.expiring))
	p.count = int64(len(s.entries))
}

// keyOverhead is the room of a key in a part's reply beside its bytes.
const keyOverhead = 16

func keys(s *shard, args [][]byte, p *part) {
	pattern := string(args[1])
	for _, id := range s.entries {
		e := s.records.at(id)
		if s.due(e) {
			continue
		}
		if key := s.records.key(e); pattern == "*" || matches(pattern, key, false) {
			if !p.copy(len(key) + keyOverhead) {
				return
			}
			p.keys = append(p.keys, s.records.keepKey(e))
		}
	}
}

func statistics(s *shard, _ [][]byte, p *part) {
	s.sweep(len(s.expiring))
	p.stats = s.stats
	p.stats.keys, p.stats.expires, p.stats.used = len(s.entries), len(s.expiring), s.used
}

func resetStatistics(s *shard, _ [][]byte, _ *part) { s.stats = shardStats{} }
