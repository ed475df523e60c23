package tables

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"regexp"
	"runtime"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// Bounds of the file with a key, in bytes.
const (
	leastKey = 32
	mostKey  = 4096
)

// Keys replace addresses by keyed hashes: who does not have the key can't tell which they are, and
// equal ones stay equal.
type Keys struct{ key []byte }

// ReadKeys reads a key from a file that nobody else may read.
func ReadKeys(path string) (*Keys, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s: others may read it: its mode is %#o, not 0600", path, st.Mode().Perm())
	}
	key, err := io.ReadAll(io.LimitReader(f, mostKey+1))
	switch {
	case err != nil:
		return nil, err
	case len(key) < leastKey:
		return nil, fmt.Errorf("%s has %d bytes, at least %d", path, len(key), leastKey)
	case len(key) > mostKey:
		return nil, errors.New(path + " is too long for a key")
	}
	return &Keys{key}, nil
}

// addressed are the columns whose text may have addresses in it.
var addressed = map[string]bool{
	"a_address": true, "b_address": true, "sentence": true, "would_refute": true, "message": true, "reason": true, "internal_error_message": true,
}

// addressLike finds what may be an address.
var addressLike = regexp.MustCompile(`\[[0-9a-fA-F:.]+\]|(?:[0-9]{1,3}\.){3}[0-9]{1,3}|[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*[0-9a-fA-F:]`)

// value is a value of a row with its addresses replaced.
func (k *Keys) value(c *Column, value []byte) []byte {
	if k == nil || !addressed[c.Name] {
		return value
	}
	return render.AppendJSONString(nil, k.replace(unquoted(value)))
}

// replace replaces the addresses in a text; ports stay.
func (k *Keys) replace(s string) string {
	return addressLike.ReplaceAllStringFunc(s, func(found string) string {
		bare := found
		if bare[0] == '[' {
			bare = bare[1 : len(bare)-1]
		}
		addr, err := netip.ParseAddr(bare)
		if err != nil {
			return found
		}
		return k.hash(addr)
	})
}

func (k *Keys) hash(addr netip.Addr) string {
	h := hmac.New(sha256.New, k.key)
	bytes := addr.Unmap().AsSlice()
	h.Write(bytes)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
