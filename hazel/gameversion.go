package hazel

import (
	"encoding/binary"
	"fmt"
)

// What Among Us writes in front of the name in its Hello counts days with some room: 50 to
// a day, 36 days to a month, 500 days to a year.
const (
	versionDay   = 50
	versionMonth = 36 * versionDay
	versionYear  = 500 * versionDay
)

// GameVersion is the version of the game that the data of a Hello begins with, as Among Us
// and its servers write it; ok is false when it begins with nothing that is one.
func GameVersion(data []byte) (v uint32, ok bool) {
	if len(data) < 4 {
		return 0, false
	}
	v = binary.LittleEndian.Uint32(data)
	year, month, day, _ := versionParts(v)
	return v, year >= 2018 && year < 2100 && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

func versionParts(v uint32) (year, month, day, revision uint32) {
	days := v % versionYear
	return v / versionYear, days / versionMonth, days % versionMonth / versionDay, v % versionDay
}

// GameVersionText spells a version of the game: 2020.9.7.0.
func GameVersionText(v uint32) string {
	year, month, day, revision := versionParts(v)
	return fmt.Sprintf("%d.%d.%d.%d", year, month, day, revision)
}
