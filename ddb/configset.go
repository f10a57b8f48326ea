package ddb

import (
	"fmt"
	"math"
	"strings"
)

// CONFIG SET. The parameters of memory, and of who may connect, can change while the server runs.
// Others may only be set to the value that they have.

// parameter is one that can change.
type parameter struct {
	// parse returns the function that sets the parameter, or the rest of an error's text.
	parse func(s *Server, value string) (apply func(), problem string)
}

var parameters = map[string]parameter{
	"maxmemory": {func(s *Server, value string) (func(), string) {
		n, err := ParseMemory(value)
		if err != nil {
			return nil, "argument must be a memory value"
		}
		if s.arena != nil {
			if size := s.arena.Usage().Size; n > size {
				return nil, fmt.Sprintf("argument must be at most %d, the bytes reserved off the heap when the server began", size)
			}
		}
		return func() { s.budget.limit.Store(n) }, ""
	}},
	"maxmemory-policy": {func(s *Server, value string) (func(), string) {
		policy, ok := parsePolicy(value)
		if !ok {
			return nil, "argument(s) must be one of the following: " + policyNames()
		}
		return func() { s.budget.setPolicy(policy) }, ""
	}},
	"maxmemory-samples": {func(s *Server, value string) (func(), string) {
		n, ok := parseInteger([]byte(value))
		switch {
		case !ok:
			return nil, "argument couldn't be parsed into an integer"
		case n < 1 || n > math.MaxInt32:
			return nil, "argument must be between 1 and 2147483647 inclusive"
		}
		return func() { s.budget.samples.Store(int32(n)) }, ""
	}},
	"maxmemory-clients": {func(s *Server, value string) (func(), string) {
		n, err := ParseMemory(value)
		if err != nil {
			return nil, "argument must be a memory value"
		}
		return func() { s.clientLimit.Store(n); s.limitClients() }, ""
	}},
	"client-output-buffer-limit": {parseOutputLimit},
	"requirepass": {func(s *Server, value string) (func(), string) {
		return func() { s.setPassword(value) }, ""
	}},
	"protected-mode": {func(s *Server, value string) (func(), string) {
		switch strings.ToLower(value) {
		case "yes", "no":
			return func() { s.protected.Store(strings.EqualFold(value, "yes")) }, ""
		}
		return nil, "argument must be 'yes' or 'no'"
	}},
}

// parseOutputLimit reads client-output-buffer-limit: for each class of clients a hard limit, a soft
// one and its seconds. This server has normal clients only and no soft limit: WriteTimeout ends
// clients that do not read.
func parseOutputLimit(s *Server, value string) (apply func(), problem string) {
	fields := strings.Fields(value)
	if len(fields) == 0 || len(fields)%4 != 0 {
		return nil, "Wrong number of arguments in buffer limit configuration."
	}
	var sets []func()
	for ; len(fields) > 0; fields = fields[4:] {
		hard, err := ParseMemory(fields[1])
		soft, softErr := ParseMemory(fields[2])
		seconds, ok := parseInteger([]byte(fields[3]))
		switch class := strings.ToLower(fields[0]); {
		case class != "normal" && class != "slave" && class != "replica" && class != "pubsub":
			return nil, "Invalid client class specified in buffer limit configuration."
		case err != nil || softErr != nil || !ok || seconds < 0:
			return nil, "Error in hard, soft or soft_seconds setting in buffer limit configuration."
		case class != "normal":
		case soft != 0:
			return nil, "this server has no soft limit"
		default:
			sets = append(sets, func() { s.outputLimit.Store(hard) })
		}
	}
	return func() {
		for _, set := range sets {
			set()
		}
	}, ""
}

// configSet sets all of the parameters or, if one of them is wrong, none. When it answers, each
// shard has evicted what a lower limit demands, or a portion of it; the sweeper evicts the rest.
func configSet(c *connection, args [][]byte, w *writer) {
	if len(args)%2 != 0 {
		w.fail(errArity("config|set"))
		return
	}
	var apply []func()
	seen := map[string]bool{}
	present := c.server.settings()
	for i := 2; i < len(args); i += 2 {
		asked, value := string(args[i]), string(args[i+1])
		name := strings.ToLower(asked)
		known, settable := present[name]
		p, changes := parameters[name]
		var set func()
		var problem string
		switch {
		case !settable:
			w.fail("ERR Unknown option or number of arguments for CONFIG SET - '" + string(clip(args[i], len(args[i]))) + "'")
			return
		case seen[name]:
			problem = "duplicate parameter"
		case changes:
			set, problem = p.parse(c.server, value)
		case value != known:
			problem = "can't set immutable config"
		}
		if problem != "" {
			w.fail("ERR CONFIG SET failed (possibly related to argument '" + asked + "') - " + problem)
			return
		}
		seen[name] = true
		if set != nil {
			apply = append(apply, set)
		}
	}
	for _, set := range apply {
		set()
	}
	if len(apply) > 0 {
		c.enforceLimit()
	}
	w.ok()
}
