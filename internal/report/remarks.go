package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
)

// appendRemarks appends what is worth a line below the totals: protocols beside the
// connections, and a protocol that was forced on what speaks another one.
func (p *painter) appendRemarks(dst []byte, a *Analysis, width int) []byte {
	if n := a.Totals.Neighbours; len(n) > 0 {
		dst = terminal.AppendLines(dst, "", "", neighboursText(n), width)
	}
	for _, text := range forcedBadly(a.Conns) {
		dst = terminal.AppendLines(dst, p.Warn.Start, p.Warn.Stop, text, width)
	}
	return dst
}

// UndecidedText says what Totals.Undecided means.
func UndecidedText(n uint64) string {
	return terminal.Counted(n, "address pair") + " given up before recognition: too many at the same time, as in a flood. Connections may be missing, or their beginnings."
}

// StoriesText says what explain.Document.LeftOut means.
func StoriesText(n uint64) string {
	return "There was no room to remember how " + terminal.Counted(n, "address pair") + " came to be recognised, or why not."
}

// neighboursText is "Beside connections: 3 datagrams of dtls (Datagram Transport Layer
// Security); …".
func neighboursText(list []session.NeighbourCount) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, terminal.Counted(n.N, "datagram")+" of "+n.Protocol.Name+" ("+n.Protocol.Title+")")
	}
	return "Besides connections: " + strings.Join(parts, "; ") + "; 'dpdissect decode -Y " + list[0].Protocol.Name + "' shows them."
}

// forcedBadly says of each protocol that --decode-as named that much of what it was
// forced on is malformed in it.
func forcedBadly(conns []*session.Conn) (texts []string) {
	type count struct {
		name          string
		malformed, of uint64
	}
	var all []count
	for _, c := range conns {
		if c.DetectedBy != session.ByDecodeAs {
			continue
		}
		i := slices.IndexFunc(all, func(n count) bool { return n.name == c.Protocol.Name })
		if i < 0 {
			i = len(all)
			all = append(all, count{name: c.Protocol.Name})
		}
		malformed, of := c.Malformed()
		all[i].malformed += malformed
		all[i].of += of
	}
	for _, n := range all {
		if 4*n.malformed > n.of {
			texts = append(texts, strconv.FormatUint(n.malformed, 10)+" of "+terminal.Counted(n.of, "datagram")+" malformed as "+n.name+": is -d right?")
		}
	}
	return texts
}
