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
	all, err := Values(doc)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%d values, want 1", len(all))
	}
	return err
}

// Values reads any number of JSON values in a row, numbers as json.Number. The
// error names a key that an object has twice, which encoding/json takes without
// a word, or says what is no JSON; the values before it are given.
func Values(doc []byte) (all []any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	for d.More() {
		v, err := value(d)
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	if _, err = d.Token(); err == io.EOF {
		err = nil
	}
	return all, err
}

func value(d *json.Decoder) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		return object(d)
	case json.Delim('['):
		return array(d)
	}
	return tok, nil
}

func object(d *json.Decoder) (any, error) {
	o := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string) // the decoder takes nothing else here
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("key twice: %v", name)
		}
		if o[name], err = value(d); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return o, err
}

func array(d *json.Decoder) (any, error) {
	a := []any{}
	for d.More() {
		v, err := value(d)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
	_, err := d.Token()
	return a, err
}
