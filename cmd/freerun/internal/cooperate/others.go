package cooperate

import (
	"go/parser"
	"go/token"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// mayPoll decides whether there are polls: if the program has package activity, and package poll is
// there. An older freerun has none, nor may a vendor folder. What package poll imports, and package
// activity, cannot import package poll.
func (l *loader) mayPoll(roots []*packages.Package) error {
	var tops []*packages.Package
	hasPoll := false
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.PkgPath == ActivityPath || p.PkgPath == PollPath {
			tops = append(tops, p)
			hasPoll = hasPoll || p.PkgPath == PollPath
		}
	})
	if len(tops) == 0 {
		return nil
	}
	if !hasPoll {
		config := l.config(packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps)
		config.Tests = false
		found, err := packages.Load(config, PollPath)
		if err != nil {
			return listing(err)
		}
		if len(found) != 1 || len(found[0].Errors) > 0 || len(found[0].GoFiles) == 0 {
			return nil
		}
		tops = append(tops, found[0])
	}
	l.polls, l.below = true, make(map[string]bool)
	packages.Visit(tops, nil, func(p *packages.Package) { l.below[p.PkgPath] = true })
	return nil
}

// rewriteOthers inserts polls into packages of other modules. Their types are not known: to load
// them from source would take longer than to compile them. A package with errors stays as it is.
func (l *loader) rewriteOthers(store *store, cache *moduleCache, others []*packages.Package) {
	var (
		all   sync.WaitGroup
		mu    sync.Mutex // protects the result
		slots = make(chan struct{}, runtime.GOMAXPROCS(0))
		done  = make(map[string]bool)
	)
	for _, p := range others {
		// A package that is compiled once more for the tests of another has the same files.
		files := strings.Join(p.GoFiles, "\n")
		if len(p.GoFiles) == 0 || done[files] || !cache.accepts(p) {
			continue
		}
		done[files] = true
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			kept, texts := l.rewriteOther(store, cache, p)
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(l.result.Kept, kept)
			maps.Copy(l.result.Texts, texts)
		})
	}
	all.Wait()
	l.result.replace = cache.replace
}

// rewriteOther returns the rewritten files of a package of another module: their names if they are
// kept, or else their texts.
func (l *loader) rewriteOther(store *store, cache *moduleCache, p *packages.Package) (kept map[string]string, texts map[string][]byte) {
	u := Package{Fset: token.NewFileSet(), Polls: true, Names: make(map[string]string)}
	for path, imported := range p.Imports {
		u.Names[path] = imported.Name
	}
	key := newKey()
	for _, path := range slices.Sorted(maps.Keys(u.Names)) {
		key.add(path, u.Names[path])
	}
	paths, shown := slices.Clone(p.GoFiles), slices.Clone(p.GoFiles)
	for i, name := range p.GoFiles {
		source, err := l.read(name)
		if err != nil {
			return nil, nil
		}
		u.Sources = append(u.Sources, source)
		if path := cache.path(name); path != name {
			u.Named, paths[i] = true, path
			if cache.trimmed { // the go command shortens only the path that it knows
				shown[i] = path
			}
		}
		key.add(paths[i], shown[i])
		key.add("", string(source))
	}
	if kept, ok := store.get(key, paths); ok {
		return kept, nil
	}
	for i, name := range shown {
		file, err := parser.ParseFile(u.Fset, name, u.Sources[i], parser.ParseComments)
		if err != nil {
			return nil, nil
		}
		u.Files = append(u.Files, file)
	}
	texts = make(map[string][]byte)
	for i, text := range u.rewriteSyntax() {
		if text != nil {
			texts[paths[i]] = text
		}
	}
	if kept, ok := store.put(key, texts); ok {
		return kept, nil
	}
	return nil, texts
}
