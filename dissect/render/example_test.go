package render_test

import (
	"fmt"
	"log"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/hazel"
)

// The tree of a datagram, as text and as JSON, and its bytes.
func Example() {
	payload := []byte("\x01\x00\x02hello")
	var tree dissect.Tree
	tree.Reset(payload)
	if _, err := hazel.Hazel.Decode(&tree); err != nil {
		log.Fatal(err)
	}
	text := render.NewVerbose(render.Palette{}, []*dissect.Protocol{hazel.Hazel})
	fmt.Printf("%s", text.AppendTree(nil, &tree, 0))
	fmt.Printf("%s\n", render.NewFrameEncoder(false).AppendFields(nil, &tree))
	fmt.Printf("%s", render.AppendHexDump(nil, payload, render.Style{}))
	// Output:
	// Type: Reliable (0x01), RELIABLE
	//     .... ...1 = Reliable: Set
	//     .... ..0. = Fragmented: Not set
	// ID: 2
	// Data: 68656c6c6f (5 bytes) "hello"
	// {"type":1,"type_flags":{"reliable":true,"fragmented":false},"id":2,"data":"68656c6c6f"}
	// 0000  01 00 02 68 65 6c 6c 6f                           ...hello
}
