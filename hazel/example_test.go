package hazel_test

import (
	"fmt"
	"log"

	"github.com/dpdissect/dpdissect/hazel"
)

// A datagram is decoded, its summary and one of its fields are printed. Who knows the
// dialect of its sender names it in the place of AnyDialect.
func Example() {
	payload := []byte("\x01\x00\x02hello") // the payload of a UDP datagram
	var f hazel.Frame
	if err := f.Decode(payload, hazel.AnyDialect, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", hazel.AppendSummary(nil, &f))
	fmt.Println("id", f.ID)
	// Output:
	// RELIABLE id=2 len=5
	// id 2
}
