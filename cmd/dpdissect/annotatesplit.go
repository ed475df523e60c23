package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/internal/annotate"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/record"
)

// splitting is --split.
type splitting struct {
	by    string
	every time.Duration // 0 by connection
	path  string        // of the files, without what tells them apart
}

func (s *splitting) add(f *pflag.FlagSet) {
	f.StringVar(&s.by, "split", "", "write several files, by `HOW`: connection, or time:DURATION such as time:60s")
}

// readSplit reads --split, and makes standard output the list of files.
func (c *annotateCommand) readSplit() (err error) {
	s := &c.split
	if s.by == "" {
		return nil
	}
	length, byTime := strings.CutPrefix(s.by, "time:")
	switch {
	case s.by == "connection" && c.Live():
		return exit.Usagef("--split connection: a live run does not know its connections to the end: split by time, or what was captured")
	case byTime:
		if s.every, err = flags.ParseSeconds(length); err != nil || s.every < time.Second {
			return exit.Usagef("--split time:%s: want a duration of one second or more, such as time:60s", length)
		}
	case s.by != "connection":
		return exit.Usagef("--split %s: want connection or time:DURATION", s.by)
	}
	if c.output == "" {
		return exit.Usagef("--split writes several files: give -w FILE, not standard output")
	}
	s.path, c.output = c.output, ""
	return nil
}

// writeApart writes the packets to their files, and prints the names of these.
func (c *annotateCommand) writeApart(j *job, p *annotate.Printer) error {
	s := annotate.NewSplit(p, c.split.path, c.split.every, record.NewParts(j.files))
	q := pipeline.NewQueue(j.out, s)
	q.Notes = !c.plain && !j.Live()
	p.Attach(&j.run, q)
	j.maxWait = c.waits
	ran := j.doWith(q, p.Err)
	paths, err := s.End(j.run.Source, ran)
	switch {
	case ran != nil && p.Err() == nil:
		return ran
	case err != nil:
		return notWritten("-w", err)
	}
	c.tell(j, p)
	for _, path := range paths {
		if _, err := fmt.Fprintln(j.out, path); err != nil {
			return err
		}
	}
	return nil
}
