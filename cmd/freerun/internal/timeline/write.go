package timeline

import (
	"bufio"
	"compress/flate"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"strings"

	"github.com/freerun-go/freerun/recording"
)

//go:embed page
var files embed.FS

// scripts are the files of the page's program. They become one module, in this order, so none
// imports another.
var scripts = []string{"unpack.js", "format.js", "theme.js", "model.js", "depth.js", "view.js", "lanes.js", "slices.js", "ribbon.js", "arrows.js", "axis.js", "details.js", "search.js", "input.js", "main.js"}

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{"duration": Duration, "count": count, "ratio": ratio}).ParseFS(files, "page/page.html"))

// Write writes the page that shows the recording t and its analysis a. Any goroutine may call it,
// because it only reads t and a. It waits for w. Its only errors are those of w.
func Write(w io.Writer, t *recording.Trace, a *recording.Analysis) error {
	out := bufio.NewWriterSize(w, 1<<16)
	packed, shape := pack(t, a)
	meta, err := json.Marshal(describe(t, shape))
	if err != nil {
		return err
	}
	if err := page.Execute(out, content{Header: header(t, a), Style: template.CSS(read("style.css")), Script: script(), Meta: template.JS(meta)}); err != nil {
		return err
	}
	if err := writeData(out, packed); err != nil {
		return err
	}
	return out.Flush()
}

// content is the data of the template page.html.
type content struct {
	Header
	Style  template.CSS
	Script template.JS
	Meta   template.JS
}

// writeData ends the page with the packed recording. It encodes it on the way, so that the encoded
// text is not in memory too.
func writeData(out io.Writer, packed []byte) error {
	if _, err := io.WriteString(out, `<script id="data" type="text/plain">`); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, out)
	deflated, err := flate.NewWriter(text, flate.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := deflated.Write(packed); err != nil {
		return err
	}
	if err := deflated.Close(); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err = io.WriteString(out, "</script>\n</body>\n</html>\n")
	return err
}

// script puts the page's program together.
func script() template.JS {
	var all strings.Builder
	for _, name := range scripts {
		all.WriteString("\n// " + name + "\n")
		all.WriteString(read(name))
	}
	return template.JS(all.String())
}

// read returns a file of the page. The file exists, because it is compiled in.
func read(name string) string {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		panic("timeline: " + err.Error())
	}
	return string(text)
}
