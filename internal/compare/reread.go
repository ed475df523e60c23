package compare

import (
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// payloads reads a capture once more and calls f with its datagrams and their bytes: of all, or
// of those of some frames, which are in ascending order.
func (c *Capture) payloads(f func(d *datagram, payload []byte), frames []uint32) error {
	src, err := c.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	for next := 0; next < len(c.list); {
		pkt, ok := src.Next()
		if !ok {
			return nil
		}
		if pkt == nil || pkt.Class != capture.UDP {
			continue
		}
		frame := uint32(pkt.Frame)
		for next < len(c.list) && c.list[next].frame < frame {
			next++
		}
		_, wanted := slices.BinarySearch(frames, frame)
		payload := pkt.Payload
		for ; next < len(c.list) && c.list[next].frame == frame; next++ {
			d := &c.list[next]
			own := payload[:min(len(payload), int(d.length))]
			payload = payload[len(own):]
			if frames == nil || wanted {
				f(d, own)
			}
		}
	}
	return nil
}
