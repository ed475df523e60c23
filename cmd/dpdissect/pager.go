package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/terminal"
)

const noPagerFlag = "no-pager"

// A pager shows what does not fit the screen by another program, as git does. It holds
// back what is written until that is more than the screen has room for: less than that
// is written as it is, at the end.
type pager struct {
	screen        *os.File
	command       string
	width, height int

	held    []byte
	counted int // bytes of held whose rows are known
	rows    int
	started *exec.Cmd // nil until there is more than a screen
	pipe    io.WriteCloser
	keys    chan os.Signal // Ctrl-C is for the pager while it runs
	direct  bool           // nothing is held back any more
}

// newPager gives nil where output is not to be paged: out is no terminal, --no-pager or the
// environment says so, or there is no program for it.
func newPager(cmd *cobra.Command, out io.Writer) *pager {
	f, ok := out.(*os.File)
	if off, _ := cmd.Flags().GetBool(noPagerFlag); off || !ok || !isTerminal(f) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	command := pagerCommand(os.LookupEnv, exec.LookPath)
	if command == "" {
		return nil
	}
	p := &pager{screen: f, command: command, width: columnsOf(f), height: rowsOf(f)}
	if p.width == 0 || p.height == 0 {
		return nil
	}
	return p
}

// pagerCommand is the program that pages: that of DPDISSECT_PAGER, PAGER, or less where
// it is installed. "" is none: an empty variable and cat say that none is wanted.
func pagerCommand(env func(string) (string, bool), find func(string) (string, error)) string {
	command, set := env("DPDISSECT_PAGER")
	if !set {
		command, set = env("PAGER")
	}
	if !set {
		command = "less -FRX"
	}
	words := strings.Fields(command)
	if len(words) == 0 || len(words) == 1 && words[0] == "cat" {
		return ""
	}
	if _, err := find(words[0]); err != nil && !strings.ContainsAny(command, "'\"$|=;") {
		return ""
	}
	return command
}

// Write implements io.Writer. When the pager was closed, it fails as a pipe does that
// nobody reads.
func (p *pager) Write(b []byte) (int, error) {
	switch {
	case p.direct:
		return p.screen.Write(b)
	case p.started != nil:
		return p.pipe.Write(b)
	}
	p.held = append(p.held, b...)
	p.count()
	if p.rows < p.height {
		return len(b), nil
	}
	if err := p.start(); err != nil {
		p.direct = true
	}
	if _, err := p.release(); err != nil {
		return 0, err
	}
	return len(b), nil
}

// count adds the rows that the lines take which are complete.
func (p *pager) count() {
	for p.rows < p.height {
		i := bytes.IndexByte(p.held[p.counted:], '\n')
		if i < 0 {
			return
		}
		columns := terminal.Width(string(p.held[p.counted : p.counted+i]))
		p.rows += max(1, (columns+p.width-1)/p.width)
		p.counted += i + 1
	}
}

// release writes what was held back.
func (p *pager) release() (int, error) {
	held := p.held
	p.held, p.counted, p.rows = nil, 0, 0
	if p.started != nil {
		return p.pipe.Write(held)
	}
	return p.screen.Write(held)
}

func (p *pager) start() (err error) {
	c := exec.Command("sh", "-c", p.command)
	if runtime.GOOS == "windows" {
		c = exec.Command("cmd", "/C", p.command)
	}
	c.Stdout, c.Stderr = p.screen, os.Stderr
	c.Env = os.Environ()
	for name, value := range map[string]string{"LESS": "FRX", "LV": "-c"} {
		if _, set := os.LookupEnv(name); !set {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	if p.pipe, err = c.StdinPipe(); err != nil {
		return err
	}
	if err = c.Start(); err != nil {
		return err
	}
	p.started, p.keys = c, make(chan os.Signal, 1)
	signal.Notify(p.keys, os.Interrupt)
	return nil
}

// Close shows what was held back, and waits until the user has left the pager. What is
// written later goes to the screen as it is.
func (p *pager) Close() (err error) {
	if p.started == nil {
		if len(p.held) > 0 {
			_, err = p.release()
		}
		return err
	}
	p.pipe.Close()
	_ = p.started.Wait() // how it ended says nothing of what this program did
	signal.Stop(p.keys)
	p.started, p.direct = nil, true
	return nil
}

// writePage writes the whole output of a command, paged where that is wanted.
func writePage(cmd *cobra.Command, b []byte) error {
	out := cmd.OutOrStdout()
	p := newPager(cmd, out)
	if p == nil {
		_, err := out.Write(b)
		return err
	}
	_, err := p.Write(b)
	if e := p.Close(); err == nil {
		err = e
	}
	if isBrokenPipe(err) {
		return nil
	}
	return err
}
