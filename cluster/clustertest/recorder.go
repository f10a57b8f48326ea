package clustertest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// recorder is the testing.TB of one run: it keeps what it is told.
type recorder struct {
	testing.TB      // of the test, for all else
	failed, skipped bool
	said            []string
	cleanups        []func()
}

func (r *recorder) say(text string) {
	place := ""
	if _, file, line, ok := runtime.Caller(2); ok {
		place = fmt.Sprintf("%s:%d: ", filepath.Base(file), line)
	}
	r.said = append(r.said, place+text)
}

// Helper implements [testing.TB].
func (r *recorder) Helper() {}

// Log implements [testing.TB].
func (r *recorder) Log(args ...any) { r.say(line(args)) }

// Logf implements [testing.TB].
func (r *recorder) Logf(format string, args ...any) { r.say(fmt.Sprintf(format, args...)) }

// Error implements [testing.TB].
func (r *recorder) Error(args ...any) {
	r.say(line(args))
	r.Fail()
}

// Errorf implements [testing.TB].
func (r *recorder) Errorf(format string, args ...any) {
	r.say(fmt.Sprintf(format, args...))
	r.Fail()
}

// Fatal implements [testing.TB].
func (r *recorder) Fatal(args ...any) {
	r.say(line(args))
	r.FailNow()
}

// Fatalf implements [testing.TB].
func (r *recorder) Fatalf(format string, args ...any) {
	r.say(fmt.Sprintf(format, args...))
	r.FailNow()
}

// Fail implements [testing.TB].
func (r *recorder) Fail() { r.failed = true }

// FailNow implements [testing.TB].
func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// Failed implements [testing.TB].
func (r *recorder) Failed() bool { return r.failed }

// Skip implements [testing.TB].
func (r *recorder) Skip(args ...any) {
	r.say(line(args))
	r.SkipNow()
}

// Skipf implements [testing.TB].
func (r *recorder) Skipf(format string, args ...any) {
	r.say(fmt.Sprintf(format, args...))
	r.SkipNow()
}

// SkipNow implements [testing.TB].
func (r *recorder) SkipNow() {
	r.skipped = true
	runtime.Goexit()
}

// Skipped implements [testing.TB].
func (r *recorder) Skipped() bool { return r.skipped }

// Cleanup implements [testing.TB].
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// clean calls the functions of Cleanup, the last one first.
func (r *recorder) clean() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
	r.cleanups = nil
}

func line(args []any) string {
	text := fmt.Sprintln(args...)
	return text[:len(text)-1]
}
