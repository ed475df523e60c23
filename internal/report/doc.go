// Package report turns what the tracker counted into what people and scripts
// read: the analysis as one JSON document or as tables, messages and findings
// as JSON records or lines, and the JSON Schemas of all of them.
//
// A value that is not known is absent in JSON and "-" in text; a count that is
// known to be 0 is 0 in both. Nothing here depends on map order, on the clock
// or on the number of workers: same analysis, same bytes.
package report
