package freerun_test

import (
	"context"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
)

// bucket limits one API key: it has a token for each request, and gets one more every 100 ms.
type bucket struct {
	tokens int
	filled time.Time
}

var buckets = freerun.NewKind("bucket", func(c *freerun.Context, apiKey string) (bucket, error) {
	// It may be read from a store, too, or fail: there is no such key.
	return bucket{tokens: 2, filled: c.Runtime().Now()}, nil
}, freerun.PassivateAfter(time.Minute), freerun.MaxActive(1_000_000))

var take = freerun.Op("take", func(c *freerun.Context, b *bucket, n int) (bool, error) {
	now := c.Runtime().Now() // as time.Now, but virtual in tests
	for ; now.Sub(b.filled) >= 100*time.Millisecond; b.filled = b.filled.Add(100 * time.Millisecond) {
		b.tokens = min(b.tokens+1, 2)
	}
	if b.tokens < n {
		return false, nil
	}
	b.tokens -= n
	return true, nil
})

// A rate limiter for each API key: its bucket is made by the first request, and dropped when there
// was none for a minute.
func ExampleNewKind() {
	rt := freerun.New()
	defer rt.Close()
	for range 3 {
		fmt.Println(take.Call(context.Background(), buckets.At(rt.Context(), "ada"), 1))
	}
	fmt.Println(take.Call(context.Background(), buckets.At(rt.Context(), "bob"), 1))
	fmt.Println(buckets.Len(rt))
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
	// true <nil>
	// 2
}
