package engine

// provided and providedShared are functions func(func() (Engine, error)) S, and of Shared. Provide
// alone writes them, during initialization.
var provided, providedShared any

// Provide sets the functions behind Store and SharedStore. Package cluster calls it once, when it
// is initialized.
func Provide[S any](store func(open func() (Engine, error)) S, shared func(open func() (Shared, error)) S) {
	provided, providedShared = store, shared
}

// Store returns the store whose engine open returns, for packages that bring engines of their own.
// S is cluster.Store: this package lies below package cluster and cannot name it.
func Store[S any](open func() (Engine, error)) S {
	return provided.(func(func() (Engine, error)) S)(open)
}

// SharedStore is Store for an engine that several processes share.
func SharedStore[S any](open func() (Shared, error)) S {
	return providedShared.(func(func() (Shared, error)) S)(open)
}
