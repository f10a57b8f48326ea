package archtest

import (
	"go/build/constraint"
	"slices"
	"strings"
)

const (
	// portableTag is the build tag by which a user asks for the portable build.
	portableTag = "freerun_portable"
	// tooNew is the build tag of the first Go that freerun was not tested with. That Go gets the
	// portable build by itself. docs/portability.md says what to do when it is out.
	tooNew = "go1.27"
)

// constraintOf returns the build constraint of a file's text, or nil if it has none.
func constraintOf(text []byte) (constraint.Expr, error) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if constraint.IsGoBuild(line) {
			return constraint.Parse(line)
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			break
		}
	}
	return nil, nil
}

// portability checks that the tag of the portable build and the tag of a Go that is too new select
// the same files, and that these have neither assembly nor go:linkname.
func (c *checker) portability() {
	for _, f := range c.files {
		machinery := f.assembly || f.linkname
		if f.constraint == nil {
			if machinery {
				c.report("%s: assembly and go:linkname need a build constraint that leaves them out with %s", f.path, portableTag)
			}
			continue
		}
		asked, newer, never := true, true, true
		others := tagsOf(f.constraint)
		for set := range 1 << len(others) {
			holds := func(portable, new bool) bool {
				return f.constraint.Eval(func(tag string) bool {
					switch tag {
					case portableTag:
						return portable
					case tooNew:
						return new
					default:
						return set>>slices.Index(others, tag)&1 == 1
					}
				})
			}
			both := holds(true, true)
			asked = asked && holds(true, false) == both
			newer = newer && holds(false, true) == both
			never = never && !both
		}
		switch {
		case !asked || !newer:
			c.report("%s: its build constraint must say the same of %s and %s: %s", f.path, portableTag, tooNew, f.constraint)
		case machinery && !never:
			c.report("%s: assembly and go:linkname need a build constraint that leaves them out with %s", f.path, portableTag)
		}
	}
}

// tagsOf returns the tags of an expression except for the two tags of portability.
func tagsOf(x constraint.Expr) []string {
	var tags []string
	x.Eval(func(tag string) bool { // Eval asks for every tag, whatever the answers are
		if tag != portableTag && tag != tooNew && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
		return false
	})
	return tags
}
