package flags

import "strings"

// What commands say of the formats that several of them have: the name of one, and after it
// what it is for.
const (
	Text   = "text for people"
	JSON   = "json for one document"
	NDJSON = "ndjson for one record a line"
	CSV    = "csv for spreadsheets"
)

// FormatNames are the first words of what is said of formats.
func FormatNames(formats []string) []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i], _, _ = strings.Cut(f, " ")
	}
	return names
}

// FormatUsage is the help of --format.
func FormatUsage(formats []string) string {
	if len(formats) == 1 {
		return "`FORMAT`: " + formats[0] + " is the only one"
	}
	last := len(formats) - 1
	return "`FORMAT` is " + strings.Join(formats[:last], ", ") + ", or " + formats[last]
}
