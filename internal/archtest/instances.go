package archtest

import "go/types"

// Instances returns how many methods Go compiles for each instance of each generic type that the
// packages in some folders declare: the type's own ones, and those that it gets from what it
// embeds. Go compiles them in the package that uses the instance, whether anything calls them or
// not. So they are a cost of each operation, each kind and each future's type in a user's program.
func (t *Tree) Instances(folders ...string) (Ratchet, error) {
	l := newLoader(t)
	counts := Ratchet{}
	for _, folder := range folders {
		p, err := l.load(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range p.Scope().Names() {
			declared, isType := p.Scope().Lookup(name).(*types.TypeName)
			if !isType || declared.IsAlias() {
				continue
			}
			named := declared.Type().(*types.Named)
			if named.TypeParams().Len() == 0 || types.IsInterface(named) {
				continue
			}
			if n := types.NewMethodSet(types.NewPointer(named)).Len(); n > 0 {
				counts[p.Name()+"."+name] = n
			}
		}
	}
	return counts, nil
}
