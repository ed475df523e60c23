package manual

import (
	"strings"
	"testing"
)

const page = "# Title\n\nText of `code -x`, a **strong** word, a [link](other.md#x),\nand 2 * 3 \\| 4 * 5.\n\n## Part\n\n" +
	"```\n.code -x \\ end\n\n  more\n```\n\n- one `a`\n  goes on\n- two\n\n| head | is |\n|---|---|\n| `x` | first |\n| `y\\|z` | second, `-q` |\n" +
	"| `a name that is longer than the room` | third |\n\n### Below\n\nEnd.\n\n## Other\n\nNo.\n"

func TestText(t *testing.T) {
	want := `<Title>

Text of code -x, a strong word, a link,
and 2 * 3 | 4 * 5.

<Part>

    .code -x \ end

      more

- one a goes on
- two

  x    first
  y|z  second, -q
  a name that is longer than the room
       third

<Below>

End.

<Other>

No.
`
	if got := Parse(page).Text(40, Look{"<", ">"}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestSection(t *testing.T) {
	got := Parse(page).Section("Part").Text(40, Look{})
	if !strings.HasPrefix(got, "Part\n") || !strings.HasSuffix(got, "Below\n\nEnd.\n") {
		t.Errorf("%s", got)
	}
	if Parse(page).Section("None") != nil {
		t.Error("a section that is not there was found")
	}
}

func TestMan(t *testing.T) {
	want := `.TH "X\-Y" 7 "" "v1" "dpdissect"
.SH NAME
x\-y \- what it is
.SH DESCRIPTION
.PP
Text of \fBcode \-x\fR, a \fBstrong\fR word, a link, and 2 * 3 | 4 * 5.
.SH PART
.PP
.RS 4
.nf
\&.code \-x \e end

  more
.fi
.RE
.IP \(bu 2
one \fBa\fR goes on
.IP \(bu 2
two
.TP
\fBx\fR
first
.TP
\fBy|z\fR
second, \fB\-q\fR
.TP
\fBa name that is longer than the room\fR
third
.SH BELOW
.PP
End.
.SH OTHER
.PP
No.
`
	if got := Title("x-y", 7, "v1", "what it is") + Parse(page).Man(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestPlain(t *testing.T) {
	want := ".PP\nOne\\-two three.\n.PP\n.RS 4\n.nf\n  \\(aqas it is\\(aq\n.fi\n.RE\n.PP\n\\&.four\n"
	if got := Plain("One-two\nthree.\n\n  'as it is'\n.four\n"); got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}
