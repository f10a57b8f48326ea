// Package michaelscott has the linked queue of Michael and Scott with hazard pointers and nodes that
// are used again, in two forms. It is the study of paper 4 (docs/papers.md), and what package queue
// is made of.
//
//	UnboundedMPMC  of values; the queue keeps the nodes. It is queue.UnboundedMPMC
//	IntrusiveMPMC  of items that keep their nodes, as in the paper's figure 6
package michaelscott
