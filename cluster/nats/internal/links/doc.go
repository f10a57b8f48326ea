// Package links connects machines to each other: what one sends another then goes straight there,
// and not over the servers of NATS.
//
//	A                       the servers                     B
//	Send, no link yet  ──→  the message
//	                   ──→  asks: A's address and key  ──→  notes A's key
//	notes B's key      ←──  invites: B's address and key ←──
//	connects by TLS, with the keys of both  ───────────────→ takes the connection
//	Send               ────────────────────────────────────→ receives
//
// A link goes one way: B has one of its own to send A something. Keys are made when a machine
// begins, and are told over the servers: who may send there may connect, and nobody else. Where no
// connection can be made, or one breaks, all goes over the servers again.
package links
