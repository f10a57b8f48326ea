//go:build race

package freeruntest_test

const raceDetector = true
