package explain

import "time"

// An Instant is a time of the capture's clock, in ns since 1970; 0 is none.
type Instant int64

// AppendText implements encoding.TextAppender: RFC 3339 in UTC, with nine digits of a second.
func (i Instant) AppendText(b []byte) ([]byte, error) {
	return time.Unix(0, int64(i)).UTC().AppendFormat(b, "2006-01-02T15:04:05.000000000Z"), nil
}

// MarshalText implements encoding.TextMarshaler.
func (i Instant) MarshalText() ([]byte, error) { return i.AppendText(nil) }

// String is the same text, "" for none.
func (i Instant) String() string {
	if i == 0 {
		return ""
	}
	b, _ := i.AppendText(nil)
	return string(b)
}

// Clock is its time of the day in UTC, to the second.
func (i Instant) Clock() string { return time.Unix(0, int64(i)).UTC().Format(time.TimeOnly) }
