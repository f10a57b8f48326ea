// Package ending ends the things that belong to a tree of scopes, such as timers, when a scope of
// the tree is canceled.
//
// A [Node] stands for a scope that has something to end. It enrolls in the node above, and watches
// its own context. A canceler then ends all nodes below before it returns; where the context ends
// by itself, the watch does the work. The package knows neither contexts nor the things that are
// ended: see [Owner].
package ending
