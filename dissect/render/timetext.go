package render

import "strconv"

const day = 24 * 60 * 60 * int64(1e9)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendRFC3339 appends a time in UTC with nanoseconds.
func appendRFC3339(dst []byte, ns int64) []byte {
	return append(appendDateTime(dst, ns, 'T', 9), 'Z')
}

// appendSeconds appends "-0.099999"; further digits are cut off.
func appendSeconds(dst []byte, ns int64, digits int) []byte {
	u := uint64(ns)
	if ns < 0 {
		dst, u = append(dst, '-'), -u
	}
	dst = strconv.AppendUint(dst, u/1e9, 10)
	return appendFraction(dst, uint32(u%1e9), digits)
}

func appendDateTime(dst []byte, ns int64, sep byte, digits int) []byte {
	y, m, d := civil(floorDiv(ns, day))
	dst = append(dst, byte('0'+y/1000), byte('0'+y/100%10))
	dst = append(append2(dst, uint32(y%100)), '-')
	dst = append(append2(dst, m), '-')
	dst = append(append2(dst, d), sep)
	return appendTimeOfDay(dst, ns, digits)
}

// appendTimeOfDay appends "15:04:05.000000".
func appendTimeOfDay(dst []byte, ns int64, digits int) []byte {
	left := uint64(ns - floorDiv(ns, day)*day)
	sec, nano := uint32(left/1e9), uint32(left%1e9)
	dst = append(append2(dst, sec/3600), ':')
	dst = append(append2(dst, sec/60%60), ':')
	return appendFraction(append2(dst, sec%60), nano, digits)
}

func append2(dst []byte, v uint32) []byte { return append(dst, byte('0'+v/10), byte('0'+v%10)) }

func appendFraction(dst []byte, nano uint32, digits int) []byte {
	if digits == 0 {
		return dst
	}
	var b [10]byte
	b[0] = '.'
	for i := 9; i > 0; i-- {
		b[i] = byte('0' + nano%10)
		nano /= 10
	}
	return append(dst, b[:digits+1]...)
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
