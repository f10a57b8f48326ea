package cooperate

import (
	"go/ast"
	"go/types"
)

// calls finds the functions of a package that a cycle of calls may pass. Only these need a poll at
// their heads: without cycles of calls, and with polls in loops, a function ends in time. They are
//
//   - the functions that make a dynamic call: of a function value, or of a method of an interface.
//     Any function may be behind it. Without types, every call of a method or a field is dynamic;
//   - the functions in a cycle of static calls. Where one function mentions another, it counts as
//     calling it, because whoever gets the value may call it. So does a function with a literal.
//
// A cycle of calls through several packages has a dynamic call, because imports have no cycles.
type calls struct {
	info      *types.Info // nil where types are not known
	functions map[types.Object]*ast.FuncDecl
	byName    map[string]*ast.FuncDecl   // the functions, where types are not known
	methods   map[string][]*ast.FuncDecl // likewise
	declared  map[string]ast.Node        // the variables and types of the package, likewise
	imported  map[string]bool            // the names of the imports of a file, likewise
	edges     map[ast.Node][]ast.Node
	heads     map[ast.Node]bool
}

// pollHeads returns the functions and literals of the package that need a poll at their heads.
func (p *Package) pollHeads() map[ast.Node]bool {
	c := &calls{
		functions: make(map[types.Object]*ast.FuncDecl),
		byName:    make(map[string]*ast.FuncDecl),
		methods:   make(map[string][]*ast.FuncDecl),
		declared:  make(map[string]ast.Node),
		edges:     make(map[ast.Node][]ast.Node),
		heads:     make(map[ast.Node]bool),
	}
	if p.Types != nil {
		c.info = p.Info
	}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			c.declare(d)
		}
	}
	for _, f := range p.Files {
		if c.info == nil {
			c.imported = p.imported(f)
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); !ok {
				c.walk(nil, d)
			} else if f.Body != nil {
				c.walk(f, f.Body)
			}
		}
	}
	c.cycles()
	return c.heads
}

// imported returns the names of the packages that a file imports.
func (p *Package) imported(f *ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, s := range f.Imports {
		if s.Name != nil {
			names[s.Name.Name] = true
		} else if name := p.Names[s.Path.Value[1:len(s.Path.Value)-1]]; name != "" {
			names[name] = true
		}
	}
	return names
}

// declare records what a declaration of the package declares.
func (c *calls) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		switch {
		case c.info != nil:
			c.functions[c.info.Defs[d.Name]] = d
		case d.Recv != nil:
			c.methods[d.Name.Name] = append(c.methods[d.Name.Name], d)
		default:
			c.byName[d.Name.Name] = d
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				c.declared[s.Name.Name] = s
			case *ast.ValueSpec:
				for _, id := range s.Names {
					c.declared[id.Name] = s
				}
			}
		}
	}
}

// walk records what the code of a function calls and mentions. The function is nil for the values
// of variables of the package.
func (c *calls) walk(f, code ast.Node) {
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			c.edge(f, n)
			c.walk(n, n.Body)
			return false
		case *ast.CallExpr:
			if f != nil && c.isDynamic(n.Fun) {
				c.heads[f] = true
			}
		case *ast.SelectorExpr:
			c.mention(f, n.Sel, true)
			c.walk(f, n.X)
			return false
		case *ast.Ident:
			c.mention(f, n, false)
		}
		return true
	})
}

func (c *calls) edge(from, to ast.Node) {
	if from != nil {
		c.edges[from] = append(c.edges[from], to)
	}
}

// mention records that a function mentions a name, alone or behind a point.
func (c *calls) mention(f ast.Node, id *ast.Ident, selected bool) {
	switch {
	case c.info != nil:
		if o, ok := c.info.Uses[id].(*types.Func); ok {
			if d := c.functions[o.Origin()]; d != nil {
				c.edge(f, d)
			}
		}
	case selected:
		for _, d := range c.methods[id.Name] {
			c.edge(f, d)
		}
	case id.Obj == nil || id.Obj.Kind == ast.Fun:
		if d := c.byName[id.Name]; d != nil {
			c.edge(f, d)
		}
	}
}

// isDynamic reports whether the call of fun may lead to any function.
func (c *calls) isDynamic(fun ast.Expr) bool {
	if c.info == nil {
		return c.mayBeDynamic(fun)
	}
	if tv := c.info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return false
	}
	switch fun := ast.Unparen(fun).(type) {
	case *ast.FuncLit:
		return false
	case *ast.Ident:
		return !c.isStatic(fun)
	case *ast.SelectorExpr:
		return !c.isStatic(fun.Sel)
	case *ast.IndexExpr: // with an argument for a type parameter, or an element
		return c.isDynamic(fun.X)
	case *ast.IndexListExpr:
		return c.isDynamic(fun.X)
	}
	return true
}

// isStatic reports whether a name is that of a function, or of a method of a type other than an
// interface.
func (c *calls) isStatic(id *ast.Ident) bool {
	f, ok := c.info.Uses[id].(*types.Func)
	if !ok {
		return false
	}
	recv := f.Signature().Recv()
	return recv == nil || !types.IsInterface(recv.Type())
}

// mayBeDynamic is isDynamic where types are not known.
func (c *calls) mayBeDynamic(fun ast.Expr) bool {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.FuncLit, *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType:
		return false
	case *ast.Ident:
		if fun.Obj != nil {
			return fun.Obj.Kind != ast.Fun && fun.Obj.Kind != ast.Typ
		}
		if d := c.declared[fun.Name]; d != nil {
			_, isType := d.(*ast.TypeSpec)
			return !isType
		}
		return c.byName[fun.Name] == nil && types.Universe.Lookup(fun.Name) == nil
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		return !ok || x.Obj != nil || !c.imported[x.Name]
	case *ast.StarExpr: // a conversion to a pointer, if it is one of a type
		return c.mayBeDynamic(fun.X)
	case *ast.IndexExpr: // of a generic function or type
		return c.mayBeDynamic(fun.X)
	case *ast.IndexListExpr:
		return c.mayBeDynamic(fun.X)
	}
	return true
}

// cycles finds the functions in cycles of calls, as the strongly connected components of the graph.
//
// Source: R. Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM J. Comput. 1, 1972.
func (c *calls) cycles() {
	var (
		number  = make(map[ast.Node]int) // in the order of the visits, from 1
		lowest  = make(map[ast.Node]int)
		onStack = make(map[ast.Node]bool)
		stack   []ast.Node
		visit   func(f ast.Node)
	)
	visit = func(f ast.Node) {
		number[f] = len(number) + 1
		lowest[f] = number[f]
		stack, onStack[f] = append(stack, f), true
		for _, g := range c.edges[f] {
			switch {
			case g == f:
				c.heads[f] = true
			case number[g] == 0:
				visit(g)
				lowest[f] = min(lowest[f], lowest[g])
			case onStack[g]:
				lowest[f] = min(lowest[f], number[g])
			}
		}
		if lowest[f] != number[f] {
			return
		}
		alone := stack[len(stack)-1] == f
		for {
			g := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			onStack[g] = false
			c.heads[g] = c.heads[g] || !alone
			if g == f {
				return
			}
		}
	}
	for f := range c.edges {
		if number[f] == 0 {
			visit(f)
		}
	}
}
