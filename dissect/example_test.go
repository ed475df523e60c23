package dissect_test

import (
	"fmt"
	"log"

	"github.com/dpdissect/dpdissect/dissect"
)

// A protocol of two fields: each is read in one call, which also bounds it and records
// where in the datagram it stands.
func Example() {
	number := dissect.Field{Name: "tiny.number", Kind: dissect.Uint, Size: 2}
	text := dissect.Field{Name: "tiny.text", Kind: dissect.Bytes}

	payload := []byte("\x07\x00hello")
	var tree dissect.Tree
	tree.Reset(payload)
	r := dissect.NewReader(payload, &tree)
	fmt.Printf("%d %s\n", r.U16(&number), r.Bytes(&text, 5))
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	for _, n := range tree.Nodes {
		fmt.Printf("%s: %d bytes from byte %d\n", n.Field.Name, n.Len, n.Off)
	}

	short := dissect.NewReader(payload[:4], nil)
	short.U16(&number)
	short.Bytes(&text, 5)
	fmt.Println(short.Err())
	// Output:
	// 7 hello
	// tiny.number: 2 bytes from byte 0
	// tiny.text: 5 bytes from byte 2
	// tiny.text at byte 2: truncated: want 5 bytes, have 2
}
