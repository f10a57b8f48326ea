package ddb

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"strings"
)

// Authentication. As in Redis there is one user, default, and perhaps a password. Without a
// password, protected mode lets only clients in that connect from a loopback address.

// setPassword sets the password for clients that connect from now on; "" for none.
func (s *Server) setPassword(password string) {
	if password == "" {
		s.password.Store(nil)
	} else {
		s.password.Store(&password)
	}
}

// passwordText returns the password, "" for none.
func (s *Server) passwordText() string {
	if password := s.password.Load(); password != nil {
		return *password
	}
	return ""
}

// isProtectedFrom reports whether protected mode turns a client away because it does not connect
// from a loopback address.
func (s *Server) isProtectedFrom(conn net.Conn) bool {
	if !s.protected.Load() || s.password.Load() != nil {
		return false
	}
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	return ok && !tcp.IP.IsLoopback()
}

// needsAuth reports whether the client has yet to give the password.
func (c *connection) needsAuth() bool { return !c.authenticated && c.server.password.Load() != nil }

// authenticate checks user and password. Its time does not depend on where they differ.
func (c *connection) authenticate(user, password []byte) bool {
	wanted := c.server.password.Load()
	known := wanted == nil // without a password, any will do
	if wanted != nil {
		want, got := sha256.Sum256([]byte(*wanted)), sha256.Sum256(password)
		known = subtle.ConstantTimeCompare(want[:], got[:]) == 1
	}
	if !known || string(user) != "default" {
		return false
	}
	c.authenticated = true
	return true
}

func auth(c *connection, args [][]byte, w *writer) {
	user, password := []byte("default"), args[len(args)-1]
	switch {
	case len(args) > 3:
		w.fail(errSyntax)
		return
	case len(args) == 3:
		user = args[1]
	case c.server.password.Load() == nil:
		w.fail(errNoPassword)
		return
	}
	if !c.authenticate(user, password) {
		w.fail(errWrongPass)
		return
	}
	w.ok()
}

// The limits of requests before the password was given. As in Redis, they bound the client's
// memory.
const (
	maxUnauthArguments = 10
	maxUnauthBulk      = 16 << 10
)

// errProtected is protected mode's answer to clients from elsewhere, word for word as in Redis.
var errProtected = strings.Join([]string{
	"DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user.",
	"In this mode connections are only accepted from the loopback interface.",
	"If you want to connect from external computers to Redis you may adopt one of the following solutions:",
	"1) Just disable protected mode sending the command 'CONFIG SET protected-mode no' from the loopback interface by connecting to Redis from the same host the server is running, however MAKE SURE Redis is not publicly accessible from internet if you do so. Use CONFIG REWRITE to make this change permanent.",
	"2) Alternatively you can just disable the protected mode by editing the Redis configuration file, and setting the protected mode option to 'no', and then restarting the server.",
	"3) If you started the server manually just for testing, restart it with the '--protected-mode no' option.",
	"4) Setup a an authentication password for the default user.",
	"NOTE: You only need to do one of the above things in order for the server to start accepting connections from the outside.",
}, " ")
