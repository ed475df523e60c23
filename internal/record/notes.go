package record

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Bounds of comments: how long one is, in bytes, how many a packet has, and how many
// there are.
const (
	maxNote       = 1024
	notesOfPacket = 16
	maxNotes      = 8192
)

// A note is a comment on a packet.
type note struct {
	frame uint64
	text  string
}

// notes are sorted by frame; those of one packet in the order they came.
type notes struct{ list []note }

// add puts a note in its place. It reports false for one too many.
func (n *notes) add(frame uint64, text string) bool {
	at := sort.Search(len(n.list), func(i int) bool { return n.list[i].frame > frame })
	if len(n.list) >= maxNotes || at >= notesOfPacket && n.list[at-notesOfPacket].frame == frame {
		return false
	}
	n.list = slices.Insert(n.list, at, note{frame, short(text)})
	return true
}

// forget lets go of notes on packets before a frame.
func (n *notes) forget(frame uint64) {
	for len(n.list) > 0 && n.list[0].frame < frame {
		n.list[0].text = "" // or the memory stays
		n.list = n.list[1:]
	}
}

// notesOf appends the texts of a packet's notes, which list begins with but for
// those of packets that are not there, and gives the rest of the list.
func notesOf(frame uint64, list []note, texts []string) ([]string, []note) {
	for len(list) > 0 && list[0].frame <= frame {
		if list[0].frame == frame {
			texts = append(texts, list[0].text)
		}
		list = list[1:]
	}
	return texts, list
}

// short is a text of at most maxNote bytes, whole characters alone, in memory of its
// own.
func short(s string) string {
	if len(s) <= maxNote {
		return strings.Clone(s)
	}
	end := maxNote - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
