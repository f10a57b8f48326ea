// Package cas has contenders count up one word, all at once, until it has reached the size: how many compare-and-swap
// operations succeed in a second, and what becomes of that when the number of contenders grows, is the graph with which the
// lecture Lock Free Runtime System (ETH Zürich; after F. Negele's thesis of 2014) motivates back-off. The graph is ops_per_sec
// against contenders:
//
//	freerun bench cas --processors 1,2,4,8               as many contenders as processors
//	freerun bench cas --processors 2 --contenders 8      more contenders than processors
//
// One operation is one successful compare-and-swap. The further figures say what it took, and how fair the contest was: a
// contender that has the word's cache line has it for many operations in a row if the others pause.
//
//	variant   file      how
//	backoff   cas.go    load, compare-and-swap, and after a failure internal/sync/backoff's pause, which grows with each failure
//	plain     cas.go    load, compare-and-swap, and after a failure again at once
//	add       cas.go    fetch-and-add, which cannot fail: what the word can bear
//	mutex     cas.go    the word is a plain one, under a lock
//
// The checksum is the word at the end.
package cas
