//go:build !unix && !windows

package memory

import "github.com/freerun-go/freerun/programs"

var rivals []programs.Variant
