package ddb

import "strings"

// Commands about the connection itself, except CLIENT.

func ping(_ *connection, args [][]byte, w *writer) {
	switch len(args) {
	case 1:
		w.simple("PONG")
	case 2:
		w.bulk(args[1])
	default:
		w.fail(errArity("ping"))
	}
}

func echo(_ *connection, args [][]byte, w *writer) { w.bulk(args[1]) }

func selectDB(_ *connection, args [][]byte, w *writer) {
	switch n, ok := parseInteger(args[1]); {
	case !ok:
		w.fail(errNotInteger)
	case int64(int32(n)) != n:
		w.fail(errNotInt32)
	case n != 0:
		w.fail(errDBIndex)
	default:
		w.ok()
	}
}

func quit(c *connection, _ [][]byte, w *writer) {
	c.quit = true
	w.ok()
}

func reset(c *connection, _ [][]byte, w *writer) {
	c.discard()
	c.setClientName("")
	c.authenticated = c.server.password.Load() == nil
	w.simple("RESET")
}

// hello negotiates the protocol: RESP2 only.
func hello(c *connection, args [][]byte, w *writer) {
	if len(args) > 1 {
		switch version, ok := parseInteger(args[1]); {
		case !ok:
			w.fail(errProtoNotInteger)
			return
		case version != 2:
			w.fail(errNoProto)
			return
		}
	}
	name, renamed := "", false
	for i := 2; i < len(args); i++ {
		switch left := len(args) - 1 - i; {
		case equalFold(args[i], "AUTH") && left >= 2:
			if !c.authenticate(args[i+1], args[i+2]) {
				w.fail(errWrongPass)
				return
			}
			i += 2
		case equalFold(args[i], "SETNAME") && left >= 1:
			name, renamed = string(args[i+1]), true
			if !validName(name) {
				w.fail(errClientName)
				return
			}
			i++
		default:
			w.fail("ERR Syntax error in HELLO option '" + string(clip(args[i], len(args[i]))) + "'")
			return
		}
	}
	if c.needsAuth() {
		w.fail(errNoAuthHello)
		return
	}
	if renamed {
		c.setClientName(name)
	}
	w.array(14)
	w.text("server")
	w.text("redis")
	w.text("version")
	w.text(redisVersion)
	w.text("proto")
	w.integer(2)
	w.text("id")
	w.integer(int64(c.id))
	w.text("mode")
	w.text("standalone")
	w.text("role")
	w.text("master")
	w.text("modules")
	w.array(0)
}

// validName accepts printable ASCII without spaces, so that CLIENT LIST can be parsed.
func validName(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r < '!' || r > '~' }) < 0
}
