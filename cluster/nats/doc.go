// Package nats has units on several machines, durable and volatile ones, over servers of NATS with
// JetStream. Each machine runs the same program, joins the same servers under the same name, and
// has a part of the units; when one ends, however it ends, the others take over what it had.
//
// [Servers] is for servers that run by themselves. Package embedded, below this one, runs a server
// in the process: a program that does not import it does not link the server.
//
// docs/cluster.md and docs/volatile.md of the repository say what is promised, and what is not.
package nats
