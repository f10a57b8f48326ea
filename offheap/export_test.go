package offheap

import "github.com/freerun-go/freerun/internal/sys/pin"

// PinsExclude says whether each processor has a cache of its own; otherwise there are 16 caches.
const PinsExclude = pin.Exclusive
