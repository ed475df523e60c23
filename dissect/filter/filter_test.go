package filter

import (
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

// expectations: each expression and what it says of testFrame.
var matching = map[string][]string{
	"presence": {
		"", "  ", "tp", "tp.seq", "tp.payloads", "tp.sacked", "udp", "ip", "frame", "not ipv6", "not other", "not other-lan",
		"tp.command_flags", "note", "analysis", "not tp.absent", "type", "direction", "summary", "not icmp", "tp.ordered == 0",
	},
	"flags": {
		"tp.command_flags.poll", "tp.command_flags.data == 1", "tp.command_flags.poll == true", "tp.command_flags.poll == TRUE",
		"tp.command_flags.poll == 2", "not tp.command_flags.poll == False", "not tp.ordered", "not tp.command_flags.cframe",
		"tp.command_flags.poll != 0", "not tp.command_flags.cframe == 0", "tp.command & 0x08", "not tp.command & 0x10",
		"tp.command & 0x0f == 9", "tp.command bitand 0x08 == 8", "tp.command bitwise_and 8 in {8}", "tp.command & 0x0c & 0x08",
		"tp.command_flags & 1", "not tp.absent & 1", "tp.command_flags.poll in {true}", "tp.command_flags.poll == tp.command_flags.data",
		"tp.command_flags.poll == tp.payloads.size or true == tp.command_flags.poll", "all tp.command_flags.poll",
	},
	"numbers": {
		"tp.seq == 7", "tp.seq eq 0x7", "tp.seq == 07", "tp.seq == 0b111", "tp.seq == '\\a'", "tp.seq != 8", "tp.seq ne 8",
		"tp.seq > 6", "tp.seq gt 6", "not tp.seq > 7", "tp.seq < 8", "tp.seq lt 8", "not tp.seq < 7", "tp.seq >= 7", "tp.seq ge 7",
		"tp.seq <= 7", "tp.seq le 7", "7 == tp.seq", "6 < tp.seq", "6 < tp.seq < 8", "not 6 < tp.seq < 7", "8 >= tp.seq > 6",
		"tp.session_id == 0x79c9aec6", `tp.session_id == "0x79c9aec6"`, "tp.version == 1.6", `tp.version == "1.6"`, "tp.version == 0x10006",
		"tp.version < 1.7", "tp.mask == 0x8000000000000005", `tp.mask == "0x8000000000000005"`, "tp.mask & 4",
		"tp.opcode == 1", "tp.opcode == CONNECT", `tp.opcode == "CONNECT"`, "tp.opcode == connect", "tp.opcode in {SACK, CONNECT}",
		"not tp.absent == 1", "not tp.absent != 1", "not tp.absent > 0", "not tp.absent in {0..65535}", "not tp.absent not in {1}",
		"tp.sacked == 9", "not tp.sacked == 7", "tp.sacked > 11", "not tp.sacked == -1", "tp.sacked > -1", "tp.sacked > tp.seq",
		"tp.seq < tp.sacked", "not tp.seq == tp.sacked",
	},
	"quantifiers": {
		"tp.payloads.size == 20", "not tp.payloads.size != 20", "tp.payloads.size != 21", "tp.payloads.size !== 20",
		"tp.payloads.size any_ne 20", "not tp.payloads.size === 20", "not tp.payloads.size all_eq 20", "tp.seq === 7",
		"tp.payloads.size all_ne 21", "tp.payloads.size any_eq 30", "all tp.payloads.size >= 10", "not all tp.payloads.size > 10",
		"any tp.payloads.size > 29", "any tp.payloads.size != 20", "all tp.payloads.size == 20 or tp.seq == 7",
		"all tp.payloads.size in {10..30}", "not all tp.payloads.size in {10, 20}", "tp.payloads.size in {20}",
		"not tp.payloads.size not in {20}", "tp.payloads.size not in {21}", "any tp.payloads.size not in {20}", "not all tp.absent == 1",
		"all tp.payloads.size > tp.seq", "not udp.srcport === udp.port", "udp.srcport == udp.port", "not udp.srcport != udp.port",
		"udp.srcport !== udp.port", "udp.srcport != udp.dstport", "not tp.absent != tp.seq", "not tp.seq === tp.absent",
	},
	"sets": {
		"tp.seq in {7}", "tp.seq in {1, 3..5, 7}", "tp.seq in {1,5..9}", "tp.seq in { 5 .. 9 }", "not tp.seq in {8..9}",
		"tp.seq not in {8..9}", `type in {"DFRAME", "SACK"}`, "type in {DFRAME, SACK}", `type in {"A".."Z"}`,
		"ip.src in {10.0.0.0/8}", "ip.src in {10.0.0.0 .. 10.0.0.5}", "ip.src in {10.0.0.0..10.0.0.1}", "ip.addr not in {10.1.0.0/16, 1.2.3.4}",
		"frame.time_delta in {0.2 .. 0.25}", "tp.body in {48:65:6c:6c:6f}", "tp.body in {61, \"Hello\"}",
	},
	"bytes": {
		`tp.body == "Hello"`, "tp.body == 48:65:6c:6c:6f", "tp.body == 48.65.6c.6c.6f", "tp.body == 48-65-6C-6c-6f", "tp.body == 48656c6c6f",
		`tp.body == r"Hello"`, `tp.body == "\x48\145llo"`, `tp.body contains "ell"`, "tp.body contains 6c:6c", "tp.body contains 0x6f",
		"tp.body contains 'o'", `not tp.body contains "ELL"`, `tp.body matches "^hel+o$"`, `not tp.body matches "(?-i)^hel+o$"`, `tp.body ~ r"\w"`,
		`tp.body > "Hell"`, `tp.body < "Hellp"`, "tp.body[0:4] == \"Hell\"", "tp.body[0] == 48", "tp.body[0] == 0x48", "tp.body[1-3] == 65:6c:6c",
		"tp.body[:2] == 48:65", "tp.body[3:] == 6c:6f", "tp.body[-2:] == \"lo\"", "tp.body[-2:1] == 6c", "tp.body[-1] == 6f", "tp.body[-4--2] == \"ell\"",
		"tp.body[1--1] == \"ello\"", "tp.body[0,2-3,-1:] == \"Hllo\"", "tp.body[ 0 , 4 ] == \"Ho\"", "tp.body[0:2][1] == 65", "not tp.body[5]", "not tp.body[1048575]", "not tp.body[-1048575]", "tp.body[4]",
		"not tp.body[0:6]", "not tp.body[9] == 0", "not tp.body[9] != 0", "not tp.body[-6]", "not tp.body[3:3]", "not tp.body[0,7] == 48",
		"tp.body[0] & 0x0f == 8", "tp.body[0] & 40", "tp.body[0:2] & f0:0f == 40:05", "not tp.body[0:3] & f0:0f", "tp.body[0] & 0f in {08}",
		"tp.payloads.data == 'e'", "tp.payloads.data[0] == 6c", "tp[0] == 07", "tp contains \"Hello\"", "udp.payload[-2:] == ff:00",
		"not tp.no_bytes == 00", "not other contains \"H\"", "not other == 07", "tp.body == tp.body", "tp contains tp.body", "not tp.no_bytes",
	},
	"text": {
		`tp.name == "Alice"`, "tp.name == Alice", `tp.name contains "lic"`, `tp.name matches "^alice$"`, `tp.name ~ r"^a\w+$"`, `not tp.name matches "bob"`,
		`lower(tp.name) == "alice"`, `upper(tp.name) contains "ALI"`, `tp.name[0:2] == "Al"`, `tp.name[0,-1] == "Ae"`, `tp.name > "Al"`, `not tp.name == "alice"`,
		`type == "SACK"`, "type == SACK", "type != DFRAME", `protocol == "tp"`, "protocol == tp", "direction == a", `direction == "a"`, "direction != b",
		`summary contains "Hello"`, `summary matches "^sack \\d"`, "summary contains Hello", `lower(summary) contains "hello"`, `summary == "SACK 7, Hello"`,
		"not summary contains retry", `string(tp.seq) matches "^7$"`, `string(ip.src) == "10.0.0.1"`, `string(tp.sacked) contains "12"`,
		`type == "S\101\u0043\U0000004b"`, `tp.name != "a\"b\\\n"`, "summary contains tp.name or tp.seq", "type == type", "not type == protocol",
	},
	"functions": {
		"len(tp.body) == 5", "len(tp.name) > 4", "len(tp.body[1:]) == 4", "count(tp.payloads) == 3", "count(tp.payloads.size) == 3",
		"count(tp.sacked) == 3", "count(tp.absent) == 0", "count(udp.port) in {2}", "count(ipv6.addr) == 0", "len(tp.payloads.data) === 1",
		"not len(tp.no_bytes) == 0", "len (tp.body) == 5", "len(lower(tp.name)) == 5", "3 == count(tp.payloads)", "len(tp.body) & 4",
	},
	"frame": {
		"frame.number == 12", "frame.len == 60", "frame.cap_len == 52", "frame.cap_len < frame.len", "ip.ttl == 64", "ip.id == 0x1234",
		"udp.port == 2302", "udp.port == 6073", "udp.srcport == 2302", "udp.dstport == 6073", "udp.length == 18", "not udp.port == 1", "udp.port != 1", "not udp.port != 2302",
		"ip.addr == 10.0.0.1", "ip.src == 10.0.0.0/8", "ip.dst == 192.168.7.9", `ip.addr == "192.168.0.0/16"`, "ip.src != 10.1.0.0/16", "not ip.addr != 10.0.0.0/8",
		"ip.src < 10.0.0.2", "ip.src == 0.0.0.0/0", "not ipv6.addr == ::/0", "not ipv6.addr", "not ipv6.addr != ::1", "not ipv6.hlim", "10.0.0.0/8 == ip.addr", "ip.src != ip.dst",
		"frame.time == 2026-01-31T12:00:00.5Z", `frame.time == "2026-01-31T12:00:00.5Z"`, `frame.time >= "2026-01-31"`, `frame.time < "2026-01-31 12:00:01"`,
		"frame.time == 2026-01-31T13:00:00.5+01:00", `frame.time > "Jan 30, 2026 23:18:04.954975"`, "frame.time_epoch == 1769860800.5", "frame.time_epoch > 1769860800",
		`frame.time >= "12:00"`, `frame.time < "12:00:01"`, "frame.time == 12:00:00.5", `not frame.time >= "12:01"`, `"11:59" < frame.time`, `frame.time in {"11:59" .. "12:00:00.5"}`,
		"frame.time_relative == 1.5", "frame.time_relative > 1", "frame.time_delta == 0.25", "frame.time_delta == .25", "frame.time_delta > -1", "frame.time_delta <= 0.250000000",
	},
	"analysis": {
		"retry", "unneeded-retry", "unneeded_retry", "analysis.retry", "analysis.unneeded-retry", "analysis.unneeded_retry", "not malformed", "retry == 1",
		`analysis == "retry"`, "analysis == retry", `analysis == "unneeded_retry"`, "analysis == unneeded-retry", `analysis contains "unneeded"`, "not analysis == gap",
		"analysis in {gap, retry}", `analysis matches "RETRY$"`, "not gap-filled", "retry == true", "gap == false", "analysis != gap", "not analysis != retry",
		"note.rule == \"TP-1\"", "note.rule == TP-2", "note.severity == error", "note.severity == \"note\"", "note.message contains \"ba\"", "not note.severity == warn",
		"count(note.rule) == 2", "note.severity in {warn, error}",
	},
	"logic": {
		"tp and retry", "tp && retry", "other or tp", "other || tp", "not other", "!other", "! other && tp", "not not tp", "!!tp", "tp xor other", "tp ^^ other",
		"not (tp xor retry)", "tp xor retry xor frame", "other and other or tp", "tp or other and other", "tp xor tp or tp", "tp or tp xor tp", "other xor tp and tp",
		"not other and tp", "not (tp and other)", "!(other)", "(tp)", "((tp.seq == 7))", "not tp.seq == 8", "!tp.seq == 8", "tp.seq==7&&tp.opcode==1",
		"tp.seq == 7\n\tand tp.opcode == 1", "other and tp or tp and not other or other",
	},
}

func TestMatch(t *testing.T) {
	fr := testFrame()
	for group, exprs := range matching {
		t.Run(group, func(t *testing.T) {
			for _, expr := range exprs {
				if !compile(t, expr).Match(fr, testTimes) {
					t.Errorf("%s does not match", expr)
				}
				if inner := "not (" + expr + ")"; strings.TrimSpace(expr) != "" && compile(t, inner).Match(fr, testTimes) {
					t.Errorf("%s matches", inner)
				}
			}
		})
	}
}

func TestIPv6(t *testing.T) {
	fr := testFrame()
	fr.IPv6 = true
	fr.Src.IP = [16]byte{0xfe, 0x80, 15: 1}
	fr.Dst.IP = [16]byte{0x20, 1, 15: 9}
	for _, expr := range []string{
		"ipv6", "ipv6.addr == fe80::1", "ipv6.src == fe80::/10", "ipv6.dst in {2001::..2001::ff}", "not ip", "not ip.addr",
		"not ip.addr != 1.2.3.4", "ipv6.hlim == 64", "not ip.id", "not ip.ttl", "ipv6.dst == 2001::9/128", "ipv6.src != ::/1", "ipv6.dst == ::/0",
	} {
		if !compile(t, expr).Match(fr, Times{}) {
			t.Errorf("%s does not match", expr)
		}
	}
}

// A frame that has nothing that could be missing.
func TestBareFrame(t *testing.T) {
	fr := &dissect.Frame{Datagram: &dissect.Datagram{}, Protocol: "udp"}
	for _, expr := range []string{
		"tp", "tp.seq", "tp.sacked", "tp.sacked == 1", "tp.command_flags.poll", "tp.command_flags.poll == 0", "tp.body", "tp.name == x",
		"frame.time", "frame.time_delta == 0", "type", "direction", "summary", "analysis", "note", "note.rule != x", "udp.payload", "analysis != retry",
		"tp.payloads", "tp.body[0]", "len(tp.body) >= 0", "tp.seq & 1", "tp.seq !== 1",
	} {
		if compile(t, expr).Match(fr, Times{}) {
			t.Errorf("%s matches", expr)
		}
	}
}

func TestRowsThatShareAName(t *testing.T) {
	fr := testFrame()
	fr.Tree.Reset(fr.Payload)
	fr.Tree.Add(&fCframe, 1, 1, 0x88)
	for _, expr := range []string{"tp.command == 0x88", "tp.command_flags.cframe", "tp.command_flags.poll", "not tp.command_flags.data", "not tp.command_flags.data == 0"} {
		if !compile(t, expr).Match(fr, Times{}) {
			t.Errorf("%s does not match", expr)
		}
	}
}

func TestNeedsTree(t *testing.T) {
	for expr, want := range map[string]bool{
		"": false, "tp": false, "retry and udp.port == 1": false, "tp[0] == 1": false, "tp.seq": true, "udp.port == 1 or not tp.command_flags.poll": true,
		"count(tp.payloads) > 1": true, "udp.port > tp.seq": true, "tp.payloads": true, "len(tp.body[1:]) > 1": true, "frame.undecoded": true,
	} {
		if got := compile(t, expr).NeedsTree(); got != want {
			t.Errorf("%s: NeedsTree %v", expr, got)
		}
	}
}

func TestClock(t *testing.T) {
	var c Clock
	for i, want := range []Times{{0, 0}, {5, 5}, {3, -2}, {10, 7}} {
		if got := c.Next([]int64{100, 105, 103, 110}[i]); got != want {
			t.Errorf("packet %d: %v, want %v", i, got, want)
		}
	}
}

func TestSet(t *testing.T) {
	if c := testSet.Conflicts(); len(c) > 0 {
		t.Errorf("conflicts: %v", c)
	}
	names := testSet.Names()
	for i, n := range names[1:] {
		if n.Name <= names[i].Name {
			t.Errorf("%s behind %s", n.Name, names[i].Name)
		}
	}
	clash := NewSet([]*dissect.Protocol{testProtocol, {Name: "udp", Fields: []*dissect.Field{{Name: "tp.seq", Kind: dissect.Bytes}, {Name: "frame.len", Kind: dissect.Uint}}}})
	if got := clash.Conflicts(); len(got) != 3 {
		t.Errorf("conflicts %q, want 3", got)
	}
}

func TestString(t *testing.T) {
	if got := compile(t, "tp.seq ==  7").String(); got != "tp.seq ==  7" {
		t.Error(got)
	}
}

// TestTimeOfDayZone checks that a time of the day is one of the day of the first packet, in
// the zone of the set: the frame is captured on the day after at 00:30 there.
func TestTimeOfDayZone(t *testing.T) {
	set := NewSet([]*dissect.Protocol{testProtocol})
	set.Zone = time.FixedZone("east", 45000) // 12.5 hours
	for expr, want := range map[string]bool{
		`frame.time == "00:30:00.5"`: true, `frame.time < "00:31"`: true, `frame.time >= "12:00"`: false,
	} {
		f, err := Compile(expr, set)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Match(testFrame(), testTimes); got != want {
			t.Errorf("%s: %v", expr, got)
		}
	}
	before := testTimes
	before.Relative = 3600e9 // the first packet came on the day before
	if f, _ := Compile(`frame.time == "24:30"`, set); f != nil {
		t.Error("there is no 24:30")
	}
	f, err := Compile(`frame.time >= "23:59"`, set)
	if err != nil || !f.Match(testFrame(), before) {
		t.Errorf("past midnight is after 23:59 of the first day (%v)", err)
	}
}
