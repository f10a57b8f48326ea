//go:build explore

package queue

import (
	"context"

	"github.com/freerun-go/freerun/internal/park"
)

// sleep waits for the token of p, or until ctx ends, and returns its cause then.
func sleep(ctx context.Context, p *park.Parker) error { return p.ParkContext(ctx) }
