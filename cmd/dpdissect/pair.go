package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/outfile"
)

// pairInput is what commands have that draw two captures of one session together.
type pairInput struct {
	named []string // NAME=FILE, of --point
	run   func(cmd *cobra.Command, points []pointFiles) error
}

func (t *pairInput) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&t.named, "point", nil, "a capture of one of two points, as `NAME=FILE`; repeatable, with two names")
}

// A pointFiles is the files of one point.
type pointFiles struct {
	name  string
	files []string
}

// of are the two points of a command line. usage is what to write.
func (t *pairInput) of(paths []string, usage string) (out []pointFiles, err error) {
	if len(t.named) > 0 && len(paths) > 0 {
		return nil, exit.Usagef("--point names all files: %s stands without it", paths[0])
	}
	for _, p := range paths {
		out = append(out, pointFiles{filepath.Base(p), []string{p}})
	}
	for _, p := range t.named {
		name, file, ok := strings.Cut(p, "=")
		if !ok || name == "" || file == "" {
			return nil, exit.Usagef("--point %s: want NAME=FILE", p)
		}
		i := slices.IndexFunc(out, func(x pointFiles) bool { return x.name == name })
		if i < 0 {
			i = len(out)
			out = append(out, pointFiles{name: name})
		}
		out[i].files = append(out[i].files, file)
	}
	if len(out) != 2 {
		if len(t.named) > 0 {
			return nil, exit.Usagef("--point needs exactly two names, but got %d: --point player=A --point server=B", len(out))
		}
		return nil, exit.Usagef("%s, but got %d; a point of several files is --point NAME=FILE", usage, len(out))
	}
	if out[0].name == out[1].name {
		out[0].name, out[1].name = out[0].files[0], out[1].files[0]
	}
	for _, p := range out {
		for _, f := range p.files {
			if capture.ReadOnce(f) {
				return nil, exit.Usagef("%s: a capture may be read twice: give a file, not standard input or a pipe", f)
			}
		}
	}
	return out, nil
}

// runOn draws the captures of two points together.
func (t *pairInput) runOn(cmd *cobra.Command, paths []string) error {
	points, err := t.of(paths, "two captures of one session are needed")
	if err != nil {
		return err
	}
	return t.run(cmd, points)
}

// readPair reads both captures, compares them, and lets use write what it makes of them, into one
// output. The files must stay what they are meanwhile. An input that could be read in part is an
// error beside what was written.
func (in *input) readPair(cmd *cobra.Command, points []pointFiles, words bool, use func(out *destination, guard *outfile.Guard, r *compare.Comparison) error) error {
	all := slices.Concat(points[0].files, points[1].files)
	before := stampsOf(all)
	guard := in.guard(all)
	out, err := in.createOutput(cmd, guard)
	if err != nil {
		return err
	}
	out.page()
	in.same.shared = &destination{Writer: out, screen: out.screen}
	defer func() { in.same.shared = nil }()
	r, err := in.compare(cmd, points, words)
	if r != nil {
		err = cmp.Or(use(in.same.shared, guard, r), sameFiles(cmd.ErrOrStderr(), all, before), err)
	}
	return out.end(err)
}

// spanOf chooses of a comparison what --from and --to ask for.
func (in *input) spanOf() (x compare.Choice) {
	if w := in.window(); w != nil {
		x.From, x.To = w.From, w.To
	}
	return x
}

// pairOnly refuses what a pair of captures has no use for.
func (in *input) pairOnly(what string) error {
	if in.Live() || in.Follow {
		return exit.Usagef("%s of two captures needs files that are complete, not live ones", what)
	}
	return in.checkSpan()
}
