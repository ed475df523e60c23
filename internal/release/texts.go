package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/manual"
)

// texts makes what archives hold beside the programs: manual pages, completions, licences, and what
// servers are set up with.
func (r *release) texts() error {
	dir := filepath.Join(r.stage, "texts")
	for _, path := range []string{"LICENSE", "README.md", "docs/THIRD_PARTY.md"} {
		if err := copyTo(filepath.Join(dir, filepath.Base(path)), path, nil); err != nil {
			return err
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS("deploy")); err != nil {
		return err
	}
	installed := strings.NewReplacer("/usr/local/bin/", "/usr/bin/")
	if err := copyTo(filepath.Join(dir, "deploy", "systemd", "dpdissect@.service"), "contrib/systemd/dpdissect@.service", installed); err != nil {
		return err
	}
	program, err := r.host("dpdissect")
	if err != nil {
		return err
	}
	if err := told(exec.Command(program, "man", filepath.Join(dir, "man"))); err != nil {
		return err
	}
	fleet, err := r.host("dpdissect-fleet")
	if err != nil {
		return err
	}
	page, err := r.manualOf(fleet)
	if err != nil {
		return err
	}
	own := filepath.Join(dir, "man", "fleet") // apart: packages take folders whole
	if err := os.MkdirAll(own, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(own, "dpdissect-fleet.1"), []byte(page), 0o644); err != nil {
		return err
	}
	return completions(filepath.Join(dir, "completions"))
}

func copyTo(to, from string, with *strings.Replacer) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if with != nil {
		b = []byte(with.Replace(string(b)))
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

// command is a line of the help's list of commands.
var command = regexp.MustCompile(`(?m)^  ([a-z]+) +\S`)

// manualOf is the manual page of dpdissect-fleet, of its help and that of its commands.
func (r *release) manualOf(program string) (string, error) {
	text, err := helpOf(program)
	if err != nil {
		return "", err
	}
	about, _, _ := strings.Cut(text, "\n\n")
	page := manual.Title("dpdissect-fleet", 1, r.version, "work on the captures of many servers") + manual.Heading("Description") + manual.Plain(about)
	_, list, _ := strings.Cut(text, "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, m := range command.FindAllStringSubmatch(list, -1) {
		if m[1] == "help" {
			continue
		}
		help, err := helpOf(program, m[1])
		if err != nil {
			return "", err
		}
		page += manual.Heading(m[1]) + manual.Verbatim(help)
	}
	return page + manual.Heading("See also") + manual.Plain("dpdissect(1), dpdissect-tables(1), dpdissect-exit-codes(7)"), nil
}

func helpOf(program string, words ...string) (string, error) {
	out, err := exec.Command(program, append(words, "--help")...).Output()
	return string(out), err
}

// completions writes the scripts of shells for both programs: they ask the program itself.
func completions(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range programs {
		root := &cobra.Command{Use: p}
		for name, write := range map[string]func(file string) error{
			p + ".bash": func(f string) error { return root.GenBashCompletionFileV2(f, true) },
			"_" + p:     root.GenZshCompletionFile,
			p + ".fish": func(f string) error { return root.GenFishCompletionFile(f, true) },
			p + ".ps1":  root.GenPowerShellCompletionFileWithDesc,
		} {
			if err := write(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
