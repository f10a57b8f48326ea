package activity

import (
	"github.com/freerun-go/freerun/internal/sys/beat"
	"github.com/freerun-go/freerun/internal/sys/blockhook"
)

// keepsBeats has beats come, where there are polls.
func keepsBeats() {
	if blockhook.Compiled {
		beat.Keep()
	}
}
