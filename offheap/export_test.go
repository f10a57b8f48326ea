package offheap

import "github.com/freerun-go/freerun/internal/sys/pin"

// PinsExclude tells whether there is a cache for each processor; otherwise there are 16, whatever the number of processors.
const PinsExclude = pin.Exclusive
