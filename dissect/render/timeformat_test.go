package render

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
)

func TestTimeFormats(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		format string
		ns     int64
		want   string
	}{
		{"r", firstTime, "1.500000"},
		{"r", firstTime - 1500*1e6 - 99999*1e3, "-0.099999"},
		{"d", firstTime, "0.500000"},
		{"d", firstTime - 600*1e6, "-0.100000"},
		{"dd", firstTime, "1.000000"},
		{"e", firstTime, "1700000000.999999"},
		{"e.9", firstTime, "1700000000.999999999"},
		{"e.0", firstTime, "1700000000"},
		{"u", firstTime, "22:13:20.999999"},
		{"ud", firstTime, "2023-11-14 22:13:20.999999"},
		{"a", firstTime, "23:13:20.999999"},
		{"ad", firstTime, "2023-11-14 23:13:20.999999"},
		{"ad.3", 1718452800 * second, "2024-06-15 14:00:00.000"},
		{"ud", -1, "1969-12-31 23:59:59.999999"},
	} {
		f, err := ParseTimeFormat(tt.format)
		if err != nil {
			t.Fatal(err)
		}
		c := &Clock{Format: f, Location: berlin}
		c.AdvanceTime(firstTime-1500*1e6, false)
		c.AdvanceTime(firstTime-1000*1e6, true)
		c.AdvanceTime(firstTime-500*1e6, false)
		got := string(c.AppendTime(nil, &dissect.Datagram{HasTime: true, Time: tt.ns}))
		if got != tt.want || f.String() != tt.format {
			t.Errorf("-t %s (%s): got %s, want %s", tt.format, f, got, tt.want)
		}
	}
}

func TestTimeFormatFirstPacketAndNoTime(t *testing.T) {
	for _, s := range timeStyles {
		c := Clock{}
		if err := c.Format.Set(s.name); err != nil {
			t.Fatal(err)
		}
		if got := string(c.AppendTime(nil, &dissect.Datagram{Time: 5})); got != "-" {
			t.Errorf("%s without a time: %q", s.name, got)
		}
		if got := string(c.AppendTime(nil, &dissect.Datagram{HasTime: true})); strings.ContainsRune("rd", rune(s.name[0])) && got != "0.000000" {
			t.Errorf("%s of the first packet: %q", s.name, got)
		}
	}
}

func TestParseTimeFormatError(t *testing.T) {
	for _, s := range []string{"", "x", "r.", "r.10", "r.x", "adoy"} {
		_, err := ParseTimeFormat(s)
		if err == nil || !strings.Contains(err.Error(), "r (since the first packet), a (local time)") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

func TestDatesAgreeWithTime(t *testing.T) {
	var dates dateCache
	check := func(ns int64) {
		want := time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z")
		if got := string(dates.appendRFC3339(nil, ns)); got != want {
			t.Errorf("%d: got %s, want %s", ns, got, want)
		}
	}
	for d := int64(-100 * 366); d < 200*366; d++ {
		check(d*day - 1)
		check(d * day)
	}
	for _, ns := range []int64{math.MinInt64, math.MaxInt64, 0, -1, 1} {
		check(ns)
	}
}

// Milliseconds are the shortest decimal, as far as a float can tell: up to eleven days.
func TestMillisecondsAgreeWithStrconv(t *testing.T) {
	check := func(ns uint64) {
		want := strconv.FormatFloat(float64(ns)/1e6, 'f', -1, 64)
		if got := string(AppendMillis(nil, int64(ns))); got != want {
			t.Fatalf("%d ns: got %s, want %s", ns, got, want)
		}
	}
	for _, ns := range []uint64{1, 10, 999_999, 1_000_000, 20_980_000, 1_000_001, 999_999_999_999_999} {
		check(ns)
	}
	for range 100_000 {
		check(rand.Uint64N(1e15) >> rand.IntN(50))
	}
}
