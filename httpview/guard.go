package httpview

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guarded passes on requests that come from this machine and name it by a name that can only mean
// this machine. The name keeps out pages from elsewhere whose own name was made to lead here (DNS
// rebinding): the browser sends that name.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !isLoopback(r.RemoteAddr):
			http.Error(w, "httpview: the handler answers its own machine only; httpview.Public() makes it answer all", http.StatusForbidden)
		case !isLoopback(r.Host):
			http.Error(w, "httpview: the handler answers to the names 127.0.0.1 and localhost only; httpview.Public() makes it answer to all", http.StatusForbidden)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// isLoopback reports whether the host of an address, with or without a port, always means this
// machine.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
