package wireshark

import (
	"fmt"
	"strings"
)

// ProfileName is the name of the profile that install writes.
const ProfileName = "dpdissect"

// profile gives the files of the profile by their names.
func profile() map[string][]byte {
	return map[string][]byte{
		"preferences":     preferences(),
		"colorfilters":    colours(),
		"dfilter_buttons": buttons(),
	}
}

// columns are those of the packet list: title and format.
var columns = [][2]string{
	{"No.", "%m"}, {"Time", "%t"}, {"Source", "%s"}, {"Destination", "%d"}, {"Protocol", "%p"}, {"Length", "%L"},
	{"Conn", "%Cus:dpdissect.connection:0:R"}, {"RTT ms", "%Cus:dpdissect.ack_rtt_ms:0:R"}, {"Info", "%i"},
}

// preferences are those that differ from Wireshark's. Heuristics go first so that no dissector
// of a usual port shows a packet before ours does.
func preferences() []byte {
	b := []byte("# Profile of dpdissect.\ngui.column.format:\n")
	for i, c := range columns {
		end := ",\n"
		if i == len(columns)-1 {
			end = "\n"
		}
		b = fmt.Appendf(b, "\t%q, %q%s", c[0], c[1], end)
	}
	return append(b, "udp.try_heuristic_first: TRUE\n"...)
}

// A colour is a rule of the packet list; those in front go first. The pairs differ in
// brightness as well as in hue, for eyes that do not tell red from green.
type colour struct {
	name, filter           string
	background, foreground [3]int // of 65535
}

func colours() []byte {
	var warnings, losses []string
	for _, e := range experts {
		name := postName + "." + strings.ReplaceAll(e.word, "-", "_")
		switch e.severity {
		case "WARN":
			warnings = append(warnings, name)
		case "NOTE":
			losses = append(losses, name)
		}
	}
	black, white := [3]int{0, 0, 0}, [3]int{65535, 65535, 65535}
	b := []byte("# Colours of dpdissect: the gravest first.\n")
	for _, c := range []colour{
		{"dpdissect: error", "dpdissect.finding.error or dpdissect.bad_signature or dpdissect.malformed", [3]int{34952, 8738, 21845}, white},
		{"dpdissect: warning", strings.Join(warnings, " or "), [3]int{60909, 36751, 8738}, black},
		{"dpdissect: note", strings.Join(losses, " or "), [3]int{61680, 58596, 16962}, black},
		{"dpdissect: opening and close", "dpdissect.handshake or dpdissect.close or dpdissect.new_connection", [3]int{35466, 52428, 61166}, black},
		{"dpdissect: KeepAlive", "dpdissect.keepalive", [3]int{56797, 56797, 56797}, black},
	} {
		b = fmt.Appendf(b, "@%s@%s@[%d,%d,%d][%d,%d,%d]\n", c.name, c.filter, c.background[0], c.background[1], c.background[2],
			c.foreground[0], c.foreground[1], c.foreground[2])
	}
	return b
}

func buttons() []byte {
	b := []byte("# Buttons of dpdissect.\n")
	for _, x := range [][3]string{
		{"Findings", "dpdissect.rule", "packets with findings"},
		{"Retries", "dpdissect.retry or dpdissect.unneeded_retry", "what was sent again"},
		{"Losses", "dpdissect.gap or dpdissect.gap_filled or dpdissect.ack_of_uncaptured", "where numbers are missing"},
		{"Handshake", "dpdissect.handshake or dpdissect.close", "how connections began and ended"},
	} {
		b = fmt.Appendf(b, "\"TRUE\",%q,%q,%q\n", x[0], x[1], x[2])
	}
	return b
}
