package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
)

// ms is a time for a message.
func ms(ns int64) string { return fmt.Sprintf("%.0f ms", float64(ns)/1e6) }

func versionText(v uint32) string { return fmt.Sprintf("%d.%d", v>>16, v&0xffff) }

func idText(id uint32) string {
	const digits = "0123456789abcdef"
	b := []byte("0x00000000")
	for i := 9; i > 1; i, id = i-1, id>>4 {
		b[i] = digits[id&15]
	}
	return string(b)
}

const duplicate = dissect.Duplicate

// counted is Since of cases that count already what the capture may have missed.
const counted = 1<<63 - 1
