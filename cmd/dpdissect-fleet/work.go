package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/internal/bucket"
	"github.com/dpdissect/dpdissect/internal/fleet"
	"github.com/dpdissect/dpdissect/internal/piecewise"
	"github.com/dpdissect/dpdissect/internal/tablecmd"
	"github.com/dpdissect/dpdissect/internal/tables"
)

// workCommand is the flags of the command.
type workCommand struct {
	queue    connection
	rows     tablecmd.Flags
	o        fleet.WorkOptions
	secrets  string
	memory   string
	oldState string
	metrics  string
	bucket   *bucket.Bucket // of --out, nil for a folder
	mu       sync.Mutex
	asked    time.Time // when the bucket answered last
}

// rowFlags are the flags of `tables` that work has, too.
var rowFlags = []string{"out", "format", "tables", "interval", "idle", "addresses", "address-key"}

func newWork() *cobra.Command {
	c := &workCommand{}
	cmd := &cobra.Command{
		Use:   "work --out DIR",
		Short: "Do steps of the queue until told to end",
		Long: `Take steps of the queue, one at a time, and do each with 'tables': its rows are
those of one run over the whole chain, each once, however many workers there are
and whatever becomes of them. SIGTERM lets the worker end its step, for at most
ten seconds; the step is handed back then.

A step whose inputs can't be read goes to the dead at once; one that is killed or
takes too long is tried again, and goes there after --tries. Its chain goes on
after a gap.`,
		Example: `  dpdissect-fleet work --out rows --root /captures
  dpdissect-fleet work --out s3://bucket/rows --workers 8 --drain`,
		Args: cobra.NoArgs,
		RunE: orderly(func(cmd *cobra.Command, _ []string) error { return c.run(cmd) }),
	}
	f := cmd.Flags()
	f.SortFlags = false
	rows := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.rows.Add(rows, "parquet")
	for _, name := range rowFlags {
		f.AddFlag(rows.Lookup(name))
	}
	f.StringVar(&c.secrets, "secrets", "", "read signing secrets from `FILE`")
	f.IntVar(&c.o.Workers, "workers", 1, "do `N` steps at a time")
	f.StringVar(&c.o.Root, "root", ".", "read files below `DIR` alone")
	f.BoolVar(&c.o.Drain, "drain", false, "end when nothing is left in the queue")
	f.DurationVar(&c.o.AckWait, "ack-wait", 30*time.Second, "give a step to another worker when this one was silent for `DURATION`")
	f.IntVar(&c.o.Tries, "tries", 3, "try a step `N` times")
	f.DurationVar(&c.o.StepTime, "step-time", 10*time.Minute, "end a step after `DURATION`")
	f.StringVar(&c.memory, "step-memory", "512MiB", "end a step that takes more memory than `SIZE`")
	f.StringVar(&c.oldState, "old-state", "restart", "`HOW` a state of another build is met: restart the chain after a gap, or refuse and end")
	f.StringVar(&c.metrics, "metrics", "", "serve metrics on `ADDR`")
	c.queue.add(cmd, 0)
	return cmd
}

func (c *workCommand) run(cmd *cobra.Command) error {
	if err := c.check(cmd); err != nil {
		return err
	}
	q, err := c.queue.connect(cmd, asWork)
	if err != nil {
		return err
	}
	defer q.Close()
	if c.metrics != "" {
		stop, err := c.serveMetrics(q)
		if err != nil {
			return fmt.Errorf("--metrics: %w", err)
		}
		defer stop()
	}
	return q.Work(cmd.Context(), c.o)
}

// check makes options of the flags.
func (c *workCommand) check(cmd *cobra.Command) (err error) {
	o := &c.o
	if _, err := c.rows.Options("x", false, time.Now()); err != nil {
		return err
	}
	switch {
	case c.rows.Format != "parquet" && c.rows.Format != "ndjson":
		return fmt.Errorf("--format %s: want parquet or ndjson", c.rows.Format)
	case o.Workers < 1 || o.Tries < 1:
		return errors.New("--workers, --tries: want at least 1")
	case o.AckWait < time.Second || o.StepTime <= 0:
		return errors.New("--ack-wait, --step-time: want at least a second")
	case c.oldState != "restart" && c.oldState != "refuse":
		return fmt.Errorf("--old-state %s: want restart or refuse", c.oldState)
	}
	if o.StepMemory, err = parseSize(c.memory); err != nil {
		return fmt.Errorf("--step-memory: %w", err)
	}
	if err := c.openOut(); err != nil {
		return fmt.Errorf("--out %s: %w", c.rows.Out, err)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	o.Program, o.Args = []string{program, "tables"}, c.args(cmd.Flags())
	o.Layout, o.Build, o.Name = piecewise.Layout(), build(), fmt.Sprintf("%s/%d", host, os.Getpid())
	o.Refuse, o.Ready, o.Fence, o.Forget = c.oldState == "refuse", c.ready, c.fence, c.forget
	o.Tell = func(text string) { tell(cmd.ErrOrStderr(), text) }
	return nil
}

// openOut finds the place of rows.
func (c *workCommand) openOut() (err error) {
	if strings.HasPrefix(c.rows.Out, bucket.Scheme) {
		c.bucket, err = bucket.Open(c.rows.Out)
		return err
	}
	if c.rows.Out, err = filepath.Abs(c.rows.Out); err == nil {
		err = os.MkdirAll(c.rows.Out, 0o777)
	}
	return err
}

// args are the flags of each step.
func (c *workCommand) args(f *pflag.FlagSet) []string {
	args := []string{"--out=" + c.rows.Out, "--format=" + c.rows.Format}
	for _, name := range rowFlags[2:] {
		x := f.Lookup(name)
		if !x.Changed {
			continue
		}
		value := x.Value.String()
		if s, ok := x.Value.(pflag.SliceValue); ok {
			value = strings.Join(s.GetSlice(), ",")
		}
		args = append(args, "--"+name+"="+value)
	}
	if c.secrets != "" {
		args = append(args, "--secrets="+c.secrets)
	}
	return args
}

// ready reports what is wrong where rows can't be written.
func (c *workCommand) ready(ctx context.Context) error {
	if c.bucket != nil {
		return c.answers(ctx)
	}
	return fleet.Room(c.rows.Out)
}

// answers asks the bucket, every ten seconds.
func (c *workCommand) answers(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.asked) < 10*time.Second {
		return nil
	}
	err := c.bucket.Answers(ctx)
	if err == nil {
		c.asked = time.Now()
	}
	return err
}

// forget removes the rows of a step that is dead: a try may have written them before it died.
func (c *workCommand) forget(ctx context.Context, point, chain string, step int) error {
	name := fmt.Sprintf("%s.%08d.%s", tables.FileName(chain), step, c.rows.Format)
	for _, t := range tables.All() {
		begin := t.Name + "/point=" + tables.FileName(point) + "/"
		if c.bucket != nil {
			if err := c.bucket.Remove(ctx, begin, "/"+name); err != nil {
				return err
			}
			continue
		}
		days, err := os.ReadDir(filepath.Join(c.rows.Out, filepath.FromSlash(begin)))
		if err != nil {
			continue // there are none
		}
		for _, d := range days {
			err := os.Remove(filepath.Join(c.rows.Out, filepath.FromSlash(begin), d.Name(), name))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// parseSize reads a number of bytes: 512MiB, 2GiB.
func parseSize(text string) (int64, error) {
	var n int64
	var unit string
	if c, _ := fmt.Sscanf(text, "%d%s", &n, &unit); c == 2 && n > 0 && n < 1<<20 {
		switch unit {
		case "MiB":
			return n << 20, nil
		case "GiB":
			return n << 30, nil
		}
	}
	return 0, errors.New("want a size such as 512MiB or 2GiB")
}
