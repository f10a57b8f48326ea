//go:build !wasm

package copier

import (
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/child"
)

func TestMain(m *testing.M) { child.Main(m) }
