//go:build !unix

package httpview

// cpuSeconds returns 0, which the page shows as unknown.
func cpuSeconds() float64 { return 0 }
