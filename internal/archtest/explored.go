package archtest

import (
	"go/ast"
	"slices"
	"strings"
)

// Explorations returns the folders, sorted, that have tests of the explorer: functions whose name
// begins with TestExplore, in test files of the build tag explore.
func (t *Tree) Explorations() (folders []string) {
	for _, f := range t.files {
		if f.syntax == nil || !f.test || f.constraint == nil || !slices.Contains(tagsOf(f.constraint), "explore") {
			continue
		}
		explores := slices.ContainsFunc(f.syntax.Decls, func(d ast.Decl) bool {
			test, ok := d.(*ast.FuncDecl)
			return ok && strings.HasPrefix(test.Name.Name, "TestExplore")
		})
		if explores {
			folders = append(folders, f.folder)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}
