package archtest

import (
	"go/types"
	"path"
	"slices"
	"strings"
)

// Public lists the folders of the packages that users import, in all modules.
var Public = []string{
	".", "activity", "activity/uncooperative", "queue", "deque", "lock", "offheap", "offheap/gc", "recording", "freeruntest", "simulate",
	"cluster", "cluster/clustertest", "cluster/nats", "cluster/nats/embedded", "ddb", "httpview", "otelfreerun",
}

// Apart lists the folders with packages that users may see but do not import: programs, and the
// packages that measure them. Each stands for the folders below it too.
var Apart = []string{"programs", "bench", "cmd", "cluster/cmd", "cluster/examples", "cluster/nats/cmd", "cluster/nats/examples", "docs", "examples"}

// An API is the exported part of packages.
type API struct {
	Leaks []Leak
	// Functions, Methods and Types count the exported ones. A method counts if an exported type
	// declares it or an exported interface has it, or if an exported type gets it from an
	// unexported type that it embeds. Fields, constants and variables do not count.
	Functions, Methods, Types int
}

// Count returns the number that may not grow: functions, methods and types.
func (a API) Count() int { return a.Functions + a.Methods + a.Types }

// A Leak is an exported name whose declaration mentions a type that users cannot name: an
// unexported type, or a type of a package below internal.
type Leak struct {
	Thing    string // package.Function, package.Type.Method and the like
	Type     string // package.type
	Position string // file:line
}

// API returns the exported parts of the packages in some folders: functions, methods, fields,
// types and embedded fields. It does not read files of other systems and machines than this one,
// nor files of special builds.
func (t *Tree) API(folders []string) (API, error) {
	r := apiReader{loader: newLoader(t)}
	for _, folder := range folders {
		p, err := r.load(folder)
		if err != nil {
			return API{}, err
		}
		r.name = p.Name()
		if folder != "." {
			r.name = folder
		}
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				r.object(o)
			}
		}
	}
	slices.SortStableFunc(r.api.Leaks, func(a, b Leak) int { return strings.Compare(a.Thing, b.Thing) })
	return r.api, nil
}

// Unlisted returns the folders of packages that are neither in Public nor in Apart, and the listed
// folders that do not exist.
func (t *Tree) Unlisted() (problems []string) {
	d := map[string]bool{}
	for _, f := range t.files {
		if !f.test && !f.assembly {
			d[f.folder] = true
		}
	}
	for _, folder := range Public {
		if !d[folder] {
			problems = append(problems, folder+": it is listed as public, and there is no such package")
		}
		delete(d, folder)
	}
	for folder := range d {
		apart := slices.ContainsFunc(Apart, func(a string) bool { return folder == a || strings.HasPrefix(folder, a+"/") })
		if !apart && !isInternal(folder) {
			problems = append(problems, folder+": list it in Public, with what users import, or below Apart")
		}
	}
	slices.Sort(problems)
	return problems
}

func isInternal(folder string) bool {
	return slices.Contains(strings.Split(folder, "/"), "internal")
}

type apiReader struct {
	*loader
	api  API
	name string // of the package being read
}

// object reads one declaration of a package.
func (r *apiReader) object(o types.Object) {
	switch o := o.(type) {
	case *types.Func:
		r.api.Functions++
		r.mentions(o.Name(), o, o.Type())
	case *types.TypeName:
		r.api.Types++
		r.declared(o)
	default: // a constant or a variable
		r.mentions(o.Name(), o, o.Type())
	}
}

// declared reads a type: its parts and its methods.
func (r *apiReader) declared(o *types.TypeName) {
	if alias, ok := o.Type().(*types.Alias); ok {
		r.mentions(o.Name(), o, alias.Rhs())
		return
	}
	named, ok := o.Type().(*types.Named)
	if !ok {
		return
	}
	for p := range named.TypeParams().TypeParams() {
		r.mentions(o.Name(), o, p.Constraint())
	}
	for method := range named.Methods() {
		if method.Exported() {
			r.api.Methods++
			r.mentions(o.Name()+"."+method.Name(), method, method.Type())
		}
	}
	switch under := named.Underlying().(type) {
	case *types.Struct:
		for field := range under.Fields() {
			switch {
			case field.Exported():
				r.mentions(o.Name()+"."+field.Name(), field, field.Type())
			case field.Embedded() && promotesFields(field.Type()):
				r.mentions(o.Name()+"."+field.Name(), field, field.Type())
			case field.Embedded() && o.Pkg() == declaredIn(field.Type()):
				r.promoted(o, field)
			case field.Embedded() && len(promotedMethods(field.Type())) > 0:
				r.mentions(o.Name()+"."+field.Name(), field, field.Type())
			}
		}
	case *types.Interface:
		for method := range under.ExplicitMethods() {
			if method.Exported() {
				r.api.Methods++
				r.mentions(o.Name()+"."+method.Name(), method, method.Type())
			}
		}
		for embedded := range under.EmbeddedTypes() {
			if !types.IsInterface(embedded) || len(promotedMethods(embedded)) > 0 {
				r.mentions(o.Name(), o, embedded)
			}
		}
	default:
		r.mentions(o.Name(), o, under)
	}
}

// promoted reads the methods that an embedded, unexported type of the package gives to o. Users see
// them as methods of o, so they count as such.
func (r *apiReader) promoted(o *types.TypeName, field *types.Var) {
	for _, method := range promotedMethods(field.Type()) {
		if method.Pkg() != o.Pkg() { // it comes from another package's type, embedded further below
			r.mentions(o.Name()+"."+field.Name(), field, field.Type())
			return
		}
		r.api.Methods++
		r.mentions(o.Name()+"."+method.Name(), field, method.Type())
	}
}

// promotedMethods returns the exported methods that an embedded type gives its outer type.
func promotedMethods(t types.Type) (all []types.Object) {
	inner := deref(t)
	methods := types.NewMethodSet(inner)
	if !types.IsInterface(inner) {
		methods = types.NewMethodSet(types.NewPointer(inner))
	}
	for method := range methods.Methods() {
		if method.Obj().Exported() {
			all = append(all, method.Obj())
		}
	}
	return all
}

// promotesFields reports whether an embedded type gives its outer type exported fields.
func promotesFields(t types.Type) bool {
	s, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for field := range s.Fields() {
		if field.Exported() || field.Embedded() && promotesFields(field.Type()) {
			return true
		}
	}
	return false
}

// declaredIn returns the package that declares a type, nil if the type has no name.
func declaredIn(t types.Type) *types.Package {
	if named, ok := types.Unalias(deref(t)).(*types.Named); ok {
		return named.Obj().Pkg()
	}
	return nil
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// mentions records the types in t that users cannot name.
func (r *apiReader) mentions(what string, o types.Object, t types.Type) {
	walk := typeWalk{module: r.modules["."], seen: map[types.Type]bool{}}
	walk.visit(t)
	for _, hidden := range walk.hidden {
		r.api.Leaks = append(r.api.Leaks, Leak{r.name + "." + what, hidden, r.position(o)})
	}
}

// A typeWalk visits the parts of a type down to named types.
type typeWalk struct {
	module string
	seen   map[types.Type]bool
	hidden []string
}

func (w *typeWalk) visit(t types.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		w.name(t.Obj())
		w.list(t.TypeArgs())
	case *types.Alias:
		w.name(t.Obj())
		w.list(t.TypeArgs())
	case *types.Pointer:
		w.visit(t.Elem())
	case *types.Slice:
		w.visit(t.Elem())
	case *types.Array:
		w.visit(t.Elem())
	case *types.Chan:
		w.visit(t.Elem())
	case *types.Map:
		w.visit(t.Key())
		w.visit(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			w.visit(v.Type())
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			w.visit(p.Constraint())
		}
		w.visit(t.Params())
		w.visit(t.Results())
	case *types.Struct:
		for field := range t.Fields() {
			w.visit(field.Type())
		}
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			w.visit(method.Type())
		}
		for embedded := range t.EmbeddedTypes() {
			w.visit(embedded)
		}
	case *types.Union:
		for term := range t.Terms() {
			w.visit(term.Type())
		}
	}
}

func (w *typeWalk) list(arguments *types.TypeList) {
	for t := range arguments.Types() {
		w.visit(t)
	}
}

// name records a type by its name if users cannot write that name.
func (w *typeWalk) name(o *types.TypeName) {
	if o.Pkg() == nil { // a predeclared type such as error
		return
	}
	in := o.Pkg().Path()
	ours := in == w.module || strings.HasPrefix(in, w.module+"/")
	if !ours || o.Exported() && !isInternal(in) {
		return
	}
	hidden := path.Base(in) + "." + o.Name()
	if !slices.Contains(w.hidden, hidden) {
		w.hidden = append(w.hidden, hidden)
	}
}
