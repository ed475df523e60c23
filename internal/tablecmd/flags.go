// Package tablecmd is what the command tables of both programs share: its flags, its help, and a
// run.
package tablecmd

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/tables"
	"github.com/dpdissect/dpdissect/session"
)

// Flags are those that say which rows are made and where they go.
type Flags struct {
	Out        string
	Format     string
	Tables     []string
	Interval   Seconds
	Idle       Seconds
	Every      Seconds
	Point      string
	Chain      string
	Step       int
	Addresses  string
	AddressKey string
	Metrics    string
}

// Seconds are those of a flag that may be 0, for none.
type Seconds struct{ flags.Seconds }

// Set implements pflag.Value.
func (s *Seconds) Set(text string) error {
	if d, err := time.ParseDuration(text); err == nil && d == 0 {
		s.Seconds = 0
		return nil
	}
	return s.Seconds.Set(text)
}

// MetricsUsage is the help of the flag.
const MetricsUsage = "with -i, pipes and --follow: metrics for Prometheus at http://`ADDR`/metrics; :9464 is on this machine alone"

// noStep is a step that is not named.
const noStep = -1 << 31

// everyWaits is how long a step is of inputs that wait for packets.
const everyWaits = 15 * time.Minute

// Add adds the flags. formats are those that the program writes, the usual one first.
func (f *Flags) Add(fs *pflag.FlagSet, format string) {
	f.Interval.Seconds, f.Idle.Seconds = flags.Seconds(10*time.Second), flags.Seconds(session.DefaultIdle)
	fs.StringVar(&f.Out, "out", "", "write to files below `DIR`, a folder or s3://BUCKET/PREFIX")
	fs.StringSliceVar(&f.Tables, "tables", nil, "the tables, a comma-separated `LIST` of "+strings.Join(tables.Names(), ", ")+"; all but messages by default")
	fs.StringVar(&f.Format, "format", format, "`FORMAT` is ndjson, one row a line, or parquet, which dpdissect-fleet writes")
	fs.Var(&f.Interval, "interval", "length of intervals: `SECONDS`, or a duration such as 10s or 5m")
	fs.Var(&f.Idle, "idle", "close address pairs of which nothing came for `SECONDS`; 0 is never")
	fs.Var(&f.Every, "every", "begin another step every `SECONDS` of the capture; 15m by default with -i, pipes and --follow, else all is one step")
	fs.StringVar(&f.Point, "point", "local", "`NAME` of where the packets are taken")
	fs.StringVar(&f.Chain, "chain", "", "`NAME` of the capture whose pieces the inputs are; by default that of the first without extensions, and of an interface with the time")
	fs.IntVar(&f.Step, "step", noStep, "`N` is the number of this step of the chain: 0 by default, or the one after that of --state-in")
	fs.StringVar(&f.Addresses, "addresses", "full", "`HOW` IP addresses are written: full, or keyed for a hash with the key of --address-key")
	fs.StringVar(&f.AddressKey, "address-key", "", "`FILE` with a key of at least 32 bytes that only its owner may read")
	fs.StringVar(&f.Metrics, "metrics", "", MetricsUsage)
	fs.Lookup("idle").DefValue = "90s"
	fs.Lookup("every").DefValue = ""
	fs.Lookup("step").DefValue = ""
}

// Options are what the flags say, but for format and store. first is the first input, or the
// interface of a live run that begins at a time. waits says that inputs wait for packets.
func (f *Flags) Options(first string, live bool, now time.Time) (tables.Options, error) {
	o := tables.Options{Point: f.Point, Chain: f.Chain, Step: max(0, f.Step), GoOn: f.Step == noStep, Every: time.Duration(f.Every.Seconds), Interval: time.Duration(f.Interval.Seconds), Idle: time.Duration(f.Idle.Seconds)}
	if o.Chain == "" {
		if o.Chain = tables.ChainOf(first); live {
			o.Chain = first + now.UTC().Format("-20060102T150405Z")
		}
	}
	switch {
	case f.Out == "":
		return o, errors.New("no folder: give --out DIR")
	case o.Interval < time.Millisecond:
		return o, errors.New("--interval: want at least 1ms")
	case f.Step != noStep && (f.Step < 0 || f.Step > 99_999_999):
		return o, fmt.Errorf("--step %d: want a number from 0 to 99999999", f.Step)
	case o.Every != 0 && o.Every < time.Minute:
		return o, errors.New("--every: want at least a minute")
	}
	for _, n := range [][2]string{{"--point", o.Point}, {"--chain", o.Chain}} {
		if err := tables.CheckName(n[1]); err != nil {
			return o, fmt.Errorf("%s: the name %w", n[0], err)
		}
	}
	var err error
	if o.Tables, err = f.tables(); err != nil {
		return o, err
	}
	o.Keys, err = f.keys()
	return o, err
}

// tables are those that are asked for.
func (f *Flags) tables() (list []*tables.Table, err error) {
	for _, t := range tables.All() {
		if f.Tables == nil && t.Default {
			list = append(list, t)
		}
	}
	for _, name := range f.Tables {
		t := tables.Named(name)
		if t == nil {
			return nil, fmt.Errorf("--tables: unknown table %q: want %s", name, strings.Join(tables.Names(), ", "))
		}
		list = append(list, t)
	}
	if list == nil {
		return nil, errors.New("--tables names none")
	}
	return list, nil
}

func (f *Flags) keys() (*tables.Keys, error) {
	switch {
	case f.Addresses != "full" && f.Addresses != "keyed":
		return nil, fmt.Errorf("--addresses %s: want full or keyed", f.Addresses)
	case f.Addresses == "keyed" && f.AddressKey == "":
		return nil, errors.New("--addresses keyed needs --address-key FILE")
	case f.Addresses == "full" && f.AddressKey != "":
		return nil, errors.New("--address-key works with --addresses keyed")
	case f.AddressKey == "":
		return nil, nil
	}
	k, err := tables.ReadKeys(f.AddressKey)
	if err != nil {
		return nil, fmt.Errorf("--address-key: %w", err)
	}
	return k, nil
}

// Counts are those of the flags that count for a state.
func (f *Flags) Counts() any { return []any{f.Interval.Seconds, f.Idle.Seconds, f.Tables} }

// Reads tells the guard which files the flags read.
func (f *Flags) Reads(g *outfile.Guard) { g.Reads("the file of --address-key", f.AddressKey) }

// Waits sets what is usual of inputs that wait for packets.
func Waits(o *tables.Options) { o.Every = cmp.Or(o.Every, everyWaits) }
