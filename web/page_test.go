package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/htmlreport"
)

// stub is a page with a program that is none.
func stub(t *testing.T) string {
	t.Helper()
	page, err := Page(&Parts{Program: []byte("program"), Glue: []byte("glue();"), Version: "v1 <b>", Licences: "</pre><script>"})
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

var (
	policyTag = regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`)
	inline    = regexp.MustCompile(`(?s)<(script type="module"|style)>(.*?)</`)
)

// TestPolicy: the page allows the script and the style that it has, and nothing else.
func TestPolicy(t *testing.T) {
	page := stub(t)
	m := policyTag.FindStringSubmatch(page)
	if m == nil {
		t.Fatal("there is no policy")
	}
	var hashes []string
	for _, part := range inline.FindAllStringSubmatch(page, -1) {
		sum := sha256.Sum256([]byte(part[2]))
		hashes = append(hashes, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	if len(hashes) != 2 {
		t.Fatalf("%d inline styles and scripts, want 2", len(hashes))
	}
	code, looks, err := htmlreport.Hashes()
	if err != nil {
		t.Fatal(err)
	}
	want := "default-src 'none'; connect-src 'none'; script-src " + hashes[1] + " " + strings.Join(code, " ") + " 'wasm-unsafe-eval'; worker-src blob:; frame-src blob:; style-src " + hashes[0] + " " + strings.Join(looks, " ") +
		"; img-src data:; base-uri 'none'; form-action 'none'"
	if m[1] != want {
		t.Errorf("policy %s\nwant   %s", m[1], want)
	}
	if at, style := strings.Index(page, m[0]), strings.Index(page, "<style>"); at > style {
		t.Error("the policy stands behind what it is for")
	}
}

var outside = regexp.MustCompile(`(?i)\b(src|href|action|srcset|poster|data)\s*=\s*"([^"]*)"|\burl\(|@import|\bon[a-z]+="|\bstyle="`)

// TestOneFile: the page names no other file, and has no handlers or styles that the policy
// would refuse.
func TestOneFile(t *testing.T) {
	for _, m := range outside.FindAllStringSubmatch(stub(t), -1) {
		if m[2] != "data:," {
			t.Errorf("the page has %s", m[0])
		}
	}
}

// TestPageParts: what the page is made of is in it, text as text.
func TestPageParts(t *testing.T) {
	page := stub(t)
	for _, want := range []string{
		`<script type="text/plain" id="program">` + "E,ol0Ea`e" + "</script>",
		`<script type="text/plain" id="worker">glue();`, "v1 &lt;b&gt;", html.EscapeString("</pre><script>"), "class FileSystem", "class Program",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "{{") || regexp.MustCompile(`(?m)^(import|export) `).MatchString(page) {
		t.Error("a place, or an import, was left over")
	}
}

// TestEveryElementIsThere: what the scripts look up by id is in the page, and no id twice.
func TestEveryElementIsThere(t *testing.T) {
	page, err := source("index.html")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("id %s twice", m[1])
		}
		ids[m[1]] = true
	}
	script, err := joined(pageModules)
	if err != nil {
		t.Fatal(err)
	}
	uses := regexp.MustCompile(`(?:byId\(|getElementById\(|\bid: )"([^"]*)"`).FindAllStringSubmatch(script, -1)
	for _, m := range uses {
		if !ids[m[1]] {
			t.Errorf("the scripts ask for the element %s, which is not there", m[1])
		}
	}
	if len(uses) < 15 {
		t.Errorf("only %d uses were found", len(uses))
	}
}

// TestPageRefuses: what would make another page than was meant is an error.
func TestPageRefuses(t *testing.T) {
	for name, glue := range map[string]string{"an end tag": "x = '</SCRIPT>'", "a comment": "x = '<!--'"} {
		if page, err := Page(&Parts{Glue: []byte(glue)}); err == nil {
			t.Errorf("%s: made a page of %d bytes", name, len(page))
		}
	}
	if _, err := fill("{{a}}", nil); err == nil {
		t.Error("a place without a text is filled")
	}
	if _, err := fill("", map[string]string{"a": ""}); err == nil {
		t.Error("a text without a place is left out")
	}
	if _, err := joined([]string{"run.mjs"}); err == nil {
		t.Error("a module is joined without the one it imports")
	}
	if b := compressed([]byte("x")); !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		t.Errorf("% x is no gzip", b)
	}
}
