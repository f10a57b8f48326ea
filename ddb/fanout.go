package ddb

import (
	"strconv"

	"github.com/tidwall/redcon"
)

// Commands that fan out: they have a part in each of several shards, and their replies are joined.
// Each shard does its part at a moment of its own, unless the command is atomic: without that,
// another connection may see one shard's part done and another's not.

func fanOutDel(c *connection, args [][]byte, _ *writer) *fanOutReply {
	return &fanOutReply{parts: c.partsByKey(args, 1, del, nil), join: joinCount}
}

func fanOutExists(c *connection, args [][]byte, _ *writer) *fanOutReply {
	return &fanOutReply{parts: c.partsByKey(args, 1, exists, nil), join: joinCount}
}

func fanOutMget(c *connection, args [][]byte, _ *writer) *fanOutReply {
	values := make([][]byte, len(args))
	return &fanOutReply{parts: c.partsByKey(args, 1, mget, values), values: values[1:], join: joinValues}
}

func fanOutMset(c *connection, args [][]byte, w *writer) *fanOutReply {
	if len(args)%2 == 0 {
		w.fail(errArity("mset"))
		return nil
	}
	return &fanOutReply{parts: c.partsByKey(args, 2, mset, nil), join: joinMset}
}

// fanOutMemoryUsage is MEMORY USAGE, whose key is the third argument.
func fanOutMemoryUsage(c *connection, args [][]byte, w *writer) *fanOutReply {
	for rest := args[3:]; len(rest) > 0; rest = rest[2:] {
		if !equalFold(rest[0], "SAMPLES") || len(rest) == 1 {
			w.fail(errSyntax)
			return nil
		}
		if n, ok := parseInteger(rest[1]); !ok {
			w.fail(errNotInteger)
			return nil
		} else if n < 0 {
			w.fail(errSyntax)
			return nil
		}
	}
	p := &part{effect: memoryUsage}
	c.addPart(c.server.shardOf(args[2]), p, args)
	return &fanOutReply{parts: []*part{p}, join: func(c *connection, g *fanOutReply) {
		if p.count < 0 {
			c.out.bytes(redcon.AppendNull(nil))
		} else {
			joinCount(c, g)
		}
	}}
}

func fanOutKeys(c *connection, args [][]byte, _ *writer) *fanOutReply {
	return &fanOutReply{parts: c.partsEverywhere(args, keys), join: joinKeys}
}

func fanOutDBSize(c *connection, args [][]byte, _ *writer) *fanOutReply {
	return &fanOutReply{parts: c.partsEverywhere(args, size), join: joinCount}
}

func fanOutFlush(c *connection, args [][]byte, w *writer) *fanOutReply {
	if len(args) > 2 || (len(args) == 2 && !equalFold(args[1], "ASYNC") && !equalFold(args[1], "SYNC")) {
		w.fail(errSyntax)
		return nil
	}
	return &fanOutReply{parts: c.partsEverywhere(args, flush), join: joinOK}
}

func fanOutScan(c *connection, args [][]byte, w *writer) *fanOutReply {
	query, msg := parseScan(args)
	if msg != "" {
		w.fail(msg)
		return nil
	}
	shards := len(c.server.units)
	home := query.shard(shards)
	p := &part{scan: query, effect: func(s *shard, _ [][]byte, p *part) { s.scan(p, query.position(shards)) }}
	c.addPart(home, p, args)
	return &fanOutReply{parts: []*part{p}, join: func(c *connection, g *fanOutReply) {
		c.out.bytes(redcon.AppendArray(nil, 2))
		c.out.bytes(redcon.AppendBulkString(nil, strconv.FormatUint(nextCursor(home, shards, p.next), 10)))
		joinKeys(c, g)
	}}
}

func joinOK(c *connection, _ *fanOutReply) { c.out.bytes([]byte("+OK\r\n")) }

func joinMset(c *connection, g *fanOutReply) {
	for _, p := range g.parts {
		if p.refused {
			c.out.bytes([]byte("-" + errOOM + "\r\n"))
			return
		}
	}
	joinOK(c, g)
}

func joinCount(c *connection, g *fanOutReply) {
	var n int64
	for _, p := range g.parts {
		n += p.count
	}
	c.out.bytes(redcon.AppendInt(nil, n))
}

func joinValues(c *connection, g *fanOutReply) {
	var line [32]byte
	c.out.bytes(redcon.AppendArray(line[:0], len(g.values)))
	for _, v := range g.values {
		if v == nil {
			c.out.bytes(redcon.AppendNull(line[:0]))
			continue
		}
		c.out.bytes(appendBulkHeader(line[:0], len(v)))
		c.out.long(v, lineEnd, false)
	}
}

func joinKeys(c *connection, g *fanOutReply) {
	var line [32]byte
	n := 0
	for _, p := range g.parts {
		n += len(p.keys)
	}
	c.out.bytes(redcon.AppendArray(line[:0], n))
	for _, p := range g.parts {
		for _, key := range p.keys {
			c.out.bytes(appendBulkHeader(line[:0], len(key)))
			c.out.text(key)
			c.out.bytes([]byte("\r\n"))
		}
	}
}
