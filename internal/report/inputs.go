package report

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// listedCaptures bounds the inputs that have a line each; more of them share one.
const listedCaptures = 3

// appendCaptures appends what was read. Inputs that are no captures are left out: standard
// error names them.
func (p *painter) appendCaptures(dst []byte, list []capture.Info, opts *TextOptions) []byte {
	list = readable(list)
	if len(list) > listedCaptures && !opts.Verbose && !list[0].Live {
		return p.appendTogether(dst, list, opts.Width)
	}
	for i := range list {
		in := &list[i]
		dst = p.appendCapture(dst, render.Logged(in.Path), in, opts.Width)
		dst = p.appendTroubles(dst, in, "")
	}
	return dst
}

// readable are the inputs that are captures, all of them where there is none.
func readable(list []capture.Info) []capture.Info {
	if Unopened(list) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(in capture.Info) bool { return !opened(in) })
}

// appendTogether appends "ring_1.pcap … ring_12.pcap, 12 files: pcapng, …", and what is
// wrong with any of them, with its name.
func (p *painter) appendTogether(dst []byte, list []capture.Info, width int) []byte {
	all := together(list)
	dst = p.appendCapture(dst, severalNames(list), &all, width)
	for i := range list {
		dst = p.appendTroubles(dst, &list[i], render.Logged(list[i].Path)+": ")
	}
	return dst
}

// together is what is known of several inputs as if they were one.
func together(list []capture.Info) (all capture.Info) {
	for i := range list {
		in := &list[i]
		for _, s := range append([]string{in.Format, in.Compression}, in.LinkTypes...) {
			if s != "" && !slices.Contains(all.LinkTypes, s) {
				all.LinkTypes = append(all.LinkTypes, s)
			}
		}
		all.Packets, all.Bytes = all.Packets+in.Packets, all.Bytes+in.Bytes
		switch {
		case !in.HasTime:
		case !all.HasTime:
			all.HasTime, all.FirstTime, all.LastTime = true, in.FirstTime, in.LastTime
		default:
			all.FirstTime, all.LastTime = min(all.FirstTime, in.FirstTime), max(all.LastTime, in.LastTime)
		}
	}
	return all
}

// severalNames is the first and the last of several names, and how many there are.
func severalNames(list []capture.Info) string {
	first, last := list[0].Path, list[len(list)-1].Path
	if dir, name := filepath.Split(last); strings.HasPrefix(first, dir) {
		last = name
	}
	return render.Logged(inputName(first)) + " … " + render.Logged(inputName(last)) + ", " + strconv.Itoa(len(list)) + " files"
}

// appendCapture appends "game.pcap: pcap, gzip, ethernet, 1234 packets, …".
func (p *painter) appendCapture(dst []byte, name string, in *capture.Info, width int) []byte {
	path := terminal.Cell{Text: name, Style: p.Heading}
	dst = terminal.AppendStyled(dst, path.Style, path.Text)
	var facts []string
	if in.Live {
		facts = append(facts, "live")
	}
	for _, s := range append([]string{in.Format, in.Compression}, in.LinkTypes...) {
		if s != "" {
			facts = append(facts, s)
		}
	}
	facts = append(facts, terminal.Counted(in.Packets, "packet"), terminal.Size(in.Bytes))
	if in.HasTime {
		facts = append(facts, terminal.Span(in.LastTime-in.FirstTime)+" from "+time.Unix(0, in.FirstTime).UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	return terminal.AppendWrapped(append(dst, ": "...), terminal.Cells(facts), path.Width()+2, width)
}

// appendTroubles appends what an input lost and what is wrong with it, after its name where
// that is not above.
func (p *painter) appendTroubles(dst []byte, in *capture.Info, name string) []byte {
	if in.HasDropped && in.Dropped > 0 {
		who := "file"
		if in.Live {
			who = "kernel"
		}
		dst = append(terminal.AppendStyled(append(dst, "   "...), p.Warn, name+terminal.Counted(in.Dropped, "packet")+" lost by the capture itself, as the "+who+" says"), '\n')
	}
	return p.appendProblem(dst, in, name)
}

// appendProblem appends what is wrong with an input.
func (p *painter) appendProblem(dst []byte, in *capture.Info, name string) []byte {
	if in.Problem != "" {
		dst = append(terminal.AppendStyled(append(dst, "   "...), p.Error, name+terminal.Escaped(in.Problem)), '\n')
	}
	return dst
}
