package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// appendLayers appends what lies below the protocol: frame, IP, UDP.
func (v *Verbose) appendLayers(dst []byte, fr *dissect.Frame, clock *Clock) []byte {
	dst = v.appendFrameLayer(dst, fr, clock)
	dst = v.appendIPLayer(dst, fr)
	if fr.Kind == dissect.Unreachable {
		dst = v.heading(dst, "Internet Control Message Protocol, Destination unreachable, of the datagram below")
	}
	return v.appendUDPLayer(dst, fr)
}

func (v *Verbose) heading(dst []byte, s string) []byte {
	dst = append(append(dst, v.Palette.Heading.Start...), s...)
	return append(append(dst, v.Palette.Heading.Stop...), '\n')
}

func (v *Verbose) appendFrameLayer(dst []byte, fr *dissect.Frame, clock *Clock) []byte {
	dst = append(dst, v.Palette.Heading.Start...)
	dst = append(dst, "Frame "...)
	dst = strconv.AppendUint(dst, fr.Frame, 10)
	dst = appendSize(append(dst, ": "...), fr.WireLen, " on wire")
	dst = appendSize(append(dst, ", "...), fr.CapLen, " captured")
	dst = append(append(dst, v.Palette.Heading.Stop...), '\n')
	if !fr.HasTime {
		return dst
	}
	dst = append(dst, "    Arrival Time: "...)
	dst = append(clock.dates.appendDateTime(dst, fr.Time, ' ', 9), " UTC\n"...)
	dst = append(dst, "    Epoch Time: "...)
	dst = append(appendSeconds(dst, fr.Time, 9), " seconds\n"...)
	dst = appendSince(dst, "Time delta from previous captured frame: ", clock.sinceCaptured(fr.Datagram))
	dst = appendSince(dst, "Time delta from previous displayed frame: ", clock.sinceShown(fr.Datagram))
	return appendSince(dst, "Time since reference or first frame: ", clock.sinceFirst(fr.Datagram))
}

func appendSize(dst []byte, n int, where string) []byte {
	dst = append(appendCount(dst, n, "byte"), where...)
	dst = append(dst, " ("...)
	return append(appendCount(dst, 8*n, "bit"), ')')
}

func appendSince(dst []byte, label string, ns int64) []byte {
	dst = append(append(dst, "    ["...), label...)
	return append(appendSeconds(dst, ns, 9), " seconds]\n"...)
}

func (v *Verbose) appendIPLayer(dst []byte, fr *dissect.Frame) []byte {
	dst = append(dst, v.Palette.Heading.Start...)
	version, hops := "4", "Time to Live"
	if fr.IPv6 {
		version, hops = "6", "Hop Limit"
	}
	dst = append(append(append(dst, "Internet Protocol Version "...), version...), ", Src: "...)
	dst = v.appendName(fr.Src.Addr().AppendTo(dst), &fr.Src)
	dst = v.appendName(fr.Dst.Addr().AppendTo(append(dst, ", Dst: "...)), &fr.Dst)
	dst = append(append(dst, v.Palette.Heading.Stop...), '\n')
	if !fr.IPv6 {
		dst = append0x(append(dst, "    Identification: "...), uint64(fr.IPID), 4)
		dst = strconv.AppendUint(append(dst, " ("...), uint64(fr.IPID), 10)
		dst = append(dst, ")\n"...)
	}
	dst = append(append(append(dst, "    "...), hops...), ": "...)
	dst = append(strconv.AppendUint(dst, uint64(fr.TTL), 10), '\n')
	if fr.Fragments > 0 {
		dst = appendCount(append(dst, "    [Reassembled from "...), fr.Fragments, "fragment")
		dst = append(dst, "]\n"...)
	}
	return dst
}

// appendName appends the name of an endpoint, where it has one.
func (v *Verbose) appendName(dst []byte, e *dissect.Endpoint) []byte {
	if v.Names == nil {
		return dst
	}
	name := v.Names(*e)
	if name == "" {
		return dst
	}
	return append(AppendEscaped(append(dst, " ("...), []byte(name)), ')')
}

func (v *Verbose) appendUDPLayer(dst []byte, fr *dissect.Frame) []byte {
	const header = 8
	dst = append(dst, v.Palette.Heading.Start...)
	dst = append(dst, "User Datagram Protocol, Src Port: "...)
	dst = strconv.AppendUint(dst, uint64(fr.Src.Port), 10)
	dst = strconv.AppendUint(append(dst, ", Dst Port: "...), uint64(fr.Dst.Port), 10)
	dst = strconv.AppendInt(append(dst, ", Length: "...), int64(fr.Length+header), 10)
	dst = append(append(dst, v.Palette.Heading.Stop...), '\n')
	dst = appendCount(append(dst, "    UDP payload ("...), fr.Length, "byte")
	dst = append(dst, ")\n"...)
	if fr.Cut() {
		dst = append(append(dst, "    "...), v.Palette.Warn.Start...)
		dst = appendCount(append(dst, "[Captured: "...), len(fr.Payload), "byte")
		dst = append(append(append(dst, ']'), v.Palette.Warn.Stop...), '\n')
	}
	if fr.BadChecksum {
		dst = append(append(dst, "    "...), v.Palette.Error.Start...)
		dst = append(append(append(dst, "[Checksum: bad]"...), v.Palette.Error.Stop...), '\n')
	}
	return dst
}
