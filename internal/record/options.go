package record

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/outfile"
)

// Options say what a Recorder writes, and where. Only Path is needed, and
// Interfaces where packets are to be written at once. Texts are for pcapng; "" is
// none.
type Options struct {
	Path        string // a file that is made or written over, a device, a pipe, or "-" for standard output
	Format      string // "pcap" or "pcapng"; "" goes by the name: .pcap, .cap and .dmp are pcap, all else pcapng
	Compress    string // "gzip", "zstd" or "lz4"; "" goes by the end of the name: .gz, .zst, .lz4
	Ring        Ring
	Nanoseconds bool // times of pcap are nanoseconds, not microseconds; those of pcapng always are

	Interfaces  []capture.Interface
	Application string // name and version of this program
	Hardware    string
	OS          string // also of interfaces that don't say theirs
	Filter      string // capture filter of interfaces that don't say theirs
	Comment     string // on each file

	Start       time.Time         // when the capture began; zero when packets are older than the recording
	PacketDrops bool              // packets tell all drops by Record.Drops, sooner or later: files of a ring leave telling to them
	Stats       Stats             // nil when nothing is known but what packets tell
	Heard       func() int64      // until when all packets were given, ns since 1970, 0 where that is not known; nil when the time of Tick tells
	Stdout      io.Writer         // what "-" writes to, os.Stdout when nil
	Closed      func(path string) // told of each file that is complete; nil for nobody
	Guard       *outfile.Guard    // files that are not written over, by no file of a ring either; nil for none
}

// Stats says of an interface how many packets it received since the capture began,
// those dropped included, and how many of them were dropped. It is asked when a file
// ends. ok is false where that is not known.
type Stats func(iface int) (received, dropped uint64, ok bool)

// A Ring says when a file is full and another begins. Of several conditions the
// first to come true counts; without any there is one file. A file holds one packet
// at least.
type Ring struct {
	Duration time.Duration // from the start of a file, by the time of packets and Tick
	Interval time.Duration // files end at the multiples of it since 1970 UTC
	FileSize int64         // bytes of the file; it is passed by the packet that reaches it
	Packets  uint64
	Keep     Retention // of files of this name; those of earlier runs count too
}

// filesOfTotal is into how many files the bytes of a ring are divided at least, when
// nothing says how large one may be.
const filesOfTotal = 8

// on reports whether there are several files.
func (g *Ring) on() bool {
	return g.Duration > 0 || g.Interval > 0 || g.FileSize > 0 || g.Packets > 0
}

func (g *Ring) check() error {
	switch {
	case g.Duration < 0 || g.Interval < 0 || g.FileSize < 0 || g.Keep.Files < 0 || g.Keep.Bytes < 0:
		return errors.New("ring of files: a limit is negative")
	case g.Keep.Bytes > 0 && g.FileSize > g.Keep.Bytes/2:
		return errors.New("ring of files: all files together must have room for two of the size of one")
	case g.Keep.Files > 0 && !g.on() && g.Keep.Bytes == 0:
		return errors.New("ring of files: say when a file is full, by duration, interval, file size or packets")
	}
	if g.Keep.Bytes > 0 && g.FileSize == 0 {
		g.FileSize = max(1, g.Keep.Bytes/filesOfTotal)
	}
	return nil
}

// suffixes of compressed files.
var suffixes = map[string]string{".gz": "gzip", ".zst": "zstd", ".lz4": "lz4"}

var pcapSuffixes = []string{".pcap", ".cap", ".dmp"}

// A name is a path taken apart: base, ext and suffix make the path again.
type name struct {
	base, ext string // "/tmp/r" and ".pcapng"
	suffix    string // ".gz", "" for none
}

func splitName(path string) name {
	var n name
	if end := filepath.Ext(path); suffixes[strings.ToLower(end)] != "" {
		n.suffix, path = end, strings.TrimSuffix(path, end)
	}
	n.ext = filepath.Ext(path)
	n.base = strings.TrimSuffix(path, n.ext)
	return n
}

// resolve fills in what follows from the path and refuses what makes no sense.
func (o *Options) resolve() (name, error) {
	n := splitName(o.Path)
	if o.Path == "" {
		return n, errors.New("no file to write to")
	}
	if o.Format == "" {
		o.Format = "pcapng"
		if slices.Contains(pcapSuffixes, strings.ToLower(n.ext)) {
			o.Format = "pcap"
		}
	}
	if o.Format != "pcap" && o.Format != "pcapng" {
		return n, fmt.Errorf("unknown capture format %q: pcap and pcapng can be written", o.Format)
	}
	if err := o.compression(&n); err != nil {
		return n, err
	}
	if o.Path == "-" && o.Ring.on() {
		return n, errors.New("standard output (-) is one file: a ring of files needs a name")
	}
	o.Interfaces = slices.Clone(o.Interfaces)
	for i := range o.Interfaces {
		o.describe(&o.Interfaces[i])
	}
	return n, o.Ring.check()
}

// compression agrees on one between the option and the name.
func (o *Options) compression(n *name) error {
	byName := suffixes[strings.ToLower(n.suffix)]
	if o.Compress == "" {
		o.Compress = byName
	}
	if byName != "" && byName != o.Compress {
		return fmt.Errorf("%s is the name of a %s file, but %s is asked for", o.Path, byName, o.Compress)
	}
	if n.suffix != "" || o.Compress == "" {
		return nil
	}
	for s, kind := range suffixes {
		if kind == o.Compress {
			n.suffix = s
			return nil
		}
	}
	return fmt.Errorf("unknown compression %q: gzip, zstd and lz4 can be written", o.Compress)
}

// describe fills in what the interface does not say itself.
func (o *Options) describe(i *capture.Interface) {
	if i.OS == "" {
		i.OS = o.OS
	}
	if i.Filter == "" {
		i.Filter = o.Filter
	}
}
