package engine

import "context"

// provided and providedShared are functions func(func() (Engine, error)) S, and of Shared with a
// context. Provide alone writes them, during initialization.
var provided, providedShared any

// Provide sets the functions behind Store and SharedStore. Package cluster calls it once, when it
// is initialized.
func Provide[S any](store func(open func() (Engine, error)) S, shared func(open func(context.Context) (Shared, error)) S) {
	provided, providedShared = store, shared
}

// Store returns the store whose engine open returns, for packages that bring engines of their own.
// S is cluster.Store: this package lies below package cluster and cannot name it.
func Store[S any](open func() (Engine, error)) S {
	return provided.(func(func() (Engine, error)) S)(open)
}

// SharedStore is Store for an engine that several processes share. The context of open ends when
// the runtime drains that joins.
func SharedStore[S any](open func(context.Context) (Shared, error)) S {
	return providedShared.(func(func(context.Context) (Shared, error)) S)(open)
}
