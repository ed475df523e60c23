package render

import "github.com/dpdissect/dpdissect/dissect"

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

// appendMilliseconds appends "20.98": all digits that are not 0 at the end.
func appendMilliseconds(dst []byte, ns uint64) []byte {
	dst = dissect.AppendUint(dst, ns/1e6)
	below := uint32(ns % 1e6)
	if below == 0 {
		return dst
	}
	dst = dissect.AppendThousandth(dissect.AppendThousandth(append(dst, '.'), below/1000), below%1000)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
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
	y, m, d := civil(days)
	c.days = days
	text := append2(append2(c.text[:0], uint32(y/100)), uint32(y%100))
	text = append2(append(text, '-'), m)
	append2(append(text, '-'), d)
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

// civil is the date of a day counted from 1970-01-01, by the proleptic Gregorian
// calendar: years are counted from March, in eras of 400.
func civil(days int64) (year int64, month, dayOfMonth uint32) {
	const perEra, toEpoch = 146097, 719468
	days += toEpoch
	era := floorDiv(days, perEra)
	doe := uint32(days - era*perEra)
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	year, month = int64(yoe)+era*400, mp+3
	if mp >= 10 {
		year, month = year+1, mp-9
	}
	return year, month, doy - (153*mp+2)/5 + 1
}
