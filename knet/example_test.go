package knet_test

import (
	"fmt"
	"log"

	"github.com/dpdissect/dpdissect/knet"
)

// A datagram is decoded, its summary and one of its fields are printed. Who knows the
// dialect of the connection gives it; Guess looks at the one datagram.
func Example() {
	payload := []byte("\x00\x01\x00\x06\x00\x1fhello") // the payload of a UDP datagram
	var d knet.Datagram
	if err := d.Decode(payload, knet.Params{Dialect: knet.Guess(payload)}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", knet.AppendSummary(nil, &d))
	fmt.Printf("body %q\n", d.Messages[0].Body)
	// Output:
	// DATAGRAM id=64 msg 31 len=5
	// body "hello"
}
