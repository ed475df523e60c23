package report

import "testing"

// TestCellsOfARecord: lines of CSV have the values of the JSON, whatever stands in its strings,
// and nothing of what no column is of.
func TestCellsOfARecord(t *testing.T) {
	table := newRecordTable("n", "text", "list", "texts", "none", "in.deep", "object", "last")
	for record, want := range map[string]string{
		`{"n":1.5,"text":"a \"b\", {c}","list":[1,2],"texts":["x y","z"],"none":[],"in":{"other":{"deep":1},"deep":true},"object":{"a":[1,"]"]},"last":"\\"}`: `1.5,"a ""b"", {c}",1 2,x y; z,,true,"{""a"":[1,""]""]}",\` + "\r\n",
		`{}`: ",,,,,,,\r\n",
		`{"skip":["}",{"n":7}],"n":"=1+1","skip2":"\\\"","last":"\u202e"}`: `'=1+1,,,,,,,\u202e` + "\r\n",
	} {
		if got := string(table.AppendRow(nil, []byte(record))); got != want {
			t.Errorf("%s\n%s, want\n%s", record, got, want)
		}
	}
}
