package filter

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// rejected are wrong expressions, the place that is marked and the message.
var rejected = []struct {
	expr           string
	column, length int
	message        string
}{
	{"tp.sq == 1", 1, 5, "unknown field tp.sq (did you mean tp.seq?)"},
	{"seq == 1", 1, 3, "unknown name seq (did you mean tp.seq?)"},
	{"retri", 1, 5, "unknown name retri (did you mean retry?)"},
	{"foo", 1, 3, "unknown name foo"},
	{"tp.seq ==", 8, 2, "a value is missing after =="},
	{"== 1", 1, 2, "unexpected == (expected a field name)"},
	{"tp.seq 1", 8, 1, "unexpected 1 (tests are joined by and, or, xor)"},
	{"(tp", 1, 1, "this ( is not closed"},
	{"tp)", 3, 1, "this ) closes nothing"},
	{"tp and", 4, 3, "a test is missing after and"},
	{"and tp", 1, 3, "unexpected and (expected a field name)"},
	{"not", 1, 3, "a test is missing after not"},
	{"tp tp", 4, 2, "unexpected tp (tests are joined by and, or, xor)"},
	{"tp.seq = 1", 8, 1, "unexpected = (== compares)"},
	{"tp | tp", 4, 1, "unexpected | (|| is or)"},
	{"tp $ tp", 4, 1, "unexpected character '$'"},
	{"\"abc", 1, 1, "this quote is not closed"},
	{"r\"abc", 1, 2, "this quote is not closed"},
	{"'ab'", 1, 4, "ab is a constant, but a field is expected here"},
	{"tp.seq == 'ab'", 11, 4, "ab is not a number"},
	{"tp.name == \"\\q\"", 13, 2, "unknown escape \\q (\\\\ is a backslash, r\"…\" a string without escapes)"},
	{"tp.name == \"\\xzz\"", 13, 2, "bad escape \\x"},
	{"tp.name == \"\\ud800\"", 13, 6, "bad escape \\ud800"},
	{"tp.name == \"\\777\"", 13, 4, "bad escape \\777"},
	{"tp.seq == 256", 11, 3, "256 is too big for tp.seq, maximum 255"},
	{"tp.seq == -1", 11, 2, "tp.seq is never negative"},
	{"tp.seq == 1.5", 11, 3, "1.5 is not a number"},
	{"tp.seq == abc", 11, 3, "abc is not a number"},
	{"tp.seq == \"7\"", 11, 3, "\"7\" is a string, but tp.seq is a number"},
	{"tp.seq == 08", 11, 2, "08 is not a number"},
	{"tp.seq == 1_0", 11, 3, "1_0 is not a number"},
	{"tp.opcode == CONECT", 14, 6, "tp.opcode has no value named CONECT (did you mean CONNECT?)"},
	{"tp.opcode == \"CONECT\"", 14, 8, "tp.opcode has no value named CONECT (did you mean CONNECT?)"},
	{"tp.seq contains 1", 1, 6, "tp.seq is a number, but contains needs text or bytes"},
	{"ip.addr contains \"a\"", 1, 7, "ip.addr is an address, but contains needs text or bytes"},
	{"tp.seq matches \"a\"", 1, 6, "tp.seq is a number, but matches needs text or bytes"},
	{"tp.name matches a", 17, 1, "the regular expression must be a string in double quotes"},
	{"tp.name matches \"(\"", 17, 3, "bad regular expression: missing closing ): `(`"},
	{"tp.name matches tp.name", 17, 7, "matches needs a string"},
	{"tp.seq in", 8, 2, "a set in braces is missing after in"},
	{"tp.seq in 1", 11, 1, "a set in braces is missing before 1"},
	{"tp.seq in {", 11, 1, "a constant is missing after {"},
	{"tp.seq in {}", 12, 1, "a constant is missing before }"},
	{"tp.seq in {1", 11, 1, "this { is not closed"},
	{"tp.seq in {1,", 13, 1, "a constant is missing after ,"},
	{"tp.seq in {1,}", 14, 1, "a constant is missing before }"},
	{"tp.seq in {1 2}", 14, 1, "unexpected 2 (constants of a set are separated by commas)"},
	{"tp.seq in {5..3}", 12, 4, "this range runs backwards"},
	{"tp.seq in {1..}", 15, 1, "a constant is missing before }"},
	{"tp.seq in {300}", 12, 3, "300 is too big for tp.seq, maximum 255"},
	{"tp.seq in {1..300}", 15, 3, "300 is too big for tp.seq, maximum 255"},
	{"tp.seq in {==}", 12, 2, "a constant is missing before =="},
	{"1 in {1}", 1, 1, "the left side of in must be a field, but 1 is a constant"},
	{"1 == 1", 1, 1, "the left side of == must be a field, but 1 is a constant"},
	{"\"a\" contains \"b\"", 1, 3, "the left side of contains must be a field, but a is a constant"},
	{"tp.payloads == 1", 1, 11, "tp.payloads has no value; only its presence can be tested"},
	{"ip == 1", 1, 2, "ip has no value; only its presence can be tested"},
	{"tp.payloads in {1}", 1, 11, "tp.payloads has no value; only its presence can be tested"},
	{"tp.command_flags.poll > 0", 23, 1, "tp.command_flags.poll is a flag, and flags have no order"},
	{"tp.command_flags.poll == 1.5", 26, 3, "1.5 is neither true nor false, but tp.command_flags.poll is a flag"},
	{"tp.command_flags.pol", 1, 20, "unknown field tp.command_flags.pol (did you mean tp.command_flags.poll?)"},
	{"tp.seq[0] == 1", 1, 6, "tp.seq is a number, and only bytes and text have slices"},
	{"tp.body[", 8, 1, "this [ is not closed"},
	{"tp.body[]", 8, 2, "bad slice \"\" (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)"},
	{"tp.body[a]", 9, 1, "bad slice \"a\" (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)"},
	{"tp.body[1:0]", 9, 3, "bad slice \"1:0\" (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)"},
	{"tp.body[3-1]", 9, 3, "bad slice \"3-1\" (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)"},
	{"tp.body[0,]", 8, 4, "bad slice \"\" (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)"},
	{"tp.body[0,x,1]", 11, 1, "bad slice \"x\" (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)"},
	{"tp.body[1048576]", 9, 7, "bad slice \"1048576\" (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)"}, // no datagram is so long: it would never match
	{"tp.body[-1048576]", 9, 8, "bad slice \"-1048576\" (slices are [i], [i:n], [i-j], [:n], [i:] and lists of them)"},
	{"[0]", 1, 3, "unexpected 0 (expected a field name)"},
	{"tp.body]", 8, 1, "this ] closes nothing"},
	{"tp.body == 0x100", 12, 5, "0x100 is not a single byte; longer constants are written 01:02"},
	{"tp.body == xyz", 12, 3, "xyz is not a byte string such as 01:02:ab, but tp.body is bytes"},
	{"tp.body == 123", 12, 3, "123 is not a byte string such as 01:02:ab, but tp.body is bytes"},
	{"tp.body & 01:02 == 01", 20, 2, "01 and the mask of tp.body differ in length"},
	{"tp.body & 01:02:03:04:05:06:07:08:09", 11, 26, "a mask has 1 to 8 bytes"},
	{"tp.name & 1", 1, 7, "tp.name is text, but & needs a number"},
	{"ip.addr == ::1", 12, 3, "::1 is IPv6, and ip.addr is not"},
	{"ipv6.addr == 10.0.0.1", 14, 8, "10.0.0.1 is IPv4, and ipv6.addr is not"},
	{"ip.addr == 10.0.0.0/33", 12, 11, "10.0.0.0/33 is neither an address nor a subnet"},
	{"ip.addr == foo", 12, 3, "foo is neither an address nor a subnet"},
	{"ip.addr < 10.0.0.0/8", 11, 10, "a subnet can only be tested with ==, != and in"},
	{"frame.time == yesterday", 15, 9, "yesterday is not a time such as \"2026-01-31T12:00:00.5Z\", or \"12:00:00.5\" on the first day"},
	{"frame.time == \"yesterday\"", 15, 11, "yesterday is not a time such as \"2026-01-31T12:00:00.5Z\", or \"12:00:00.5\" on the first day"},
	{"frame.time in {12:00, yesterday}", 23, 9, "yesterday is not a time of the day such as \"12:00:00.5\""},
	{"frame.time_delta == 5ms", 21, 3, "5ms is not a number of seconds such as 0.25"},
	{"frame.time_delta == 0.0000000001", 21, 12, "0.0000000001 is not a number of seconds such as 0.25"},
	{"frame.time_delta == \"1\"", 21, 3, "1 is not a number of seconds such as 0.25"},
	{"tp.name == tp.seq", 12, 6, "tp.name is text and tp.seq is a number, which can't be compared"},
	{"tp.seq == tp.name", 11, 7, "tp.seq is a number and tp.name is text, which can't be compared"},
	{"tp.seq == ip.addr", 11, 7, "tp.seq is a number and ip.addr is an address, which can't be compared"},
	{"analysis == rety", 13, 4, "analysis is never \"rety\" (did you mean retry?)"},
	{"direction == c", 14, 1, "direction is never \"c\" (did you mean a or b?)"},
	{"note.severity == bad", 18, 3, "note.severity is never \"bad\""},
	{"any tp", 1, 6, "any and all need a comparison"},
	{"all", 1, 3, "a test is missing after all"},
	{"any", 1, 3, "a test is missing after any"},
	{"len(tp.seq) == 1", 5, 6, "tp.seq is a number, but len needs text or bytes"},
	{"len(tp.body)", 1, 12, "len(tp.body) needs a comparison"},
	{"len()", 1, 5, "len needs a field"},
	{"len(", 4, 1, "a test is missing after ("},
	{"len(tp.body", 4, 1, "this ( is not closed"},
	{"len(tp.body, tp.name) == 1", 12, 1, "len needs one field"},
	{"len(\"abc\") == 3", 5, 5, "len needs a field, but abc is a constant"},
	{"lenn(tp.body) == 1", 1, 4, "unknown function lenn (did you mean len?)"},
	{"lower(tp.seq) == 1", 7, 6, "tp.seq is a number, but lower and upper need text"},
	{"string(tp.body) == \"x\"", 8, 7, "tp.body is bytes, but string needs a number or an address"},
	{"count(ip) == 1", 7, 2, "ip has no values to count"},
	{"tp.seq & == 1", 10, 2, "a constant is missing before =="},
	{"tp.seq & tp.seq", 10, 6, "tp.seq is not a number"},
	{"tp.seq == == 1", 11, 2, "a value is missing before =="},
	{"tp.seq == (1)", 11, 1, "a value is missing before ("},
	{"(tp.seq) == 1", 10, 2, "unexpected == (tests are joined by and, or, xor)"},
	{"tp.seq not 1", 8, 3, "unexpected not (tests are joined by and, or, xor)"},
	{"1", 1, 1, "1 is a constant, but a field is expected here"},
	{"\"abc\"", 1, 5, "abc is a constant, but a field is expected here"},
	{"10.0.0.1", 1, 8, "10.0.0.1 is a constant, but a field is expected here"},
	{"true", 1, 4, "true is a constant, but a field is expected here"},
	{"tp.ver.sion", 1, 11, "unknown field tp.ver.sion (did you mean tp.version?)"},
	{"tp.payloads.siz > 1", 1, 15, "unknown field tp.payloads.siz (did you mean tp.payloads.size?)"},
	{"é == 1", 1, 1, "unexpected character 'é'"},
	{"tp.seq == é", 11, 1, "unexpected character 'é'"},
	{"tp.name contains", 9, 8, "a value is missing after contains"},
	{"tp.name contains and tp", 18, 3, "a value is missing before and"},
	{"in {1}", 1, 2, "unexpected in (expected a field name)"},
	{"tp.seq == 1 && || tp", 16, 2, "a test is missing before ||"},
	{"tp.seq + 1 == 2", 8, 1, "unexpected + (tests are joined by and, or, xor)"},
	{"tp..seq", 3, 2, "unexpected .. (tests are joined by and, or, xor)"},
	{"frame.type == 1", 1, 10, "unknown field frame.type (did you mean frame.time?)"},
	{"conection == 1", 1, 9, "unknown name conection (did you mean connection?)"},
	{strings.Repeat("(", syntax.MaxDepth+1) + "tp", syntax.MaxDepth + 1, 1, "nested more than 100 deep"},
	{strings.Repeat("not ", syntax.MaxDepth+1) + "tp", 4*syntax.MaxDepth + 1, 3, "nested more than 100 deep"},
	{strings.Repeat("len(", syntax.MaxDepth+1) + "tp", 4*syntax.MaxDepth + 1, 3, "nested more than 100 deep"},
	{"tp.body" + strings.Repeat("[0:]", syntax.MaxDepth+1), 7 + 4*syntax.MaxDepth + 1, 4, "nested more than 100 deep"},
	{"tp" + strings.Repeat(" ", syntax.MaxLength), syntax.MaxLength + 1, 2, "the expression is longer than 65536 bytes"},
	{`tp.name == "ééé" and tp.sq`, 22, 5, "unknown field tp.sq (did you mean tp.seq?)"},
}

func TestErrors(t *testing.T) {
	for _, c := range rejected {
		_, err := Compile(c.expr, testSet)
		var e *syntax.Error
		if !errors.As(err, &e) {
			t.Errorf("%.80s: accepted", c.expr)
			continue
		}
		if e.Column != c.column || e.Length != c.length || e.Message != c.message {
			t.Errorf("%.80s:\n got {%d, %d, %q}\nwant {%d, %d, %q}", c.expr, e.Column, e.Length, e.Message, c.column, c.length, c.message)
		}
	}
}

func TestRender(t *testing.T) {
	for expr, want := range map[string]string{
		"tp.sq == 1":                       "  tp.sq == 1\n  ^~~~~",
		"tp and tp.sq":                     "  tp and tp.sq\n         ^~~~~",
		"tp.name == \"é\x1b\"\tand x":      "  tp.name == \"é\ufffd\" and x\n" + strings.Repeat(" ", 22) + "^",
		strings.Repeat("tp or ", 99) + "x": "  " + strings.Repeat("tp or ", 99)[595-160:] + "x\n" + strings.Repeat(" ", 2+159) + "^",
	} {
		_, err := Compile(expr, testSet)
		if got := err.(*syntax.Error).Render(); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", expr, got, want)
		}
		if !strings.HasSuffix(err.Error(), want) || !strings.HasPrefix(err.Error(), "unknown ") {
			t.Errorf("%q: Error is %q", expr, err.Error())
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, exprs := range matching {
		for _, e := range exprs {
			f.Add(e)
		}
	}
	for _, c := range rejected {
		if len(c.expr) < 1000 {
			f.Add(c.expr)
		}
	}
	fr := testFrame()
	f.Fuzz(func(t *testing.T, expr string) {
		filter, err := Compile(expr, testSet)
		if err == nil {
			filter.Match(fr, testTimes)
			return
		}
		e := err.(*syntax.Error)
		if e.Column < 1 || e.Length < 1 || e.Column-1+e.Length > utf8.RuneCountInString(expr) {
			t.Errorf("%q: column %d, length %d", expr, e.Column, e.Length)
		}
		if lines := strings.Split(e.Render(), "\n"); len(lines) != 2 {
			t.Errorf("%q: rendered as %q", expr, e.Render())
		}
		if e.Message == "" {
			t.Errorf("%q: no message", expr)
		}
	})
}
