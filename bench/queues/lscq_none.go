//go:build !(amd64 || arm64) || race

package queues

import "github.com/freerun-go/freerun/programs"

var lscqVariants []programs.Variant
