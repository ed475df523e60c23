// Package htmlreport writes the report: one HTML file that holds all it shows and asks nobody for
// anything. It computes nothing: documents are embedded as they are, and pictures are drawn
// of what internal/timeline spread over time.
package htmlreport

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
)

//go:embed assets/*.js assets/*.css assets/vendor
var assets embed.FS

// scripts are the parts of the page's code, in the order in which they are run.
var scripts = []string{
	"vendor/uPlot.iife.min.js", "base.js", "overview.js", "connections.js", "charts.js", "ladder.js", "pair.js", "numbers.js", "findings.js", "capture.js", "main.js",
}

var styles = []string{"vendor/uPlot.min.css", "report.css"}

// A Report is what a page shows.
type Report struct {
	Title    string
	Made     string    // how it was made: program, version and command line
	Analysis []byte    // the document of 'analyze --format json'
	Explain  []byte    // that of 'explain --format json'
	Pictures []Picture // of connections
	Overview *Lanes    // where time is divided for Lanes
	Lanes    []*Lane   // of all connections that are listed
	LeftOut  int       // connections without pictures
	Unlisted int       // connections that are not in the documents, there being too many
	Ladders  [][]byte  // documents of 'ladder --format json', each with its connection
	Redacted bool      // addresses and texts of packets were replaced
	Chosen   bool      // connections were chosen: there may be others
	Hint     string    // why there may be no connections
	Compare  []byte    // the document of 'compare --format json', of two captures of one session
	Pair     []byte    // what the page says of both: words, and pictures of moments; nil of one capture

	LongLadders []int // connections whose frames are too many for the page, of those that would have a ladder
}

// shownTitle is the title as a line of text.
func (r *Report) shownTitle() string { return string(render.AppendEscaped(nil, r.Title)) }

// Write writes the page and gives its size in bytes.
func Write(w io.Writer, r *Report) (size int64, err error) {
	code, hashes, err := inline("script", scripts)
	if err != nil {
		return 0, err
	}
	css, looks, err := inline("style", styles)
	if err != nil {
		return 0, err
	}
	p := &printer{w: w}
	p.print(head(r, strings.Join(hashes, " "), strings.Join(looks, " ")))
	p.print(strings.Join(css, ""))
	p.print("</head>\n<body>\n")
	p.print(frame)
	p.data("explain", r.Explain)
	p.data("pictures", appendPictures(nil, r))
	p.data("lanes", appendLanes(nil, r))
	p.data("ladders", append(append([]byte{'['}, bytes.Join(r.Ladders, []byte{','})...), ']'))
	p.data("made", appendMade(nil, r))
	if r.Pair != nil {
		p.data("compare", r.Compare)
		p.data("pair", r.Pair)
	}
	p.print(strings.Join(code, ""))
	p.data("analysis", r.Analysis) // the largest by far: the overview is drawn before it is read
	p.print("</body>\n</html>\n")
	return p.size, p.err
}

// Hashes are those of the page's own code and looks, as policies of pages name them that
// show a report within themselves.
func Hashes() (code, looks []string, err error) {
	if _, code, err = inline("script", scripts); err != nil {
		return nil, nil, err
	}
	_, looks, err = inline("style", styles)
	return code, looks, err
}

// inline gives the elements of the page's own code or looks, and the hashes by which its
// policy allows them and nothing else.
func inline(tag string, files []string) (elements, hashes []string, err error) {
	for _, f := range files {
		b, err := assets.ReadFile("assets/" + f)
		if err != nil {
			return nil, nil, err
		}
		if bytes.Contains(bytes.ToLower(b), []byte("</"+tag)) {
			return nil, nil, fmt.Errorf("htmlreport: %s ends its own element", f)
		}
		if strings.HasPrefix(f, "vendor/") {
			b = append(licence(), b...)
		}
		sum := sha256.Sum256(b)
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
		elements = append(elements, "<"+tag+">"+string(b)+"</"+tag+">\n")
	}
	return elements, hashes, nil
}

// licence is that of what was not written for the page, as a comment: copies of it carry it.
func licence() []byte {
	text, err := assets.ReadFile("assets/vendor/LICENSE-uPlot.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	return append(append([]byte("/*\n"), text...), "*/\n"...)
}

// head is the beginning of the page. Its policy lets no request leave: nothing is loaded,
// and only code and looks with these hashes count.
func head(r *Report, code, looks string) string {
	title := html.EscapeString(r.shownTitle())
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ` + code + `; style-src ` + looks + `; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>` + title + `</title>
`
}

// frame is what the code fills.
const frame = `<header><h1 id="title"></h1><p id="subtitle"></p>
<div role="search"><label for="search">Search</label> <input id="search" type="search" placeholder="address, rule, word or frame number" autocomplete="off"> <span id="hits" role="status"></span></div>
<nav id="nav" aria-label="Parts of the report"></nav></header>
<main id="main"><noscript><p>This report draws with its own JavaScript, which is switched off. It loads nothing and sends nothing.</p></noscript></main>
<footer id="footer"></footer>
`

// A printer writes until a write fails, and counts the bytes.
type printer struct {
	w    io.Writer
	size int64
	err  error
}

func (p *printer) print(s string) {
	if p.err == nil {
		n, err := io.WriteString(p.w, s)
		p.size, p.err = p.size+int64(n), err
	}
}

// data embeds a JSON document.
func (p *printer) data(id string, doc []byte) {
	p.print(`<script type="application/json" id="` + id + `">`)
	if p.err == nil {
		n, err := p.w.Write(escapeJSON(doc))
		p.size, p.err = p.size+int64(n), err
	}
	p.print("</script>\n")
}

// escapeJSON writes what could end the element of a document, or hide in it, as escapes of
// JSON: these characters stand in strings alone.
func escapeJSON(doc []byte) []byte {
	if !bytes.ContainsAny(doc, "<>&\u2028\u2029") {
		return doc
	}
	return []byte(jsonEscapes.Replace(string(doc)))
}

var jsonEscapes = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)
