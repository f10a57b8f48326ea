// Package cas has contenders count up one word, all at once, until it reaches the size. How many
// compare-and-swap operations succeed in a second, and how that changes with the number of
// contenders, is the graph by which the lecture Lock Free Runtime System (ETH Zürich; after F.
// Negele's thesis of 2014) motivates back-off. The graph is ops_per_sec against contenders:
//
//	freerun bench cas --processors 1,2,4,8               as many contenders as processors
//	freerun bench cas --processors 2 --contenders 8      more contenders than processors
//
// One operation is one successful compare-and-swap. Further figures tell how many failed, and how
// fair the contest was: a contender that has the word's cache line keeps it for many operations in
// a row if the others pause.
//
//	variant   file      how
//	backoff   cas.go    after a failed compare-and-swap, the pause of internal/sync/backoff
//	plain     cas.go    after a failed compare-and-swap, again at once
//	add       cas.go    fetch-and-add, which cannot fail: the limit of the word
//	mutex     cas.go    a plain word under a lock
//
// The checksum is the word at the end.
package cas
