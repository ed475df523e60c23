package render

import (
	"bytes"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

const day = 24 * 60 * 60 * int64(1e9)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendSeconds appends "-0.099999"; further digits are cut off.
func appendSeconds(dst []byte, ns int64, digits int) []byte {
	u := uint64(ns)
	if ns < 0 {
		dst, u = append(dst, '-'), -u
	}
	dst = dissect.AppendUint(dst, u/1e9)
	return appendFraction(dst, uint32(u%1e9), digits)
}

// AppendMillis appends nanoseconds exactly in milliseconds: "20.98".
func AppendMillis(dst []byte, ns int64) []byte {
	u := uint64(ns)
	if ns < 0 {
		dst, u = append(dst, '-'), -u
	}
	dst = dissect.AppendUint(dst, u/1e6)
	below := uint32(u % 1e6)
	if below == 0 {
		return dst
	}
	dst = dissect.AppendThousandth(dissect.AppendThousandth(append(dst, '.'), below/1000), below%1000)
	return bytes.TrimRight(dst, "0")
}

// A dateCache appends dates and times. It keeps the text of the last date.
type dateCache struct {
	days int64 // since 1970
	text [10]byte
}

// appendRFC3339 appends a time in UTC with nanoseconds.
func (c *dateCache) appendRFC3339(dst []byte, ns int64) []byte {
	return append(c.appendDateTime(dst, ns, 'T', 9), 'Z')
}

// appendDateTime appends "2006-01-02 15:04:05.000000".
func (c *dateCache) appendDateTime(dst []byte, ns int64, sep byte, digits int) []byte {
	days := floorDiv(ns, day)
	if days != c.days || c.text[0] == 0 {
		c.find(days)
	}
	dst = append(append(dst, c.text[:]...), sep)
	return appendSinceMidnight(dst, uint64(ns-days*day), digits)
}

func (c *dateCache) find(days int64) {
	c.days = days
	time.Unix(days*(day/1e9), 0).UTC().AppendFormat(c.text[:0], time.DateOnly)
}

// appendTimeOfDay appends "15:04:05.000000".
func appendTimeOfDay(dst []byte, ns int64, digits int) []byte {
	return appendSinceMidnight(dst, uint64(ns-floorDiv(ns, day)*day), digits)
}

func appendSinceMidnight(dst []byte, ns uint64, digits int) []byte {
	sec, nano := uint32(ns/1e9), uint32(ns%1e9)
	dst = append(append2(dst, sec/3600), ':')
	dst = append(append2(dst, sec/60%60), ':')
	return appendFraction(append2(dst, sec%60), nano, digits)
}

func append2(dst []byte, v uint32) []byte { return append(dst, byte('0'+v/10), byte('0'+v%10)) }

func appendFraction(dst []byte, nano uint32, digits int) []byte {
	if digits == 0 {
		return dst
	}
	n := len(dst) + digits + 1
	dst = dissect.AppendThousandth(append(dst, '.'), nano/1000000)
	dst = dissect.AppendThousandth(dissect.AppendThousandth(dst, nano/1000%1000), nano%1000)
	return dst[:n]
}
