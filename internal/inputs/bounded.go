package inputs

import (
	"fmt"
	"io"
	"os"
)

// ReadBounded reads a whole file, of so many bytes at most. What goes on for ever, as /dev/zero
// does, is an error as soon as it is beyond them.
func ReadBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(newBounded(f, path, most))
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

func newBounded(r io.Reader, name string, most int64) *bounded {
	return &bounded{r: r, left: most, name: name, most: most}
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%s: has more than %d MiB: is it the right file?", b.name, b.most>>20)
	}
	return n, err
}
