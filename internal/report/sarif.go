package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// What GitHub shows of a run, and what it takes: 5,000 results of 25,000, 1,000
// locations of a result, 10 MB. Results are bundled, so the first limit is rarely met.
const (
	sarifResults   = 5000
	sarifBytes     = 9 << 20
	sarifLocations = 100
)

const homepage = "https://github.com/dpdissect/dpdissect"

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Automation  sarifAutomation   `json:"automationDetails"`
		Invocations []sarifInvocation `json:"invocations"`
		Artifacts   []sarifArtifact   `json:"artifacts"`
		Results     []json.RawMessage `json:"results"`
		Properties  map[string]any    `json:"properties"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID         string         `json:"id"`
		Short      sarifText      `json:"shortDescription"`
		Full       sarifText      `json:"fullDescription"`
		Help       sarifText      `json:"help"`
		HelpURI    string         `json:"helpUri"`
		Default    sarifLevel     `json:"defaultConfiguration"`
		Properties map[string]any `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifArtifact struct {
		Location sarifURI `json:"location"`
		MIME     string   `json:"mimeType,omitempty"`
	}
	sarifURI struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifURI    `json:"artifactLocation"`
		Region   sarifRegion `json:"region"`
	}
	sarifRegion struct {
		StartLine uint64 `json:"startLine"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Kind         string            `json:"kind"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		CodeFlows    []sarifCodeFlow   `json:"codeFlows,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Count        uint64            `json:"occurrenceCount"`
		Properties   map[string]any    `json:"properties"`
	}
	sarifCodeFlow struct {
		ThreadFlows []sarifThreadFlow `json:"threadFlows"`
	}
	sarifThreadFlow struct {
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
	}
)

var checkSARIF = &CheckFormat{
	Name:    "sarif",
	One:     func(c *Check, _ TextOptions) []byte { return AppendSARIF(nil, c) },
	Several: func(s *Checks, _ TextOptions) []byte { return AppendChecksSARIF(nil, s) },
}

// AppendSARIF appends a SARIF 2.1.0 log of one run. The line of a location is the
// number of the frame in its file: captures have no lines.
func AppendSARIF(dst []byte, c *Check) []byte {
	return appendLog(dst, []sarifRun{runOf(c, "dpdissect/check", sarifBytes)})
}

// AppendChecksSARIF appends a log with a run for each file. Runs of one log must differ
// in their category, which is the id up to its last slash.
func AppendChecksSARIF(dst []byte, s *Checks) []byte {
	runs := []sarifRun{}
	for _, c := range s.Files {
		runs = append(runs, runOf(c, "dpdissect/check/"+sarifPath(c.path()).URI+"/", sarifBytes/len(s.Files)))
	}
	return appendLog(dst, runs)
}

func appendLog(dst []byte, runs []sarifRun) []byte {
	log := sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", runs}
	return append(dst, marshal(log, "  ")...)
}

// runOf is the run of a check, with results of so many bytes at most.
func runOf(c *Check, id string, room int) sarifRun {
	s := &sarif{Check: c, index: map[string]int{}, seen: map[string]int{}, room: room}
	s.run.Results = []json.RawMessage{}
	s.run.Tool.Driver = sarifDriver{Name: "dpdissect", Version: c.Version, InformationURI: homepage, Rules: []sarifRule{}}
	s.run.Automation.ID = id
	s.run.Properties = map[string]any{"verdict": c.Outcome.String()}
	if len(c.Reasons) > 0 {
		s.run.Properties["reasons"] = c.Reasons
	}
	s.invocation()
	s.results()
	return s.run
}

// marshal encodes without escapes for HTML, and with those of seen; the text ends in a newline.
func marshal(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		panic(err) // it is made of texts and numbers
	}
	return seen(b.Bytes())
}

type sarif struct {
	*Check
	run   sarifRun
	index map[string]int // of rules
	seen  map[string]int // fingerprints
	room  int            // bytes for results
}

func (s *sarif) invocation() {
	inv := sarifInvocation{Successful: true}
	s.run.Artifacts = []sarifArtifact{}
	for i := range s.Captures {
		in := &s.Captures[i]
		s.run.Artifacts = append(s.run.Artifacts, sarifArtifact{sarifPath(in.Path), "application/vnd.tcpdump.pcap"})
		inv.Successful = inv.Successful && !in.Failed
		if in.Problem != "" {
			level := "warning"
			if in.Failed {
				level = "error"
			}
			inv.Notifications = append(inv.Notifications, sarifNotification{level, sarifText{Text: terminal.Escaped(in.Path + ": " + in.Problem)}, nil})
		}
	}
	if note := s.note(); note != "" {
		inv.Notifications = append(inv.Notifications, sarifNotification{"note", sarifText{Text: note}, nil})
	}
	for _, r := range s.Reasons {
		inv.Notifications = append(inv.Notifications, sarifNotification{"note", sarifText{Text: terminal.Escaped(s.Outcome.String() + ": " + r)}, nil})
	}
	s.run.Invocations = []sarifInvocation{inv}
}

// results adds bundles while there is room, and tells how many are left out.
func (s *sarif) results() {
	size := 0
	all := shared(s.bundles(), sarifResults)
	for i, b := range all {
		raw := bytes.TrimSpace(marshal(s.result(b), ""))
		if size += len(raw); i == sarifResults || size > s.room {
			inv := &s.run.Invocations[0]
			inv.Notifications = append(inv.Notifications, sarifNotification{"warning",
				sarifText{Text: fmt.Sprintf("%d more results are left out: --format ndjson has all", len(all)-i)}, nil})
			return
		}
		s.run.Results = append(s.run.Results, raw)
	}
}

func (s *sarif) result(b *bundle) sarifResult {
	f := b.first
	r := sarifResult{RuleID: f.Rule.ID, RuleIndex: s.rule(f.Rule), Kind: "fail", Level: sarifLevelOf(f.Severity), Count: b.count}
	text := f.Message
	if !f.Failed() {
		r.Kind, r.Level = "open", "none"
		text += guardText(f)
	}
	if b.count > 1 {
		text += fmt.Sprintf(" (first of %d)", b.count)
	}
	r.Message.Text = terminal.Escaped(text)
	r.Locations = []sarifLocation{s.location(f.Frame, nil)}
	for i, frame := range b.frames {
		if i > 0 && i < sarifLocations {
			at := s.location(frame, &sarifText{Text: fmt.Sprintf("frame %d", frame)})
			at.ID = i
			r.Related = append(r.Related, at)
		}
	}
	if len(f.Frames) > 1 {
		r.CodeFlows = []sarifCodeFlow{{[]sarifThreadFlow{s.flow(f)}}}
	}
	print := verdict.Place(f)
	s.seen[print]++
	r.Fingerprints = map[string]string{"dpdissect/v1": print + ":" + strconv.Itoa(s.seen[print])}
	r.Properties = map[string]any{"frame": f.Frame, "clause": f.Rule.Clause}
	if f.Conn != nil {
		r.Properties["connection"] = f.Conn.ID
		if f.Dir == session.SideA || f.Dir == session.SideB {
			r.Properties["direction"] = f.Dir.String()
		}
	}
	return r
}

// flow is the frames of the proof, in their order.
func (s *sarif) flow(f *session.Finding) (t sarifThreadFlow) {
	for _, frame := range f.Frames {
		text := fmt.Sprintf("frame %d", frame)
		if frame == f.Frame {
			text += ": " + terminal.Escaped(f.Message)
		}
		t.Locations = append(t.Locations, sarifStep{s.location(frame, &sarifText{Text: text})})
	}
	return t
}

func (s *sarif) location(frame uint64, message *sarifText) sarifLocation {
	path, number := s.locate(frame)
	return sarifLocation{Physical: &sarifPhysical{sarifPath(path), sarifRegion{max(1, number)}}, Message: message}
}

// sarifPath is a relative reference where the path is one, else a file URI. An empty path is
// not known.
func sarifPath(path string) sarifURI {
	switch {
	case path == "-":
		return sarifURI{URI: "stdin"}
	case path == "":
		return sarifURI{URI: "unknown"}
	case filepath.IsAbs(path):
		return sarifURI{URI: (&url.URL{Scheme: "file", Path: slashed(path)}).String()}
	}
	return sarifURI{URI: (&url.URL{Path: filepath.ToSlash(filepath.Clean(path))}).String(), Base: "%SRCROOT%"}
}

// slashed is an absolute path as URIs have it: "/C:/x" for `C:\x`.
func slashed(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}

func sarifLevelOf(s conform.Severity) string {
	return [...]string{conform.Error: "error", conform.Warn: "warning", conform.Note: "note"}[s]
}

// rule gives the index of a rule, which it describes when it is new.
func (s *sarif) rule(r *conform.Rule) int {
	i, ok := s.index[r.ID]
	if !ok {
		i = len(s.run.Tool.Driver.Rules)
		s.index[r.ID] = i
		s.run.Tool.Driver.Rules = append(s.run.Tool.Driver.Rules, sarifRuleOf(r))
	}
	return i
}

func sarifRuleOf(r *conform.Rule) sarifRule {
	tags := []string{"conformance", r.Level.String()}
	precision := "very-high"
	if r.Severity != conform.Error {
		precision = "high"
	}
	problem := [...]string{conform.Error: "error", conform.Warn: "warning", conform.Note: "recommendation"}[r.Severity]
	statement := sentence(r.Statement)
	return sarifRule{ID: r.ID, Short: sarifText{Text: statement}, Full: sarifText{Text: statement},
		Help:       sarifText{Text: RuleText(r, 0), Markdown: RuleMarkdown(r)},
		HelpURI:    homepage + "/blob/main/docs/rules.md#" + strings.ToLower(RuleAnchor(r.ID)),
		Default:    sarifLevel{sarifLevelOf(r.Severity)},
		Properties: map[string]any{"tags": tags, "precision": precision, "problem.severity": problem},
	}
}

// sentence is a statement with a capital letter and a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if c := s[0]; c >= 'a' && c <= 'z' && !codeWord(s) {
		s = string(c-'a'+'A') + s[1:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// codeWord reports whether a text begins with a name that must stay as it is.
func codeWord(s string) bool {
	first, _, _ := strings.Cut(s, " ")
	return strings.ContainsAny(first[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
}
