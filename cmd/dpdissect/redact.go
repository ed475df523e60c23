package main

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dp8"
	dp8track "github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/redact"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/source"
)

// redaction is the flags of the command.
type redaction struct {
	input
	write      string
	keepPrefix bool
	ports      flags.Choice
	others     flags.Choice
	keyFile    string
	mapFile    string
	secretsOut string
	unverified bool
	verify     string

	survey   *redact.Survey
	original []byte // its analysis, to be compared
}

func newRedact() *cobra.Command {
	c := &redaction{ports: flags.NewChoice("keep", "map"), others: flags.NewChoice("cut", "drop")}
	c.formats, c.Blocks = []string{"text", "json"}, true
	cmd := &cobra.Command{
		Use:   "redact INPUT... -w FILE",
		Short: "Write a capture that one may publish: it names nobody",
		Long: `Write a capture that shows the same and names nobody. Who else is in the file?
The first line of the report says how many addresses play, and how many others
are there. All become others: MAC and IP addresses, names, secrets, and what
applications sent, letter by letter and digit by digit, the same by the same.
Times, lengths and all numbers of the protocols stay, and so does the analysis.
Checksums that were right are right. DirectPlay 8 is signed again, with fresh
secrets, which are printed.

Of packets of other protocols nothing is known: they are cut after their last
header. Comments, names and descriptions that the file had are left out.

The result is read again: nothing of the original may be found in it, and the
analysis must be equal. Else the places are listed, the exit code is 1, and no
file is left. --verify ORIGINAL does that for a file that is there already.

The map of --map, and the file of --key-file, tell who is who: keep them to
yourself.`,
		Example: `  dpdissect redact game.pcap -w public.pcapng
  dpdissect redact game.pcap -w public.pcapng --others drop --ports map
  dpdissect redact public.pcapng --verify game.pcap`,
		Annotations: map[string]string{quietMeans: "no progress bar", judgesEach: "yes"},
		RunE:        c.runE,
	}
	f := cmd.Flags()
	f.StringVarP(&c.write, "write", "w", "", "write the packets to `FILE`, as pcapng")
	f.BoolVar(&c.keepPrefix, "keep-prefix", false, "addresses of one network stay in one network")
	c.ports.Add(cmd, "ports", "UDP ports: keep them, or map them to others")
	c.others.Add(cmd, "others", "packets of other protocols: cut them, or drop them, which changes the numbers of frames")
	f.StringVar(&c.keyFile, "key-file", "", "replace the same way each time, as a secret in `FILE` says: 64 hex digits or more; without it each run differs")
	f.StringVar(&c.mapFile, "map", "", "write to `FILE` what stands for what, as JSON; it is not for publishing")
	f.StringVar(&c.secretsOut, "secrets-out", "", "write the fresh secrets to `FILE`, as --secrets reads them")
	f.BoolVar(&c.unverified, "no-verify", false, "do not read the result again")
	f.StringVar(&c.verify, "verify", "", "only look for what INPUT holds of the capture `ORIGINAL`, and compare the analyses")
	c.add(cmd)
	source.HideLive(cmd)
	for _, name := range notOfRedact {
		must(f.MarkHidden(name))
	}
	return cmd
}

// notOfRedact are flags of reading commands that choose packets, or how they are shown.
var notOfRedact = []string{"display-filter", "connection", "from", "to", "recursive", "capture-filter", "bpf", "numeric", "time-format", "workers"}

func (c *redaction) runE(cmd *cobra.Command, paths []string) error {
	if err := c.checkFlags(cmd, paths); err != nil {
		return err
	}
	key, err := c.key()
	if err != nil {
		return err
	}
	c.survey = redact.NewSurvey(redact.Options{Key: key, KeepPrefix: c.keepPrefix, MapPorts: c.ports.Value == "map"})
	c.dp8 = func(o *dp8track.Options) { o.Keys = c.survey.Keys() }
	c.prepare = c.guardOutputs
	read := paths
	if c.verify != "" {
		read = []string{c.verify}
	} else {
		c.output, c.outputFlag = c.write, "-w"
	}
	stamps := stampsOf(read)
	j, err := c.open(cmd, read, true)
	if err != nil {
		return err
	}
	told, err := c.redact(j, paths)
	if err == nil {
		err = sameFiles(j.stderr, read, stamps)
	}
	err = j.finish(err)
	if told == nil {
		return err
	}
	return cmp.Or(c.print(cmd.OutOrStdout(), told), err)
}

// checkFlags refuses what has no meaning.
func (c *redaction) checkFlags(cmd *cobra.Command, paths []string) error {
	for _, name := range notOfRedact {
		if cmd.Flags().Changed(name) && !slices.Contains([]string{"numeric", "time-format", "workers"}, name) {
			return exit.Usagef("--%s: all packets are redacted; 'dpdissect annotate' cuts a capture", name)
		}
	}
	for _, p := range append(slices.Clone(paths), c.verify) {
		if p != "" && capture.ReadOnce(p) {
			return exit.Usagef("%s: a capture is read several times: give a file, not standard input or a pipe", p)
		}
	}
	switch {
	case c.Live() || c.Follow:
		return exit.Usagef("a capture is redacted that is complete, not a live one")
	case c.output != "":
		return exit.Usagef("-o: the file is that of -w, and the report goes to standard output")
	case c.verify != "" && (c.write != "" || c.unverified || c.keyFile != "" || c.mapFile != "" || c.secretsOut != ""):
		return exit.Usagef("--verify looks at a capture that is there already: give no flag that writes one")
	case c.verify != "" && len(paths) != 1:
		return exit.Usagef("--verify takes one INPUT, but got %d", len(paths))
	case c.verify == "" && (c.write == "" || c.write == "-"):
		return exit.Usagef("no file: give -w FILE; standard output is for the report")
	}
	return nil
}

// leastKey is the least size of a key file, in bytes: as much as the hash gives.
const leastKey = 32

// key reads the key file, or makes a key that nobody will know again.
func (c *redaction) key() (*redact.Key, error) {
	if c.keyFile == "" {
		secret := make([]byte, leastKey)
		_, err := rand.Read(secret)
		return redact.NewKey(secret), err
	}
	st, err := os.Stat(c.keyFile)
	if err == nil && runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
		return nil, exit.Usagef("--key-file: %s: others may read it: chmod 600", c.keyFile)
	}
	var text []byte
	if err == nil {
		text, err = inputs.ReadBounded(c.keyFile, 1<<16)
	}
	if err != nil {
		return nil, exit.Usagef("--key-file: %w", err)
	}
	secret, err := hex.DecodeString(string(slices.DeleteFunc(text, func(b byte) bool { return strings.IndexByte(" \t\r\n", b) >= 0 })))
	if err != nil || len(secret) < leastKey {
		return nil, exit.Usagef("--key-file: %s: want %d hex digits or more", c.keyFile, 2*leastKey)
	}
	return redact.NewKey(secret), nil
}

// guardOutputs refuses to write over what is read, or one file twice.
func (c *redaction) guardOutputs(j *job) error {
	j.files.Reads("the key file", c.keyFile)
	for _, x := range [...][2]string{{"--map", c.mapFile}, {"--secrets-out", c.secretsOut}} {
		if err := j.files.Writes("the file of "+x[0], x[1]); err != nil {
			return notWritten(x[0], err)
		}
	}
	if c.verify == "" && j.dest.file.InPlace() {
		return exit.Usagef("-w %s: a file that is read again is no device and no pipe", c.write)
	}
	return nil
}

// redact makes the passes: one that learns, one that writes, and one that verifies.
func (c *redaction) redact(j *job, paths []string) (*report.Redacted, error) {
	a, err := c.analyse(j, c.survey.Attach)
	if err == nil && j.unopened() && c.verify == "" {
		j.dest.file.Abort() // there is nothing to write
	}
	if err != nil || j.unopened() {
		return nil, err
	}
	c.original = a
	if err := c.survey.Assign(&j.run); err != nil {
		return nil, fmt.Errorf("%s: %w", c.inputs(paths)[0], err)
	}
	if n := c.survey.Originals.Left; n > 0 {
		fmt.Fprintf(j.stderr, "dpdissect: %d values of the capture are replaced, but not searched for: they are too many\n", n)
	}
	j.run.Release()
	told := &report.Redacted{Replaced: report.RedactedKinds()}
	told.Players, told.Others = c.survey.Hosts()
	if c.verify == "" {
		if err := c.rewrite(j, paths, told); err != nil {
			return nil, err
		}
		if c.unverified {
			return told, nil
		}
	}
	err = c.verifyResult(j, paths, told)
	if err != nil && c.verify == "" {
		j.dest.file.Abort()
	}
	return told, err
}

// rewrite writes the capture, and the files that belong to it.
func (c *redaction) rewrite(j *job, paths []string, told *report.Redacted) error {
	w := redact.NewWriter(c.survey, c.others.Value == "drop", len(paths) > 1)
	c.dp8 = func(o *dp8track.Options) {
		o.Keys = w.Keys()
		for i := range o.Secrets {
			w.Tell(c.fresh(&o.Secrets[i]))
		}
	}
	next, err := c.again(j, paths)
	if err != nil {
		return err
	}
	defer next.run.Source.Close()
	q := pipeline.NewQueue(j.out, w)
	w.Attach(&next.run, q)
	redact.InOrder(&next.run)
	err = next.doWith(q, w.Err)
	if err == nil {
		q.Append(func(dst []byte) []byte { return w.Finish(dst, next.run.Source) })
		err = cmp.Or(q.Flush(), w.Err())
	}
	if err != nil {
		return err
	}
	told.Packets, told.Cut, told.Dropped, told.Secrets = w.Packets, w.Cut, w.Dropped, w.Secrets()
	for i, n := range c.survey.Counts() {
		told.Replaced[i].N = n
	}
	return c.writeBeside(j, told)
}

// fresh is what stands for secrets that were given.
func (c *redaction) fresh(s *dp8.SuppliedSecrets) *dp8.SuppliedSecrets {
	f := *s
	f.Connector, f.Listener = c.survey.Secret(s.Connector), c.survey.Secret(s.Listener)
	return &f
}

// again is a job that reads captures once more.
func (c *redaction) again(j *job, paths []string) (*job, error) {
	cfg, err := c.Config(c.dp8)
	if err != nil {
		return nil, err
	}
	src, err := c.source(paths)
	if err != nil {
		return nil, err
	}
	return &job{input: j.input, run: pipeline.Run{Source: src, Config: cfg, Workers: 1}, out: j.out, stderr: j.stderr, stop: func() {}}, nil
}

// writeBeside writes the map and the secrets, for their owner alone.
func (c *redaction) writeBeside(j *job, told *report.Redacted) error {
	if c.secretsOut != "" {
		if err := outfile.Write(c.secretsOut, []byte(strings.Join(append(told.Secrets, ""), "\n")), outfile.Private, nil); err != nil {
			return notWritten("--secrets-out", err)
		}
	}
	if c.mapFile == "" {
		return nil
	}
	b, err := json.MarshalIndent(c.survey.Map(), "", "  ")
	if err == nil {
		err = outfile.Write(c.mapFile, append(b, '\n'), outfile.Private, nil)
	}
	if err != nil {
		return notWritten("--map", err)
	}
	return nil
}

// print prints the report.
func (c *redaction) print(w io.Writer, told *report.Redacted) error {
	var b []byte
	switch {
	case c.format.Value == "json":
		b = report.AppendRedactedJSON(nil, told)
	case c.verify != "":
		b = report.AppendVerifiedText(nil, told)
	default:
		b = report.AppendRedactedText(nil, told)
	}
	_, err := w.Write(b)
	return err
}
