package capfilter

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/bpf"
)

// ReadDDD reads a program in the form that tcpdump -ddd prints: a line with the
// number of instructions, then for each a line of its code, the two jumps and the
// constant. Errors name the file, line and column; name is that of the file. The
// program is valid as NewVM wants it, except that it may use what only the kernel
// knows of packets.
func ReadDDD(name string, r io.Reader) ([]bpf.Instruction, error) {
	d := &dddReader{name: name, lines: bufio.NewScanner(r)}
	d.lines.Buffer(make([]byte, 256), 4096)
	fields := d.next()
	n := d.number(fields, 0, 1, "a number of instructions", maxProgram)
	d.noMore(fields, 1)
	var prog []bpf.Instruction
	for i := 0; d.err == nil && i < int(n); i++ {
		if in := d.instruction(int(n) - i - 1); d.err == nil {
			prog = append(prog, in)
		}
	}
	if d.err == nil {
		if rest := d.next(); d.err == nil && rest != nil {
			d.fail(rest[0].column, "there are more lines than the %d instructions of line 1", n)
		} else if d.err == errNoLine {
			d.err = nil
		}
	}
	if d.err == errNoLine {
		d.err = fmt.Errorf("%s:%d: the file ends after %d of %d instructions", name, d.line, len(prog), n)
	}
	if d.err != nil {
		return nil, d.err
	}
	return prog, nil
}

// errNoLine says that the file ended.
var errNoLine = io.EOF

// A dddReader reads lines of numbers. The first error sticks.
type dddReader struct {
	name  string
	lines *bufio.Scanner
	line  int
	err   error
}

// A dddField is a word of a line.
type dddField struct {
	text   string
	column int // in characters, from 1
}

// fail records an error at a column of the current line.
func (d *dddReader) fail(column int, format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%s:%d:%d: %s", d.name, d.line, column, fmt.Sprintf(format, args...))
	}
}

// next gives the words of the next line that has any.
func (d *dddReader) next() []dddField {
	for d.err == nil {
		if !d.lines.Scan() {
			if d.err = d.lines.Err(); d.err == nil {
				d.err = errNoLine
			} else {
				d.err = fmt.Errorf("%s:%d: %w", d.name, d.line+1, d.err)
			}
			return nil
		}
		d.line++
		if fields := splitFields(d.lines.Text()); fields != nil {
			return fields
		}
	}
	return nil
}

// splitFields gives the words of a line.
func splitFields(line string) []dddField {
	var fields []dddField
	for at := 0; at < len(line); {
		if strings.IndexByte(" \t\r", line[at]) >= 0 {
			at++
			continue
		}
		n := strings.IndexAny(line[at:], " \t\r")
		if n < 0 {
			n = len(line) - at
		}
		fields = append(fields, dddField{line[at : at+n], utf8.RuneCountInString(line[:at]) + 1})
		at += n
	}
	return fields
}

// number reads the i-th word, between low and high.
func (d *dddReader) number(fields []dddField, i int, low uint64, what string, high uint64) uint64 {
	if d.err != nil {
		return 0
	}
	if i >= len(fields) {
		last := fields[len(fields)-1]
		d.fail(last.column+utf8.RuneCountInString(last.text), "%s is missing", what)
		return 0
	}
	n, err := strconv.ParseUint(fields[i].text, 10, 64)
	if err != nil || n < low || n > high {
		d.fail(fields[i].column, "%s is %s from %d to %d", clip(fields[i].text), "not "+what, low, high)
	}
	return n
}

// clip shortens a word for a message and makes it printable.
func clip(s string) string {
	if len(s) > 20 {
		s = strings.ToValidUTF8(s[:20], "") + "…"
	}
	return strconv.Quote(s)
}

// noMore fails if a line has more than n words.
func (d *dddReader) noMore(fields []dddField, n int) {
	if d.err == nil && len(fields) > n {
		d.fail(fields[n].column, "unexpected %s", clip(fields[n].text))
	}
}

// instruction reads and checks an instruction after which so many are left.
func (d *dddReader) instruction(left int) bpf.Instruction {
	f := d.next()
	raw := bpf.RawInstruction{
		Op: uint16(d.number(f, 0, 0, "a code", 0xffff)),
		Jt: uint8(d.number(f, 1, 0, "a jump", 255)), Jf: uint8(d.number(f, 2, 0, "a jump", 255)),
		K: uint32(d.number(f, 3, 0, "a constant", 0xffffffff)),
	}
	d.noMore(f, 4)
	if d.err != nil {
		return nil
	}
	in := raw.Disassemble()
	if _, unknown := in.(bpf.RawInstruction); unknown {
		d.fail(f[0].column, "there is no instruction %d with constant %d", raw.Op, raw.K)
		return nil
	}
	if err := check(in); err != nil && !special(in) {
		d.fail(f[0].column, "instruction %d with constant %d: %v", raw.Op, raw.K, err)
	}
	d.checkJumps(in, raw, f, left)
	return in
}

// checkJumps holds jumps to the instructions that are left, and the last of them to
// be a return.
func (d *dddReader) checkJumps(in bpf.Instruction, raw bpf.RawInstruction, f []dddField, left int) {
	const out = "the jump leads out of the program"
	ends := false
	switch in.(type) {
	case bpf.Jump:
		if raw.K >= uint32(left) {
			d.fail(f[3].column, out)
		}
	case bpf.JumpIf, bpf.JumpIfX:
		if int(raw.Jt) >= left {
			d.fail(f[1].column, out)
		} else if int(raw.Jf) >= left {
			d.fail(f[2].column, out)
		}
	case bpf.RetA, bpf.RetConstant:
		ends = true
	}
	if left == 0 && !ends {
		d.fail(f[0].column, "the last instruction is not a return")
	}
}

// special tells loads of what only the kernel knows of a packet.
func special(in bpf.Instruction) bool {
	x, ok := in.(bpf.LoadExtension)
	return ok && x.Num != bpf.ExtLen
}
