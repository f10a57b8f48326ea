//go:build race

package runtimetest

func init() { raceDetector = true }
