package main

import "strings"

// What commands say of the formats that several of them have: the name of one, and after it
// what it is for.
const (
	textFormat   = "text for people"
	jsonFormat   = "json for one document"
	ndjsonFormat = "ndjson for one record a line"
	csvFormat    = "csv for spreadsheets"
)

// formatNames are the first words of what is said of formats.
func formatNames(formats []string) []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i], _, _ = strings.Cut(f, " ")
	}
	return names
}

// formatUsage is the help of --format.
func formatUsage(formats []string) string {
	if len(formats) == 1 {
		return "`FORMAT`: " + formats[0] + " is the only one"
	}
	last := len(formats) - 1
	return "`FORMAT` is " + strings.Join(formats[:last], ", ") + ", or " + formats[last]
}
