package tracegen

import (
	"bytes"
	"encoding/json"
)

// JSON is the truth as a file: a line a key, and in lists a line a member.
func (t *Truth) JSON() []byte {
	whole, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		panic(err) // a Truth holds nothing that can't be encoded
	}
	return append(pack(whole), '\n')
}

// pack puts each frame and each message on one line.
func pack(b []byte) []byte {
	var out []byte
	list := -1 // depth of the list we are in
	for line := range bytes.Lines(b) {
		text := bytes.TrimLeft(line, " ")
		depth := len(line) - len(text)
		inside := list >= 0 && (depth > list+1 || depth == list+1 && text[0] == '}')
		switch {
		case inside:
			out = append(bytes.TrimRight(out, "\n"), text...)
			continue
		case list < 0 && opensList(text):
			list = depth
		case depth == list:
			list = -1
		}
		out = append(out, line...)
	}
	return out
}

func opensList(text []byte) bool {
	for _, key := range []string{`"frames": [`, `"uncaptured": [`, `"message_list": [`} {
		if bytes.HasPrefix(text, []byte(key)) {
			return true
		}
	}
	return false
}
