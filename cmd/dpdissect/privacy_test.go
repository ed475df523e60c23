package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// harmless are fields of bytes that give nothing away.
var harmless = []string{
	"dplhp.instance_guid", "dplhp.application_guid", "dp4.sp_zero", "dpl4cs.zero", "dpl4cs.signature", "knet.messages.in_order_indexes",
	"hazel.records.cipher_suites", "hazel.records.compression_methods", "dtls.records.cipher_suites", "dtls.records.compression_methods",
}

// TestFieldsSayWhatTheyGiveAway checks that each field of bytes has a class, or is known to give
// nothing away, and that the list of fields tells it.
func TestFieldsSayWhatTheyGiveAway(t *testing.T) {
	var rows []map[string]any
	if err := json.Unmarshal([]byte(output(t, "fields", "--format", "json")), &rows); err != nil {
		t.Fatal(err)
	}
	classes := map[string]int{}
	for _, r := range rows {
		class, _ := r["privacy"].(string)
		classes[class]++
		name := r["name"].(string)
		if kept := slices.Contains(harmless, name); r["type"] == "bytes" && (class == "keep") != kept {
			t.Errorf("%s has the class %q", name, class)
		}
	}
	for p := dissect.Keep; p <= dissect.Signature; p++ {
		if classes[p.String()] == 0 {
			t.Errorf("no field has the class %q", p)
		}
		delete(classes, p.String())
	}
	if len(classes) > 0 {
		t.Errorf("there are other classes: %v", classes)
	}
}
