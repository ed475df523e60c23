package main

import (
	"debug/buildinfo"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// A component is a module that is linked, as CycloneDX has it.
type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Ref        string     `json:"bom-ref"`
	Properties []property `json:"properties,omitempty"`
	URL        string     `json:"purl"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// addLinked adds the modules that a program says it is linked of.
func addLinked(all map[string]component, file string) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	add := func(name, version, sum string) {
		url := "pkg:golang/" + name + "@" + version
		c := component{Type: "library", Name: name, Version: version, Ref: url, URL: url}
		if sum != "" {
			c.Properties = []property{{"go:sum", sum}}
		}
		all[url] = c
	}
	add("stdlib", info.GoVersion, "")
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		add(m.Path, m.Version, m.Sum)
	}
	return nil
}

// bill writes what is linked into the programs of any system.
func (r *release) bill(linked map[string]component) error {
	list := []component{}
	for _, url := range slices.Sorted(maps.Keys(linked)) {
		list = append(list, linked[url])
	}
	self := "pkg:golang/github.com/dpdissect/dpdissect@" + r.version
	b, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": component{Type: "application", Name: "dpdissect", Version: r.version, Ref: self, URL: self}},
		"components": list,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "dpdissect-"+r.version+".cdx.json"), append(b, '\n'), 0o644)
}
