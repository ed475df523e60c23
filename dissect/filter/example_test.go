package filter_test

import (
	"fmt"
	"log"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
)

// A filter over a table of one field. The tables of real protocols are dp4.DP4,
// dp8.DP8, knet.KNet and hazel.Hazel.
func Example() {
	seq := dissect.Field{Name: "tiny.seq", Kind: dissect.Uint, Size: 1}
	tiny := &dissect.Protocol{Name: "tiny", Fields: []*dissect.Field{&seq}}
	f, err := filter.Compile("tiny.seq in {1, 3..5} and not retry", filter.NewSet([]*dissect.Protocol{tiny}))
	if err != nil {
		log.Fatal(err)
	}
	for n := range byte(5) {
		frame := &dissect.Frame{Datagram: &dissect.Datagram{}, Protocol: "tiny", Tree: new(dissect.Tree)}
		frame.Tree.Reset([]byte{n})
		r := dissect.NewReader([]byte{n}, frame.Tree)
		r.U8(&seq)
		fmt.Println(n, f.Match(frame, filter.Times{}))
	}
	// Output:
	// 0 false
	// 1 true
	// 2 false
	// 3 true
	// 4 true
}

// A mistake is found when the filter is compiled, not when it is used.
func ExampleCompile_error() {
	seq := dissect.Field{Name: "tiny.seq", Kind: dissect.Uint, Size: 1}
	tiny := &dissect.Protocol{Name: "tiny", Fields: []*dissect.Field{&seq}}
	_, err := filter.Compile("tiny.sec == 1", filter.NewSet([]*dissect.Protocol{tiny}))
	fmt.Println(err)
	// Output:
	// unknown field tiny.sec (did you mean tiny.seq?)
	//   tiny.sec == 1
	//   ^~~~~~~~
}
