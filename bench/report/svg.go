package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// hint is a place in a drawing with its explanation, which shows when a pointer rests on the place.
type hint struct {
	at   vg.Point
	text string
}

// drawing is drawn on a canvas.
type drawing interface {
	size() (w, h vg.Length)
	draw(c draw.Canvas) []hint
}

// fonts are the fonts that the texts were measured with, and others of the same widths.
const fonts = "'Liberation Sans',Arimo,Arial,Helvetica,sans-serif"

// svg draws and returns the text of an SVG. If alone is true, the SVG has its own rules for
// colours; otherwise it uses those of its page.
func svg(d drawing, title string, alone bool) string {
	w, h := d.size()
	canvas := vgsvg.New(w, h)
	hints := d.draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		panic(err) // cannot occur: a write to a buffer succeeds
	}
	body := styles.ReplaceAllStringFunc(out.String(), restyle)
	body = body[strings.Index(body, "<g "):]
	body = strings.TrimSuffix(strings.TrimSpace(body), "</svg>")
	body = blanks.ReplaceAllString(body, "$1")
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.5g %.5g" role="img" aria-label="%s" font-family="%s"`,
		w.Points(), h.Points(), html.EscapeString(title), fonts)
	if alone {
		fmt.Fprintf(&b, ` width="%.5g" height="%.5g"><title>%s</title><style>svg{background:#fff}%s@media(prefers-color-scheme:dark){svg{background:#12171e}%s}</style>`,
			2*w.Points(), 2*h.Points(), html.EscapeString(title), sheet(0, ""), sheet(1, ""))
	} else {
		b.WriteString(">")
	}
	b.WriteString(body)
	for _, at := range hints {
		fmt.Fprintf(&b, `<circle class="hint" cx="%.4g" cy="%.4g" r="6" fill="transparent"><title>%s</title></circle>`,
			at.at.X.Points(), (h - at.at.Y).Points(), html.EscapeString(at.text))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

var (
	styles = regexp.MustCompile(`\s*style="([^"]*)"`)
	blanks = regexp.MustCompile(`\s*\n\s*(<)`)
)

// restyle returns the attributes of an element with a style. It adds a class for the role of the
// style's colour. The colour stays for viewers that do not support classes. It drops properties
// that are the same for all texts.
func restyle(style string) string {
	var classes, rest []string
	attributes := ""
	for property := range strings.SplitSeq(styles.FindStringSubmatch(style)[1], ";") {
		name, value, _ := strings.Cut(property, ":")
		switch {
		case name == "font-family", name == "font-variant", name == "font-style", property == "font-weight:normal":
		case name == "fill" && value != "none", name == "stroke" && value != "none":
			for r := range roles {
				if role(r).hex() == value {
					classes = append(classes, fmt.Sprintf("%s%d", name[:1], r))
				}
			}
			attributes += fmt.Sprintf(" %s=%q", name, value)
		default:
			rest = append(rest, property)
		}
	}
	if len(classes) > 0 {
		attributes += fmt.Sprintf(" class=%q", strings.Join(classes, " "))
	}
	if len(rest) > 0 {
		attributes += fmt.Sprintf(" style=%q", strings.Join(rest, ";"))
	}
	return attributes
}
