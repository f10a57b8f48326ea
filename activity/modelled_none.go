//go:build !explore

package activity

// modelled says that activities are threads of the explorer: see modelled.go.
const modelled = false

func modelCurrent() *Activity { return nil }
func modelTrade(*stack)       {}
func modelReady(*stack)       {}
func modelGoexit()            {}
