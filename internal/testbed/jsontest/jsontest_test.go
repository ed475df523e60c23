package jsontest

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestUniqueKeys(t *testing.T) {
	for doc, ok := range map[string]bool{
		`{"a":1,"b":{"a":[{"a":1},{"a":2}]}}`: true,
		`{"a":1,"a":2}`:                       false,
		`[{"b":{"c":1,"c":1}}]`:               false,
		`{"a":1} {}`:                          false,
		`{"a":`:                               false,
		`{1:2}`:                               false,
		`"text"`:                              true,
		``:                                    false,
		`{"a":1}]`:                            false,
	} {
		if err := UniqueKeys([]byte(doc)); (err == nil) != ok {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

func TestValues(t *testing.T) {
	all, err := Values([]byte("{\"a\":[1,true,null,{}]}\n[\"b\"]\n"))
	want := []any{map[string]any{"a": []any{json.Number("1"), true, nil, map[string]any{}}}, []any{"b"}}
	if !reflect.DeepEqual(all, want) || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if all, err := Values([]byte("{\"a\":1}\n{\"a\":2,\"a\":3}\n")); len(all) != 1 || err == nil {
		t.Errorf("%v, %v", all, err)
	}
}
