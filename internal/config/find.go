package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Variable is the environment variable that names the user's file: "off" for no file at all,
// neither this one nor that of a project.
const Variable = "DPDISSECT_CONFIG"

// projectFile is the name of a project's file.
const projectFile = ".dpdissect.yaml"

// Paths are where the files are looked for, "" for nowhere.
type Paths struct{ User, Project string }

// Find gives the user's file, whether it is there or not, and that of the project: the one
// in the working directory, or the nearest above it up to the root of its repository or to
// the home directory. Elsewhere only the working directory counts.
func Find() Paths {
	named := os.Getenv(Variable)
	if named == "off" {
		return Paths{}
	}
	p := Paths{User: named}
	if dir, err := os.UserConfigDir(); named == "" && err == nil {
		p.User = filepath.Join(dir, "dpdissect", "config.yaml")
	}
	p.Project = inProject()
	return p
}

func inProject() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	home, _ := os.UserHomeDir()
	own := filepath.Join(dir, projectFile)
	var found string
	for {
		if file := filepath.Join(dir, projectFile); found == "" && isThere(file) {
			found = file
		}
		if dir == home || isThere(filepath.Join(dir, ".git")) {
			return found
		}
		up := filepath.Dir(dir)
		if up == dir { // neither a repository nor the home: what lies above is anybody's
			if found == own {
				return found
			}
			return ""
		}
		dir = up
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Load reads the files that are there: what the project says stands over what the user says.
// Relative paths of secrets are relative to the file that names them.
func Load(p Paths, checks Checks) (*Config, error) {
	user, err := load(p.User, os.Getenv(Variable) != "", checks)
	if err != nil {
		return nil, err
	}
	project, err := load(p.Project, true, checks)
	if err != nil {
		return nil, err
	}
	c := project.Over(user)
	if c == nil {
		c = new(Config)
	}
	return c, nil
}

// load reads a file; one that need not be there may be missing, or out of reach.
func load(path string, must bool, checks Checks) (*Config, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readRegular(path)
	if !must && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		return nil, nil // that of another user's home, after rights were dropped
	}
	if err != nil {
		return nil, err
	}
	c, err := Read(path, text, checks)
	if err == nil && c.Secrets.Text != "" {
		c.Secrets.Text = beside(path, c.Secrets.Text)
	}
	return c, err
}

// beside is a path that a file names: relative ones are relative to the file, ~ is the home
// folder.
func beside(file, path string) string {
	home, err := os.UserHomeDir()
	switch rest, is := strings.CutPrefix(filepath.ToSlash(path), "~/"); {
	case is && err == nil:
		return filepath.Join(home, filepath.FromSlash(rest))
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// maxFile is the size that a configuration may have, in bytes.
const maxFile = 1 << 20

// readRegular reads a file that is no pipe and no device: those of other people's repositories
// may be links to anything.
func readRegular(path string) ([]byte, error) {
	if err := CheckRegular(path); err != nil { // before it is opened: that of a pipe waits for who writes
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: a configuration has at most %d bytes", path, maxFile)
	}
	return text, err
}

// CheckRegular refuses what is no regular file.
func CheckRegular(path string) error {
	in, err := os.Stat(path)
	if err == nil && !in.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file", path)
	}
	return err
}
