package engine

// provided is a func(func() (Engine, error)) S. Provide alone writes it, during initialization.
var provided any

// Provide sets the function behind Store. Package cluster calls it once, when it is initialized.
func Provide[S any](store func(open func() (Engine, error)) S) { provided = store }

// Store returns the store whose engine open returns, for packages that bring engines of their own.
// S is cluster.Store: this package lies below package cluster and cannot name it.
func Store[S any](open func() (Engine, error)) S {
	return provided.(func(func() (Engine, error)) S)(open)
}
