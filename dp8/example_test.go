package dp8_test

import (
	"fmt"
	"log"

	"github.com/dpdissect/dpdissect/dp8"
)

// A datagram is decoded, its summary and one of its fields are printed. Version and
// signing are unknown: both are learned from the handshake of a connection.
func Example() {
	payload := []byte("\x3d\x00\x05\x03hello") // the payload of a UDP datagram
	var f dp8.Frame
	if err := f.Decode(payload, dp8.Params{}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", dp8.AppendSummary(nil, &f))
	fmt.Println("number", f.DFrame.Seq)
	// Output:
	// DFRAME seq=5 nrcv=3 len=5 unreliable sequential poll
	// number 5
}
