package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"github.com/dpdissect/dpdissect/dissect"
	"io"
	"strings"
)

// A Walk tells all numbers of an analysis document, in any order.
type Walk func(Teller) error

// A Teller is told of the numbers of a document, and of the objects and arrays that they
// stand in.
type Teller interface {
	Open(key string) // an object or array; the key of an element of an array is ""
	Close()
	Number(key string, v float64)
}

// A spot is a place in the tree of keys of the document.
type spot struct {
	under map[string]*spot
	leaf  int // quantity, -1 for none
	kind  spotKind
	side  dissect.Dir
}

// spotKind is what stands at a spot.
type spotKind uint8

const (
	anywhere spotKind = iota
	atCapture
	atConnection
	atDirection
	atID
)

// keys is the tree of the keys of all quantities.
var keys = newKeys()

func newKeys() *spot {
	root := newSpot()
	for i := range quantities {
		switch name := quantities[i].name; quantities[i].level {
		case ofRun:
			root.grow(name, i)
		case ofCapture:
			s := root.down("captures", "")
			s.kind = atCapture
			s.grow(strings.TrimPrefix(name, "captures."), i)
		case ofConnection:
			root.down("connections", "").grow(name, i)
		case ofDirection:
			for side, key := range []string{"a", "b"} {
				s := root.down("connections", "", "directions", key)
				s.kind, s.side = atDirection, dissect.Dir(side)
				s.grow(name, i)
			}
		}
	}
	c := root.down("connections", "")
	c.kind = atConnection
	c.down("id").kind = atID
	return root
}

func newSpot() *spot { return &spot{under: map[string]*spot{}, leaf: -1} }

// down gives the spot below others.
func (s *spot) down(path ...string) *spot {
	for _, k := range path {
		if s.under[k] == nil {
			s.under[k] = newSpot()
		}
		s = s.under[k]
	}
	return s
}

// grow enters the keys of a quantity.
func (s *spot) grow(name string, quantity int) {
	s.down(strings.Split(name, ".")...).leaf = quantity
}

// A walker takes what a walk tells and hands on whole inputs and connections.
type walker struct {
	at         []*spot // from the document down to where the walk is; nil where nothing is asked for
	run        *reading
	now        connection // at hand
	into       *reading   // where numbers go; nil for the run
	capture    func(c *connection)
	connection func(c *connection)
}

// Open implements Teller.
func (w *walker) Open(key string) {
	var s *spot
	if top := w.at[len(w.at)-1]; top != nil {
		s = top.under[key]
	}
	w.at = append(w.at, s)
	switch {
	case s == nil:
	case s.kind == atCapture || s.kind == atConnection:
		w.now = connection{}
		w.into = &w.now.own
	case s.kind == atDirection:
		w.into = &w.now.dirs[s.side]
	}
}

// Close implements Teller.
func (w *walker) Close() {
	s := w.at[len(w.at)-1]
	w.at = w.at[:len(w.at)-1]
	switch {
	case s == nil:
	case s.kind == atDirection:
		w.into = &w.now.own
	case s.kind == atCapture:
		w.hand(w.capture)
	case s.kind == atConnection:
		w.hand(w.connection)
	}
}

// hand hands on what is at hand.
func (w *walker) hand(to func(*connection)) {
	if w.into = nil; to != nil {
		to(&w.now)
	}
}

// Number implements Teller.
func (w *walker) Number(key string, v float64) {
	top := w.at[len(w.at)-1]
	if top == nil {
		return
	}
	switch s := top.under[key]; {
	case s == nil:
	case s.kind == atID:
		w.now.id = int(v)
	case s.leaf < 0:
	case w.into == nil:
		w.run.put(s.leaf, v)
	default:
		w.into.put(s.leaf, v)
	}
}

// walkText walks through a document as it is written, piece by piece.
func walkText(text []byte) Walk {
	return func(t Teller) error {
		d := json.NewDecoder(bytes.NewReader(text))
		if first, err := d.Token(); err != nil {
			return err
		} else if first != json.Delim('{') {
			return fmt.Errorf("%v is no object", first)
		}
		err := tellObject(d, t)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
}

// tellObject tells what stands in an object that was opened.
func tellObject(d *json.Decoder, t Teller) error {
	for d.More() {
		key, err := d.Token()
		if err == nil {
			err = tellValue(d, key.(string), t)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func tellArray(d *json.Decoder, t Teller) error {
	for d.More() {
		if err := tellValue(d, "", t); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func tellValue(d *json.Decoder, key string, t Teller) error {
	v, err := d.Token()
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case float64:
		t.Number(key, v)
	case json.Delim:
		t.Open(key)
		defer t.Close()
		if v == '{' {
			return tellObject(d, t)
		}
		return tellArray(d, t)
	}
	return nil
}
