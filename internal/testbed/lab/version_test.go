package lab

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// clientWith plays an event of Hazel as a client whose game has a version, from a port of
// its own; noReason takes the reason off what the server closes with.
func clientWith(t *testing.T, event, version string, port uint16, noReason bool) (all datagrams) {
	t.Helper()
	for _, c := range tracegen.EndCases() {
		if c.Name() != "hazel/"+event {
			continue
		}
		s, err := c.Play("middle", 1)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := s.Write(&file); err != nil {
			t.Fatal(err)
		}
		if all, err = readAll(&file); err != nil {
			t.Fatal(err)
		}
	}
	client := all[0].Src
	for i := range all {
		d := &all[i]
		for _, e := range []*dissect.Endpoint{&d.Src, &d.Dst} {
			if *e == client {
				e.Port = port
			}
		}
		switch b := d.Payload; {
		case len(b) >= 4 && b[0] == 8:
			d.Payload = append(slices.Clone(b[:4]), version+"\x04Gold"...)
			d.Length = len(d.Payload)
		case noReason && len(b) > 0 && b[0] == 9 && d.Dst.Port == port:
			d.Payload, d.Length = b[:1], 1
		}
	}
	return all
}

// TestVersionsOfOthers: a client that is declined without a reason has, most likely, another
// version of the game than those that the server takes; where it takes one with the same
// version, or nobody else is there, nothing says so.
func TestVersionsOfOthers(t *testing.T) {
	const older, newer = "\x46\xd2\x02\x03", "<\xdc\x02\x03"
	for _, tt := range []struct {
		name   string
		others []string
		silent bool
		want   explain.Cause
		sure   explain.Certainty
		words  string
	}{
		{"another version", []string{newer}, true, explain.VersionMismatch, explain.Likely, "has version 2020.9.7.0, and the server took 1 other client with 2020.10.22.0"},
		{"one with the same", []string{newer, older}, true, explain.Refused, explain.Proved, ""},
		{"nobody else", nil, true, explain.Refused, explain.Proved, ""},
		{"others without a version", []string{"Gold"}, true, explain.Refused, explain.Proved, ""},
		{"and it says so", []string{newer}, false, explain.VersionMismatch, explain.Proved, "took 1 other client with"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := clientWith(t, "version", older, 4000, tt.silent)
			for i, v := range tt.others {
				all = append(all, clientWith(t, "closed-a", v, uint16(5000+i), false)...)
			}
			slices.SortStableFunc(all, func(a, b dissect.Datagram) int { return int(a.Time - b.Time) })
			all = renumber(all)
			// A Hello and a byte are too little to recognise: -d says that it is Hazel.
			hazel := speakers[slices.IndexFunc(speakers, func(p *session.Protocol) bool { return p.Name == "hazel" })]
			table := session.NewTable(session.Config{Protocols: speakers, Endings: true, Force: []session.Force{{Lo: 4000, Hi: 4000, Protocol: hazel}}})
			for i := range all {
				table.Add(&all[i])
			}
			table.Close(all[len(all)-1].Time)
			conns := table.Conns()
			session.Number(conns)
			for _, c := range explain.Tell(conns, nil, all[len(all)-1].Time).Document(conns).Connections {
				if v := c.Verdict; strings.HasSuffix(c.A, ":4000") && (v.Cause != tt.want || v.Certainty != tt.sure || !strings.Contains(v.Sentence, tt.words)) {
					t.Errorf("%s (%s): %s", v.Cause, v.Certainty, v.Sentence)
				} else if strings.HasSuffix(c.A, ":5000") && v.Cause != explain.Closed {
					t.Errorf("the other: %s: %s", v.Cause, v.Sentence)
				}
			}
			if len(conns) != 1+len(tt.others) {
				t.Errorf("%d connections", len(conns))
			}
		})
	}
}
