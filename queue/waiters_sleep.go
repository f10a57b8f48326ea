//go:build !explore

package queue

import (
	"context"

	"github.com/freerun-go/freerun/internal/park"
)

// sleep waits for the token of p, or until ctx ends, and returns its cause then. To wait for one channel is cheaper than for two.
func sleep(ctx context.Context, p *park.Parker) error {
	if ctx.Done() == nil {
		p.Park()
		return nil
	}
	return p.ParkContext(ctx)
}
