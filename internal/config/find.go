package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
// the home directory.
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
	for {
		file := filepath.Join(dir, projectFile)
		if isThere(file) {
			return file
		}
		up := filepath.Dir(dir)
		if up == dir || dir == home || isThere(filepath.Join(dir, ".git")) {
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
	text, err := os.ReadFile(path)
	if !must && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		return nil, nil // that of another user's home, after rights were dropped
	}
	if err != nil {
		return nil, err
	}
	c, err := Read(path, text, checks)
	if err == nil && c.Secrets.Text != "" && !filepath.IsAbs(c.Secrets.Text) {
		c.Secrets.Text = filepath.Join(filepath.Dir(path), c.Secrets.Text)
	}
	return c, err
}
