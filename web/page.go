// Package web puts the page together that analyses captures in the browser: one HTML
// file with the program in it. Its parts are in src; build makes the file.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/ascii85"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/htmlreport"
)

// Sources are the parts of the page.
//
//go:embed src
var Sources embed.FS

// The modules of the two scripts of the page, those below before those that import them.
var (
	pageModules   = []string{"names.mjs", "program.mjs", "page.mjs"}
	workerModules = []string{"files.mjs", "run.mjs", "worker.mjs"}
)

// Parts are what a page is made of beside its sources.
type Parts struct {
	Program  []byte // compiled for js/wasm, compressed with gzip
	Glue     []byte // wasm_exec.js of the Go release that compiled it
	Version  string
	Licences string // of all that is linked
}

// Page gives the HTML file.
func Page(p *Parts) ([]byte, error) {
	worker, err := joined(workerModules)
	if err != nil {
		return nil, err
	}
	script, err := joined(pageModules)
	if err != nil {
		return nil, err
	}
	style, err := source("style.css")
	if err != nil {
		return nil, err
	}
	page, err := source("index.html")
	if err != nil {
		return nil, err
	}
	allowed, err := policy(style, script)
	if err != nil {
		return nil, err
	}
	return fill(page, map[string]string{
		"policy":   allowed,
		"style":    style,
		"worker":   string(p.Glue) + worker,
		"program":  text85(p.Program),
		"script":   script,
		"version":  html.EscapeString(p.Version),
		"licences": html.EscapeString(p.Licences),
	})
}

// text85 writes bytes as Ascii85, a fourth longer than they are, with v for <, so that nothing in it ends a script.
func text85(b []byte) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(b)))
	out = out[:ascii85.Encode(out, b)]
	return string(bytes.ReplaceAll(out, []byte("<"), []byte("v")))
}

// policy is the content security policy: nothing is connected to, and nothing is run but
// this script, the program, workers that the script makes, and the code of reports, which
// stand in a frame that has this policy, too.
func policy(style, script string) (string, error) {
	code, looks, err := htmlreport.Hashes()
	return strings.Join([]string{
		"default-src 'none'", "connect-src 'none'",
		"script-src " + hash(script) + " " + strings.Join(code, " ") + " 'wasm-unsafe-eval'", "worker-src blob:", "frame-src blob:",
		"style-src " + hash(style) + " " + strings.Join(looks, " "), "img-src data:", "base-uri 'none'", "form-action 'none'",
	}, "; "), err
}

// hash names an inline script or style in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func source(name string) (string, error) {
	b, err := Sources.ReadFile("src/" + name)
	return string(b), err
}

var (
	importLine = regexp.MustCompile(`(?m)^import \{[^}]*\} from "\./([a-z]+\.mjs)";\n`)
	exportWord = regexp.MustCompile(`(?m)^export `)
	leftOver   = regexp.MustCompile(`(?m)^(import|export)\b.*`)
)

// joined makes one script of modules, which import from each other by name alone.
func joined(modules []string) (string, error) {
	var all strings.Builder
	for i, name := range modules {
		text, err := source(name)
		if err != nil {
			return "", err
		}
		for _, m := range importLine.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(modules[:i], m[1]) {
				return "", fmt.Errorf("%s imports %s, which does not stand before it", name, m[1])
			}
		}
		text = exportWord.ReplaceAllString(importLine.ReplaceAllString(text, ""), "")
		if l := leftOver.FindString(text); l != "" {
			return "", fmt.Errorf("%s: %q is no import or export that can be joined", name, l)
		}
		all.WriteString("\n" + text)
	}
	return all.String(), nil
}

var place = regexp.MustCompile(`\{\{([a-z]+)\}\}`)

// elements are those whose text ends at their own end tag alone, with what they hold.
var elements = map[string]string{"style": "style", "worker": "script", "program": "script", "script": "script"}

// fill puts texts at their places, each of which is there once.
func fill(page string, texts map[string]string) ([]byte, error) {
	var out bytes.Buffer
	var errs []error
	last, filled := 0, 0
	for _, m := range place.FindAllStringSubmatchIndex(page, -1) {
		name := page[m[2]:m[3]]
		text, ok := texts[name]
		if !ok {
			errs = append(errs, fmt.Errorf("there is no text for {{%s}}", name))
		}
		if element := elements[name]; element != "" && ends(text, element) {
			errs = append(errs, fmt.Errorf("the text of %s would end its element", name))
		}
		out.WriteString(page[last:m[0]])
		out.WriteString(text)
		last = m[1]
		filled++
	}
	out.WriteString(page[last:])
	if filled != len(texts) {
		errs = append(errs, fmt.Errorf("%d places for %d texts", filled, len(texts)))
	}
	return out.Bytes(), errors.Join(errs...)
}

// ends reports whether a text ends the element it stands in, or begins a comment, in
// which the end of the element would be no end.
func ends(text, element string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "</"+element) || strings.Contains(text, "<!--")
}
