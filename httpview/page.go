package httpview

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed page
var files embed.FS

// pages serves the page's files. The policy forbids the browser to load anything from elsewhere.
func pages() http.Handler {
	root, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the name is valid
	}
	server := http.FileServerFS(root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-cache") // a newly built program has another page
		server.ServeHTTP(w, r)
	})
}
