package jsontest

import "testing"

func TestUniqueKeys(t *testing.T) {
	for doc, ok := range map[string]bool{
		`{"a":1,"b":{"a":[{"a":1},{"a":2}]}}`: true,
		`{"a":1,"a":2}`:                       false,
		`[{"b":{"c":1,"c":1}}]`:               false,
		`{"a":1} {}`:                          false,
		`{"a":`:                               false,
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
	if n, err := Values([]byte("{\"a\":1}\n{\"a\":2}\n")); n != 2 || err != nil {
		t.Errorf("%d values, %v", n, err)
	}
	if n, err := Values([]byte("{\"a\":1}\n{\"a\":2,\"a\":3}\n")); n != 1 || err == nil {
		t.Errorf("%d values, %v", n, err)
	}
}
