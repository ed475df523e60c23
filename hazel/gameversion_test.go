package hazel

import "testing"

// TestGameVersion: what Among Us writes is read; a name, or less than a number, is none.
func TestGameVersion(t *testing.T) {
	for _, tt := range []struct{ data, want string }{
		{"\x46\xd2\x02\x03\x04Gold", "2020.9.7.0"},
		{"\x80\xd9\x02\x03", "2020.10.8.0"},
		{"\x47\xd2\x02", ""},
		{"Gold", ""},
		{"\x00\x00\x00\x00", ""},
		{"\xff\xff\xff\xff", ""},
		{"\xa8\x98\x02\x03", ""}, // month 1, day 0
	} {
		v, ok := GameVersion([]byte(tt.data))
		got := ""
		if ok {
			got = GameVersionText(v)
		}
		if got != tt.want {
			t.Errorf("%x: %q, want %q (%d)", tt.data, got, tt.want, v)
		}
	}
}
