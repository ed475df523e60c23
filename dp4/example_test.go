package dp4_test

import (
	"fmt"
	"log"

	"github.com/dpdissect/dpdissect/dp4"
)

// A datagram is decoded, its summary and one of its fields are printed.
func Example() {
	payload := []byte("\x01\x02\x3d\x01\x01\x00hello") // the payload of a UDP datagram
	var f dp4.Frame
	if err := f.Decode(payload, dp4.Params{Length: len(payload)}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", dp4.AppendSummary(nil, &f))
	fmt.Printf("data %q\n", f.Data)
	// Output:
	// DATA 1>2 msg=1 seq=1 serial=0 len=5 reliable sak
	// data "hello"
}
