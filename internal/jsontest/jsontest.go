// Package jsontest holds what tests of JSON output share.
package jsontest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// UniqueKeys walks over the tokens of one JSON value: the error names a key that
// an object has twice, or says what is no JSON.
func UniqueKeys(doc []byte) error {
	n, err := Values(doc)
	if err == nil && n != 1 {
		err = fmt.Errorf("%d values, want 1", n)
	}
	return err
}

// Values is UniqueKeys for any number of values in a row, and counts them.
func Values(doc []byte) (n int, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	for d.More() {
		if err := walk(d); err != nil {
			return n, err
		}
		n++
	}
	_, err = d.Token()
	if err == io.EOF {
		err = nil
	}
	return n, err
}

func walk(d *json.Decoder) error {
	tok, err := d.Token()
	if err != nil {
		return err
	}
	open, ok := tok.(json.Delim)
	if !ok {
		return nil
	}
	keys := map[json.Token]bool{}
	for d.More() {
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if keys[key] {
				return fmt.Errorf("key twice: %v", key)
			}
			keys[key] = true
		}
		if err := walk(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
