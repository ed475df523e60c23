//go:build !js

package liveview

import "strings"

// keysHelp are the keys and what they do.
var keysHelp = [][2]string{
	{"↑ ↓ k j", "select a connection; PgUp PgDn Home End go further"},
	{"enter", "all numbers of the selected connection, plots of the last minutes and its latest findings; enter or esc goes back"},
	{"s S → ←", "order by the next or previous column"},
	{"1 … 9", "order by that column of the screen; again to reverse"},
	{"r", "reverse the order"},
	{"/", "show only connections with this text in their addresses, protocol, state or roles"},
	{"esc", "clear the filter and the selection"},
	{"p space", "pause the display; the capture continues"},
	{"h ?", "this page"},
	{"q ctrl-c", "quit"},
}

// remarks are what a column's line has no room for.
var remarks = []string{
	"Loss, Retries and Quality look back ten seconds, or to the previous update if that is longer; rates look back one second.",
	"Loss counts what shows here: numbers that were resent before their acknowledgement was captured, and numbers that never passed. Packets dropped by the capture itself also show as loss: see “dropped” in the first line.",
	"Quality is what players know from Valve's net_graph: of 100 numbered datagrams of a side, how many came at the first attempt and in order. Losses, retries and reordering reduce it.",
	"Ping adds the round trips from here to either side. If only one side's frames are acknowledged, it is the round trip to the other side alone. kNet delays acknowledgements, so its own pings are used.",
	"The plots of a connection show the last five minutes at most, a point every two seconds; each point of the loss looks back ten seconds. They are kept of 1,024 connections.",
	"“-” means that the capture does not show the value. A connection that has ended stays for ten seconds, dimmed.",
}

// help is the lines of the page that explains the others.
func (m *model) help() (lines []string) {
	item := func(name, does string) {
		const indent = 12
		rest := wrap("", does, max(m.width-indent+3, 20))[1:]
		for i, r := range rest {
			lead := strings.Repeat(" ", indent)
			if i == 0 {
				lead = " " + styled(name, m.look.Palette.Protocol) + strings.Repeat(" ", max(1, indent-1-width(name)))
			}
			lines = append(lines, lead+strings.TrimPrefix(r, "   "))
		}
	}
	lines = append(lines, " "+styled("Keys", m.look.Heading))
	for _, k := range keysHelp {
		item(k[0], k[1])
	}
	lines = append(lines, "", " "+styled("Columns", m.look.Heading)+" (a wider terminal shows more)")
	for i := range columns {
		item(columns[i].head, columns[i].help)
	}
	for _, r := range remarks {
		lines = append(lines, "")
		for _, w := range wrap("", r, m.width+2)[1:] {
			lines = append(lines, " "+strings.TrimPrefix(w, "   "))
		}
	}
	return lines
}
