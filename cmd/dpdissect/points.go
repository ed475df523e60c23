package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/points"
	"github.com/dpdissect/dpdissect/internal/report"
)

// sameSession is the flag that says whether several files hold the same session.
type sameSession struct {
	choice flags.Choice
	shared *destination // where each of several files is told of, nil where they are merged
}

// judgesEach is the annotation of commands that take several files one by one.
const judgesEach = "judges-each"

func (s *sameSession) add(cmd *cobra.Command) {
	s.choice = flags.NewChoice("auto", "alone", "merge")
	if cmd.Annotations[judgesEach] == "" {
		s.choice.Add(cmd, "same-session", "several files: auto analyses each separately if two contain the same session; alone always does, merge never")
	}
}

// apart runs a command on each of several files where two of them hold the same session;
// done is false where they are to be merged.
func (in *input) apart(cmd *cobra.Command, paths []string, run func(*cobra.Command, []string) error) (done bool, err error) {
	how := in.same.choice.Value
	if cmd.Annotations[judgesEach] != "" || how == "merge" || len(paths) < 2 || in.Live() || in.Follow || in.pieces != nil && in.pieces.Given() {
		return false, nil
	}
	readable := capture.Regular(paths)
	if how == "auto" && !readable {
		return false, nil
	}
	opts, err := in.Options()
	if err != nil {
		return true, err
	}
	before := stampsOf(paths)
	var pairs []*points.Pair
	if readable {
		pairs = points.Recognise(paths, opts)
	}
	if how == "auto" && len(pairs) == 0 {
		return false, nil
	}
	if how == "auto" && in.pair != nil && len(paths) == 2 {
		return true, in.pair.runOn(cmd, paths)
	}
	if err := in.canBeApart(cmd); err != nil {
		return true, err
	}
	return true, in.runApart(cmd, paths, before, pairs, run)
}

// canBeApart refuses outputs that have no place for saying which file a line is of.
func (in *input) canBeApart(cmd *cobra.Command) error {
	const instead = "the files contain the same session and are not merged, but %s cannot show which file a line belongs to: give one file at a time, or --same-session merge"
	if slices.Contains([]string{"csv", "html", "mermaid", "pcapng", "svg"}, in.format.Value) {
		return exit.Usagef(instead, in.format.Value)
	}
	for _, x := range [][2]string{{"field", "-e"}, {"out", "--out"}} {
		if cmd.Flags().Changed(x[0]) {
			return exit.Usagef(instead, x[1])
		}
	}
	return nil
}

// runApart tells of each file, then of what lies between two points. The files must be what
// they were before they were looked at first: what their readings say is put together.
func (in *input) runApart(cmd *cobra.Command, paths []string, before []stamp, pairs []*points.Pair, run func(*cobra.Command, []string) error) error {
	out, err := in.createOutput(cmd, in.guard(paths))
	if err != nil {
		return err
	}
	out.page()
	in.same.shared = &destination{Writer: out, screen: out.screen}
	defer func() { in.same.shared = nil }()
	w := &apartWriter{out: out, format: in.format.Value}
	w.begin(pairs)
	var failed error
	for i, path := range paths {
		w.file(i, path)
		err := run(cmd, []string{path})
		if err != nil && !exit.Told(err) {
			return out.end(err)
		}
		failed = cmp.Or(failed, err)
	}
	w.end(in.between(cmd, pairs))
	return out.end(cmp.Or(w.err, sameFiles(cmd.ErrOrStderr(), paths, before), failed))
}

// between compares the files of each pair, without a word about what is wrong with them: that
// was said. A pair that has too little in common is left out.
func (in *input) between(cmd *cobra.Command, pairs []*points.Pair) (all []*compare.Between) {
	stderr, shared := cmd.ErrOrStderr(), in.same.shared
	cmd.SetErr(io.Discard)
	in.same.shared = &destination{Writer: io.Discard}
	defer func() {
		cmd.SetErr(stderr)
		in.same.shared = shared
	}()
	for _, p := range pairs {
		a, b := p.A.Path, p.B.Path
		r, _ := in.compare(cmd, []pointFiles{{filepath.Base(a), []string{a}}, {filepath.Base(b), []string{b}}}, false)
		if r == nil {
			continue
		}
		r.Choose(compare.Choice{})
		all = append(all, r.Between(a, b, r.Document(report.CaptureRecords)))
	}
	return all
}

// An apartWriter writes what stands around the reports of several files.
type apartWriter struct {
	out    *destination
	format string
	err    error
}

func (w *apartWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

func (w *apartWriter) printf(format string, args ...any) { w.write(fmt.Appendf(nil, format, args...)) }

func (w *apartWriter) begin(pairs []*points.Pair) {
	switch w.format {
	case "json":
		w.printf("{\"schema\":\"dpdissect/points/1\",\"files\":[")
	case "ndjson":
	default:
		for _, p := range pairs {
			w.printf("%s\n", w.plain(p.Sentence()))
		}
		w.printf("\n")
	}
}

func (w *apartWriter) file(i int, path string) {
	switch w.format {
	case "json":
		w.write(append(slices.Concat([]byte(comma(i)+"{\"path\":"), jsonOf(path)), ",\"report\":"...))
	case "ndjson":
		w.write(append(slices.Concat([]byte("{\"schema\":\"dpdissect/point/1\",\"path\":"), jsonOf(path)), "}\n"...))
	case "markdown":
		w.printf("%s## %s\n\n", []string{"", "\n"}[min(i, 1)], report.Markdown(path))
	default:
		w.printf("%s== %s ==\n\n", []string{"", "\n"}[min(i, 1)], printable(path))
	}
}

// plain is text that may hold names of files, as a line of the format.
func (w *apartWriter) plain(text string) string {
	if w.format == "markdown" {
		return report.Markdown(text)
	}
	return printable(text)
}

// comma stands before an element of an array, or after the report of the one before.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return "},"
}

func jsonOf(v any) []byte {
	b, err := json.Marshal(v)
	must(err)
	return b
}

func (w *apartWriter) end(all []*compare.Between) {
	if all == nil {
		all = []*compare.Between{}
	}
	switch w.format {
	case "json":
		w.write(append(slices.Concat([]byte("}],\"pairs\":"), jsonOf(all)), "}\n"...))
	case "ndjson":
		w.write(append(slices.Concat([]byte("{\"schema\":\"dpdissect/points/1\",\"pairs\":"), jsonOf(all)), "}\n"...))
	default:
		for _, x := range all {
			w.printf("\n")
			var b bytes.Buffer
			must(report.WriteCompareText(&b, x.Compare, report.TextOptions{Width: w.out.screen.width}))
			for line := range strings.Lines(b.String()) {
				w.printf("%s\n", w.plain(strings.TrimSuffix(line, "\n")))
			}
		}
	}
}
