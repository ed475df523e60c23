package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	dp8track "github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/redact"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
)

// analyse makes an analysis, as text that is to be equal for the original and the result, while
// attach looks on.
func (c *redaction) analyse(j *job, attach func(*pipeline.Run)) ([]byte, error) {
	cfg := &j.run.Config
	cfg.Trees, cfg.Endings, cfg.Pack, j.run.Workers = true, true, false, 1
	var found pipeline.Findings
	found.Attach(&j.run)
	attach(&j.run)
	redact.InOrder(&j.run)
	if err := j.do(nil); err != nil {
		return nil, err
	}
	conns := j.run.Conns()
	for _, s := range conns {
		s.Reason = shape(s.Reason) // which may be a text that was replaced
	}
	a := j.report(conns, found.All())
	a.Story = explain.Tell(conns, j.run.Stories(), heardUntil(a))
	a.Captures = nil
	if c.others.Value == "drop" {
		a.Totals = report.Totals{}
	}
	var b bytes.Buffer
	err := report.WriteJSON(&b, a)
	return c.comparable(b.Bytes()), err
}

// shape is a text of which letters, digits, and what is not printable are not told apart.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return '0'
		case r|0x20 >= 'a' && r|0x20 <= 'z':
			return 'a'
		case r < ' ' || r >= 0x7f:
			return -1
		}
		return r
	}, s)
}

// What analyses of the original and of the result may differ in: addresses, secrets, where
// packets are left out numbers of frames, and where ports are mapped the evidence that usual
// ones are.
var (
	anySecret  = regexp.MustCompile(`\b[0-9a-f]{16}\b`)
	anyAddress = regexp.MustCompile(`([^-.\w])(\d{1,3}(\.\d{1,3}){3}(:\d+)?|\[[0-9a-f:.]+\]:\d+)\b`) // rules have numbers, too
	anyFrame   = regexp.MustCompile(`"(first_|last_)?frames?": (\d+|\[[\d,\s]*\])|"message": ".*"|packets? \d+((, | and |–)\d+)*`)
	evidence   = regexp.MustCompile(`"confidence_bits": [\d.]+`)
)

func (c *redaction) comparable(doc []byte) []byte {
	doc = anyAddress.ReplaceAll(doc, []byte("${1}ADDRESS"))
	doc = anySecret.ReplaceAll(doc, []byte("SECRET"))
	if c.others.Value == "drop" {
		doc = anyFrame.ReplaceAll(doc, []byte("FRAME"))
	}
	if c.ports.Value == "map" {
		doc = evidence.ReplaceAll(doc, []byte("EVIDENCE"))
	}
	return doc
}

// verifyResult reads the result, looks for the original in it, and compares the analyses.
func (c *redaction) verifyResult(j *job, paths []string, told *report.Redacted) error {
	c.dp8 = nil
	if c.verify == "" {
		f, err := j.dest.file.Open()
		if err != nil {
			return notWritten("-w", err)
		}
		defer f.Close()
		paths, c.Stdin = []string{"-"}, f
		c.dp8 = func(o *dp8track.Options) {
			for i := range o.Secrets {
				o.Secrets[i] = *c.fresh(&o.Secrets[i])
			}
		}
	}
	next, err := c.again(j, paths)
	if err != nil {
		return err
	}
	defer next.run.Source.Close()
	c.mapForced(&next.run.Config)
	s := redact.NewSearch(c.survey)
	doc, err := c.analyse(next, s.Attach)
	if err != nil {
		return err
	}
	s.Rest(&next.run)
	different := differences(c.original, doc)
	told.Verified = &report.RedactedCheck{Addresses: s.Found[redact.AnAddress], Texts: s.Found[redact.AText],
		Payloads: s.Found[redact.APayload], Equal: len(different) == 0}
	for _, place := range append(s.Places, different...) {
		fmt.Fprintf(j.stderr, "dpdissect: %s\n", printable(place))
	}
	if s.All() > 0 || len(different) > 0 {
		return exit.Code(exit.Fail)
	}
	return nil
}

// mapForced makes -d mean the ports that stand for those that were given.
func (c *redaction) mapForced(cfg *session.Config) {
	for _, f := range cfg.Force {
		for p := int(f.Lo); p <= int(f.Hi) && c.ports.Value == "map"; p++ {
			one := f
			one.Lo = c.survey.Addresses.Port(uint16(p))
			if one.Hi = one.Lo; int(one.Lo) != p {
				cfg.Force = append(cfg.Force, one)
			}
		}
	}
}

// mostDifferences bounds the list of differences: the first tell what went wrong.
const mostDifferences = 10

// differences are lines in which two documents differ.
func differences(a, b []byte) (all []string) {
	if bytes.Equal(a, b) {
		return nil
	}
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := 0; i < max(len(x), len(y)) && len(all) < mostDifferences; i++ {
		line := func(lines [][]byte) string {
			if i < len(lines) {
				return strings.TrimSpace(string(lines[i]))
			}
			return "nothing"
		}
		if was, is := line(x), line(y); was != is {
			all = append(all, fmt.Sprintf("the analysis differs: %s instead of %s", is, was))
		}
	}
	return all
}
