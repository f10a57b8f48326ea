package ddb

// typeOf is TYPE: strings are the only type so far.
func typeOf(s *shard, args [][]byte, w *writer) {
	if s.find(args[1]) == nil {
		w.simple("none")
	} else {
		w.simple("string")
	}
}

// part is what one shard does for a command whose keys, or whose answer, belong to several shards.
type part struct {
	effect func(s *shard, args [][]byte, p *part)
	picks  []int // the arguments of the command that are keys of this shard
	scan   *scanQuery

	// The outcome; the connection joins those of all shards.
	done   bool
	count  int64
	values [][]byte // MGET: one per argument, shared by the parts, which write at their own picks only
	keys   []string
	next   uint64
	stats  shardStats
}

func del(s *shard, args [][]byte, p *part) {
	for _, i := range p.picks {
		if e := s.find(args[i]); e != nil {
			s.remove(e)
			p.count++
		}
	}
}

func exists(s *shard, args [][]byte, p *part) {
	for _, i := range p.picks {
		if s.read(args[i]) != nil {
			p.count++
		}
	}
}

func mget(s *shard, args [][]byte, p *part) {
	for _, i := range p.picks {
		e := s.read(args[i])
		switch {
		case e == nil:
		case len(e.value) > shareable:
			p.values[i] = e.value
		default:
			p.values[i] = append(make([]byte, 0, len(e.value)), e.value...)
		}
	}
}

func mset(s *shard, args [][]byte, p *part) {
	for _, i := range p.picks {
		s.setDeadline(s.put(s.find(args[i]), args[i], args[i+1]), 0)
	}
}

func flush(s *shard, _ [][]byte, _ *part) { s.flush() }

// size is DBSIZE: keys that are due are removed first, so that they are not counted.
func size(s *shard, _ [][]byte, p *part) {
	s.sweep(len(s.expiring))
	p.count = int64(len(s.table))
}

func keys(s *shard, args [][]byte, p *part) {
	pattern := string(args[1])
	for _, e := range s.entries {
		if !s.due(e) && (pattern == "*" || matches(pattern, e.key, false)) {
			p.keys = append(p.keys, e.key)
		}
	}
}

func statistics(s *shard, _ [][]byte, p *part) {
	s.sweep(len(s.expiring))
	p.stats = s.stats
	p.stats.keys, p.stats.expires = len(s.table), len(s.expiring)
}

func resetStatistics(s *shard, _ [][]byte, _ *part) { s.stats = shardStats{} }
