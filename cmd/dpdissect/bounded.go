package main

import (
	"fmt"
	"io"
	"os"
)

// The largest files that are read whole, in bytes. What goes on for ever, as /dev/zero does, is
// an error as soon as it is beyond them.
const (
	maxRules    = 16 << 20
	maxBaseline = 64 << 20
	maxReport   = 512 << 20 // of --against: the analysis of 100,000 connections takes half of it
	maxSecrets  = 16 << 20
)

// readBounded reads a file of so many bytes at most.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(&bounded{r: f, left: most, name: path, most: most})
	if err != nil {
		return nil, err
	}
	return text, nil
}

// A bounded reads from another reader, which must end within so many bytes.
type bounded struct {
	r    io.Reader
	left int64
	name string
	most int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%s: has more than %d MiB: is it the right file?", b.name, b.most>>20)
	}
	return n, err
}
