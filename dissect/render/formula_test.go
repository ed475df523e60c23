package render

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// named is a frame with a text of its packet's making.
func named(text string) *dissect.Frame {
	fr := plainFrame()
	fr.Tree = &dissect.Tree{}
	fr.Tree.Reset(fakePayload())
	fr.Tree.Add(&fakeFields[fSeq], 2, 1, 5)
	fr.Tree.AddText(&fakeFields[fName], 17, text)
	fr.Summary = []byte(text)
	return fr
}

// TestNoFormulas: no text of a packet is a formula to a spreadsheet, or makes a column
// that is one; numbers stay what they are.
func TestNoFormulas(t *testing.T) {
	for _, tt := range []struct{ text, options, want string }{
		{"=1+1", "", "'=1+1\t5\n"},
		{"::error::x", "", "'::error::x\t5\n"},
		{" ::error file=a::x", "", "' ::error file=a::x\t5\n"},
		{"fe80::1", "", "fe80::1\t5\n"},
		{"::1", "", "::1\t5\n"},
		{"=1+1", "separator=,", "'=1+1,5\n"},
		{"+1", "separator=;", "'+1;5\n"},
		{"-1", "separator=,", "'-1,5\n"},
		{"@SUM(A1)", "separator=,", "'@SUM(A1),5\n"},
		{"＝1+1", "separator=,", "'＝1+1,5\n"},
		{"\x1b=1", "separator=,", `\x1b=1,5` + "\n"},
		{"\xff=1", "separator=,", `\xff=1,5` + "\n"},
		{"\t=1", "separator=,", `\t=1,5` + "\n"},
		{"\r=1", "separator=,", `\r=1,5` + "\n"},
		{"\n=1", "separator=,", `\n=1,5` + "\n"},
		{"a,=1+1", "separator=,", `"a,=1+1",5` + "\n"},
		{"a,=1+1", "separator=;", "a,=1+1;5\n"},
		{`"=1+1`, "separator=,", `"""=1+1",5` + "\n"},
		{`"=1+1`, "", `"""=1+1"` + "\t5\n"},
		{"=1,2", "separator=,", `"'=1,2",5` + "\n"},
		{"=1+1", "separator=, quote=d", `"'=1+1","5"` + "\n"},
		{`a","=1`, "separator=, quote=d", `"a"",""=1","5"` + "\n"},
		{"=1+1", "quote=s", "'''=1+1'\t'5'\n"},
		{"plain = text", "separator=,", "plain = text,5\n"},
		{"", "separator=,", ",5\n"},
	} {
		for _, name := range []string{"fake.header.name", "summary"} {
			if got := row(t, named(tt.text), tt.options, name, "fake.seq"); got != tt.want {
				t.Errorf("%s %q with %q: %q, want %q", name, tt.text, tt.options, got, tt.want)
			}
		}
	}
	if got, want := row(t, fakeFrame(), "separator=,", "fake.sacked", "summary"), `"6,8,9,10,11","DFRAME seq 5 nrcv 7 RELIABLE, 50 bytes \x1b[31m"`; strings.TrimSuffix(got, "\n") != want {
		t.Errorf("%q, want %q", got, want)
	}
	early := fakeFrame()
	early.Time -= 10 * second
	if got := row(t, early, "separator=,", "frame.time_relative"); got != "-9.000000000\n" {
		t.Errorf("a negative number is %q", got)
	}
}

// TestNoFormulaAmongValues: each of several values is looked at.
func TestNoFormulaAmongValues(t *testing.T) {
	fr := named("=1")
	fr.Tree.AddText(&fakeFields[fName], 17, "-2")
	for options, want := range map[string]string{
		"":                          "'=1,'-2\n",
		"separator=,":               "\"'=1,'-2\"\n",
		"separator=, occurrence=l":  "'-2\n",
		"separator=; aggregator=/s": "'=1 '-2\n",
	} {
		if got := row(t, fr, options, "fake.header.name"); got != want {
			t.Errorf("%q: %q, want %q", options, got, want)
		}
	}
}
