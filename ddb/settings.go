package ddb

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
)

// settings returns what CONFIG GET answers: the parameters of Redis that clients and tools ask for,
// with this server's values.
func (s *Server) settings() map[string]string {
	host := ""
	s.mu.Lock()
	if s.listener != nil {
		host, _, _ = net.SplitHostPort(s.listener.Addr().String())
	}
	s.mu.Unlock()
	return map[string]string{
		"appendonly":                 "no",
		"bind":                       host,
		"client-output-buffer-limit": fmt.Sprintf("normal %d 0 0 slave 0 0 0 pubsub 0 0 0", s.outputLimit.Load()),
		"client-query-buffer-limit":  strconv.Itoa(s.config.MaxRequest),
		"databases":                  "1",
		"dir":                        "",
		"io-threads":                 strconv.Itoa(s.config.Processors),
		"maxclients":                 strconv.Itoa(s.config.MaxClients),
		"maxmemory":                  strconv.FormatInt(s.budget.limit.Load(), 10),
		"maxmemory-clients":          strconv.FormatInt(s.clientLimit.Load(), 10),
		"maxmemory-policy":           string(s.budget.evicting()),
		"maxmemory-samples":          strconv.Itoa(int(s.budget.samples.Load())),
		"port":                       strconv.Itoa(s.port()),
		"proto-max-bulk-len":         strconv.Itoa(s.config.MaxBulk),
		"protected-mode":             yesNo(s.protected.Load()),
		"requirepass":                s.passwordText(),
		"save":                       "",
		"timeout":                    strconv.Itoa(int(s.config.IdleTimeout.Seconds())),
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func configGet(c *connection, args [][]byte, w *writer) {
	all := c.server.settings()
	// As in Redis, the key is the requested name unless that is a pattern.
	found := map[string]string{}
	for _, arg := range args[2:] {
		pattern := string(arg)
		for name, value := range all {
			switch {
			case !matches(pattern, name, true):
			case strings.ContainsAny(pattern, "*?["):
				found[name] = value
			default:
				found[pattern] = value
			}
		}
	}
	w.array(2 * len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		w.text(name)
		w.text(found[name])
	}
}

// fanOutResetStat is CONFIG RESETSTAT.
func fanOutResetStat(c *connection, args [][]byte, _ *writer) *fanOutReply {
	c.server.stats.reset()
	return &fanOutReply{parts: c.partsEverywhere(args, resetStatistics), join: joinOK}
}
