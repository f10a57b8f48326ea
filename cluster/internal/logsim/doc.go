// Package logsim is a simulated [engine.Log], in virtual time: what machines share, and the way of
// each of them there, on which calls are lost, late, doubled or overtaken.
package logsim
