// Package michaelscott has the linked queue of Michael and Scott with hazard pointers, and nodes
// that are used again, in two forms:
//
//	UnboundedMPMC  of values; the queue keeps the nodes. It is queue.UnboundedMPMC
//	IntrusiveMPMC  of items that keep their nodes: a study of figure 6 of paper 4 (docs/papers.md)
package michaelscott
