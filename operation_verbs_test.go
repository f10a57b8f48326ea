package freerun_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
)

// TestVerbsOfTheForms holds that the table of forms and verbs in doc.go is true.
func TestVerbsOfTheForms(t *testing.T) {
	forms := map[string]reflect.Type{
		"Operation":     reflect.TypeFor[*freerun.Operation[int, int, int]](),
		"FreeOperation": reflect.TypeFor[*freerun.FreeOperation[int, int]](),
		"ReadOperation": reflect.TypeFor[*freerun.ReadOperation[int, int, int]](),
		"Operation2":    reflect.TypeFor[*freerun.Operation2[int, int, int, int]](),
		"OperationAll":  reflect.TypeFor[*freerun.OperationAll[int, int, int]](),
	}
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var verbs []string
	seen := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(strings.TrimPrefix(line, "//"))
		if len(f) == 5 && f[0] == "Send" && f[1] == "Tell" {
			verbs = f
		}
		if len(f) != len(verbs)+1 || forms[f[0]] == nil {
			continue
		}
		seen++
		for i, verb := range verbs {
			if _, has := forms[f[0]].MethodByName(verb); has != (f[1+i] == "yes") {
				t.Errorf("the table says %q of %s and %s", f[1+i], f[0], verb)
			}
		}
	}
	if seen != len(forms) {
		t.Errorf("the table has %d of %d forms", seen, len(forms))
	}
	for name, form := range forms {
		if _, has := form.Elem().FieldByName("definition"); !has {
			t.Errorf("%s cannot be given to Define", name)
		}
	}
}
