package capfilter

import (
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
)

func TestReadDDD(t *testing.T) {
	got, err := ReadDDD("f", strings.NewReader("4\n40 0 0 12\n21 0 1 2048\r\n\n  6 0 0 262144\n6 0 0 0\n\n"))
	want := []bpf.Instruction{
		bpf.LoadAbsolute{Off: 12, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 2048, SkipTrue: 0, SkipFalse: 1},
		bpf.RetConstant{Val: 262144},
		bpf.RetConstant{},
	}
	if err != nil || len(got) != len(want) {
		t.Fatal(got, err)
	}
	vm, err := NewVM(got)
	if err != nil || !vm.Match([]byte{12: 8, 13: 0}, 60) || vm.Match([]byte{12: 8, 13: 6}, 60) {
		t.Errorf("%v means something else, %v", got, err)
	}
	raw, err := bpf.Assemble(got)
	if rawWant, _ := bpf.Assemble(want); err != nil || !reflect.DeepEqual(raw, rawWant) {
		t.Errorf("%v", got)
	}
}

// TestReadDDDErrors holds the messages, with line and column.
func TestReadDDDErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f:0: the file ends after 0 of 0 instructions"},
		{"\n\n", "f:2: the file ends after 0 of 0 instructions"},
		{"x\n", `f:1:1: "x" is not a number of instructions from 1 to 4096`},
		{"0\n", `f:1:1: "0" is not a number of instructions from 1 to 4096`},
		{"4097\n", `f:1:1: "4097" is not a number of instructions from 1 to 4096`},
		{"1 2\n6 0 0 0", `f:1:3: unexpected "2"`},
		{"2\n6 0 0 0", "f:2: the file ends after 1 of 2 instructions"},
		{"1\n6 0 0 0\n6 0 0 0\n", "f:3:1: there are more lines than the 1 instructions of line 1"},
		{"1\n6 0 0\n", "f:2:6: a constant is missing"},
		{"1\n6 0 0 0 0\n", `f:2:9: unexpected "0"`},
		{"1\n6 0 300 0\n", `f:2:5: "300" is not a jump from 0 to 255`},
		{"1\n6 0 0 4294967296\n", `f:2:7: "4294967296" is not a constant from 0 to 4294967295`},
		{"1\n6 -1 0 0\n", `f:2:3: "-1" is not a jump from 0 to 255`},
		{"1\n65535 0 0 0\n", "f:2:1: there is no instruction 65535 with constant 0"},
		{"2\n21 1 0 5\n6 0 0 0\n", "f:2:4: the jump leads out of the program"},
		{"2\n21 0  1 5\n6 0 0 0\n", "f:2:7: the jump leads out of the program"},
		{"2\n5 0 0 4294967295\n6 0 0 0\n", "f:2:7: the jump leads out of the program"},
		{"2\n52 0 0 0\n6 0 0 0\n", "f:2:1: instruction 52 with constant 0: division by zero"},
		{"1\n40 0 0 12\n", "f:2:1: the last instruction is not a return"},
		{"1\n48 0 0 4294963248\n", "f:2:1: the last instruction is not a return"},
		{"2\n2 0 0 16\n6 0 0 0\n", "f:2:1: there is no instruction 2 with constant 16"},
		{"1\n\x1b[31m 0 0 0\n", `f:2:1: "\x1b[31m" is not a code from 0 to 65535`},
		{"1\n" + strings.Repeat("9", 5000), "f:2: bufio.Scanner: token too long"},
	} {
		got, err := ReadDDD("f", strings.NewReader(c.text))
		if err == nil || err.Error() != c.want || got != nil {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestReadDDDKernel takes loads of what only the kernel knows.
func TestReadDDDKernel(t *testing.T) {
	prog, err := ReadDDD("f", strings.NewReader("2\n48 0 0 4294963248\n22 0 0 0\n"))
	if err != nil || !reflect.DeepEqual(prog[0], bpf.LoadExtension{Num: bpf.ExtVLANTagPresent}) {
		t.Errorf("%v, %v", prog, err)
	}
}
