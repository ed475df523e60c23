package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Schemas name these in place of what the table of measures says.
const (
	countersHere = `"$counters": true`
	timesHere    = `"$times": true`
	requiredHere = `"$counters"`
)

// measuresOfDirection writes the counters and times of a direction into a schema.
func measuresOfDirection(schema []byte) []byte {
	first, last := counterRange(0, measure.ValidSignatures), counterRange(measure.ValidSignatures, measure.Counters)
	const margin = "        "
	all := counterProperties(append(first, last...), margin)
	all = append(all, timeProperties(func(t *measure.TimeRow) string { return t.Doc })...)
	return fill(schema, margin, all, nil, append(first, last...))
}

// measuresOfInterval writes those of an interval.
func measuresOfInterval(schema []byte) []byte {
	const margin = "    "
	return fill(schema, margin, counterProperties(measure.InInterval[:], margin),
		timeProperties(func(t *measure.TimeRow) string { return t.Interval }), measure.InInterval[:])
}

func counterRange(from, end measure.Counter) (list []measure.Counter) {
	for ; from < end; from++ {
		list = append(list, from)
	}
	return list
}

// fill puts properties, and the keys that are never absent, in their places.
func fill(schema []byte, margin string, counters, times []string, list []measure.Counter) []byte {
	between := ",\n" + margin
	schema = bytes.Replace(schema, []byte(countersHere), []byte(strings.Join(counters, between)), 1)
	schema = bytes.Replace(schema, []byte(timesHere), []byte(strings.Join(times, between)), 1)
	return bytes.Replace(schema, []byte(requiredHere), []byte(strings.Join(required(list), ", ")), 1)
}

// required are the keys, in quotes, that records have in any case.
func required(list []measure.Counter) (keys []string) {
	for _, i := range list {
		key, _, within := strings.Cut(measure.Table[i].Key, ".")
		quoted := fmt.Sprintf("%q", key)
		switch {
		case within && measure.Table[i].Absent == measure.Unknown && keys[len(keys)-1] != quoted, !within && measure.Table[i].Absent == measure.Never:
			keys = append(keys, quoted)
		}
	}
	return keys
}

// counterProperties are the properties of counters, those of one object in one.
func counterProperties(list []measure.Counter, margin string) (properties []string) {
	for i := 0; i < len(list); i++ {
		row := &measure.Table[list[i]]
		object, _, within := strings.Cut(row.Key, ".")
		if !within {
			properties = append(properties, countProperty(row.Key, row.Counts))
			continue
		}
		end := i
		for end < len(list) && strings.HasPrefix(measure.Table[list[end]].Key, object+".") {
			end++
		}
		properties = append(properties, objectProperty(object, list[i:end], margin))
		i = end - 1
	}
	return properties
}

// objectProperty is the property of an object of counters. The members of one that may be
// absent as a whole are all there where it is.
func objectProperty(object string, list []measure.Counter, margin string) string {
	var members, keys []string
	for _, i := range list {
		row := &measure.Table[i]
		key := strings.TrimPrefix(row.Key, object+".")
		members = append(members, margin+"    "+countProperty(key, row.Counts))
		if row.Absent == measure.Zero {
			keys = append(keys, fmt.Sprintf("%q", key))
		}
	}
	need := ""
	if keys != nil {
		need = margin + "  \"required\": [" + strings.Join(keys, ", ") + "],\n"
	}
	return fmt.Sprintf("%q: {\n%[2]s  \"type\": \"object\",\n%[2]s  \"additionalProperties\": false,\n%[3]s%[2]s  \"properties\": {\n%[4]s\n%[2]s  },\n%[2]s  \"description\": %[5]q\n%[2]s}",
		object, margin, need, strings.Join(members, ",\n"), measure.Objects[object])
}

func countProperty(key, counts string) string {
	return fmt.Sprintf(`%q: { "$ref": "#/$defs/count", "description": %q }`, key, sentence(counts))
}

func timeProperties(doc func(t *measure.TimeRow) string) (properties []string) {
	for m := range seq.NMeasures {
		properties = append(properties, fmt.Sprintf(`%q: { "$ref": "#/$defs/times", "description": %q }`, seq.Measures[m].Key, doc(&measure.Times[m])))
	}
	return properties
}
