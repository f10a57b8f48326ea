// Package stripe counts what enters from many threads, without a cache line that two of them write,
// and lets nothing enter any more after a word has changed.
//
// [Stripes] has a [Stripe] for each of Go's Ps. A goroutine that is pinned to its P has the stripe
// to itself (package pin). Without pinning, a goroutine claims a stripe by a compare-and-swap; if
// the stripe is taken, it does not retry but goes on to the next one. A stripe also keeps a value
// for its holder. The package knows neither messages nor the runtime.
package stripe
