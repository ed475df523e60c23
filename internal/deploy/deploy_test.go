// Package deploy has the tests of the folder deploy, what a server, a cluster and their watchers are
// set up with: each part is taken by who reads it.
package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../../deploy"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tool finds a program, without which the test is skipped.
func tool(t *testing.T, name, from string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed (Debian: %s)", name, from)
	}
	return path
}

// TestUnits: systemd takes each unit without a word, and finds an exposure of at most 2.0.
func TestUnits(t *testing.T) {
	analyze := tool(t, "systemd-analyze", "systemd")
	units, err := filepath.Glob("systemd/*.service")
	if err != nil || len(units) < 2 {
		t.Fatal(units, err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, path := range units {
		unit := filepath.Join(dir, filepath.Base(path))
		text := regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAllLiteralString(read(t, path), "ExecStart="+program)
		if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		unit = strings.Replace(unit, "@.", "@lo.", 1)
		if out, err := exec.Command(analyze, "verify", unit).CombinedOutput(); err != nil || bytes.Contains(out, []byte("dpdissect")) {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
		os.WriteFile(unit, []byte(text), 0o644)
		out, err := exec.Command(analyze, "security", "--offline=true", unit).CombinedOutput()
		m := regexp.MustCompile(`exposure level for \S+: ([0-9.]+)`).FindSubmatch(out)
		if m == nil {
			t.Errorf("%s: %v\n%s", path, err, out)
			continue
		}
		t.Logf("%s: exposure %s", path, m[1])
		if exposure, err := strconv.ParseFloat(string(m[1]), 64); err != nil || exposure > 2 {
			t.Errorf("%s: exposure %s", path, m[1])
		}
	}
}

// TestRights: capturing is the one right of the one unit, and of the other there is none.
func TestRights(t *testing.T) {
	for path, want := range map[string][]string{
		"systemd/dpdissect-tables@.service": {"AmbientCapabilities=CAP_NET_RAW", "CapabilityBoundingSet=CAP_NET_RAW", "IPAddressDeny=any", "IPAddressAllow=localhost"},
		"systemd/dpdissect-fleet.service":   {"CapabilityBoundingSet=", "LoadCredential=work.nk:/etc/dpdissect/work.nk"},
	} {
		lines := strings.Split(read(t, path), "\n")
		for _, l := range append(want, "DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "UMask=0077") {
			if !slices.Contains(lines, l) {
				t.Errorf("%s has no %s", path, l)
			}
		}
		if strings.Contains(path, "fleet") && strings.Contains(strings.Join(lines, "\n"), "AmbientCapabilities") {
			t.Errorf("%s has a right", path)
		}
	}
}

// TestAlerts: Prometheus takes the rules, and they tell what they should in the cases beside them.
func TestAlerts(t *testing.T) {
	promtool := tool(t, "promtool", "prometheus")
	for _, args := range [][]string{{"check", "rules", "dpdissect.rules.yml"}, {"test", "rules", "dpdissect.rules.test.yml"}} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = "prometheus"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// TestAlertsHaveCases: each alert is told in one of the cases, and not told in another.
func TestAlertsHaveCases(t *testing.T) {
	cases := read(t, "prometheus/dpdissect.rules.test.yml")
	alerts := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(read(t, "prometheus/dpdissect.rules.yml"), -1)
	for _, a := range alerts {
		if !strings.Contains(cases, "alertname: "+a[1]+" }") || !strings.Contains(cases, "alertname: "+a[1]+"\n        exp_alerts:") {
			t.Errorf("%s lacks a case", a[1])
		}
	}
	if len(alerts) < 6 {
		t.Errorf("%d alerts", len(alerts))
	}
}

// TestMetricsAreThere: what dashboard and rules ask for is told by the programs.
func TestMetricsAreThere(t *testing.T) {
	docs := read(t, "../docs/metrics.md")
	n := 0
	for _, path := range []string{"grafana/dpdissect.json", "prometheus/dpdissect.rules.yml"} {
		for _, m := range regexp.MustCompile(`\bdpdissect_(\w+?)(_bucket)?\b`).FindAllStringSubmatch(read(t, path), -1) {
			n++
			if m[1] != "ends" && !strings.Contains(docs, "| `dpdissect_"+m[1]+"` |") {
				t.Errorf("%s: docs/metrics.md has no dpdissect_%s", path, m[1])
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d are asked for", n)
	}
}

// TestDashboard: panels have numbers of their own, a place, and views that there are.
func TestDashboard(t *testing.T) {
	var d struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr, RawSQL string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/dpdissect.json")), &d); err != nil {
		t.Fatal(err)
	}
	views, seen := read(t, "clickhouse/views.sql"), map[int]bool{}
	for _, p := range d.Panels {
		if seen[p.ID] || p.GridPos.X+p.GridPos.W > 24 || p.GridPos.H == 0 || len(p.Targets) == 0 {
			t.Errorf("panel %q: %+v", p.Title, p)
		}
		seen[p.ID] = true
		for _, q := range p.Targets {
			if m := regexp.MustCompile(`FROM (\w+)`).FindStringSubmatch(q.RawSQL); m != nil && !strings.Contains(views, "VIEW "+m[1]+" ") {
				t.Errorf("panel %q: no view %s", p.Title, m[1])
			}
			if q.Expr == "" && q.RawSQL == "" {
				t.Errorf("panel %q asks for nothing", p.Title)
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("%d panels", len(seen))
	}
}

// A pod is what is looked at of a manifest.
type pod struct {
	Kind string
	Spec struct {
		CompletionMode string `yaml:"completionMode"`
		Template       struct {
			Spec struct {
				Automount       *bool `yaml:"automountServiceAccountToken"`
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []struct {
					Command, Args   []string
					SecurityContext struct {
						Escalation *bool                   `yaml:"allowPrivilegeEscalation"`
						ReadOnly   bool                    `yaml:"readOnlyRootFilesystem"`
						Caps       struct{ Drop []string } `yaml:"capabilities"`
					} `yaml:"securityContext"`
					Resources struct{ Limits map[string]string }
				}
			}
		}
	}
}

// TestManifests: a Job by index and a Deployment, whose pods have no right and a bound of memory.
func TestManifests(t *testing.T) {
	kinds := map[string]string{}
	for _, path := range []string{"kubernetes/job.yaml", "kubernetes/workers.yaml"} {
		d := yaml.NewDecoder(strings.NewReader(read(t, path)))
		for {
			var p pod
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			kinds[p.Kind] = p.Spec.CompletionMode
			s := &p.Spec.Template.Spec
			if !s.SecurityContext.RunAsNonRoot || s.Automount == nil || *s.Automount {
				t.Errorf("%s: %+v", path, s)
			}
			for _, c := range s.Containers {
				x := &c.SecurityContext
				if x.Escalation == nil || *x.Escalation || !x.ReadOnly || !slices.Equal(x.Caps.Drop, []string{"ALL"}) || c.Resources.Limits["memory"] == "" {
					t.Errorf("%s: %+v", path, c)
				}
				if len(c.Command) != 1 || !strings.Contains(read(t, "container/Containerfile"), "./cmd/"+filepath.Base(c.Command[0])) {
					t.Errorf("%s starts %v, which is not in the container", path, c.Command)
				}
			}
		}
	}
	if kinds["Job"] != "Indexed" || len(kinds) != 2 {
		t.Errorf("%v", kinds)
	}
}

// TestContainer: nothing but the programs and certificates, for no user with a name.
func TestContainer(t *testing.T) {
	text := read(t, "container/Containerfile")
	_, last, _ := strings.Cut(text, "\nFROM scratch\n")
	if !strings.Contains(last, "\nUSER 65532:65532\n") || !strings.Contains(text, "CGO_ENABLED=0 go build") || strings.Contains(last, "RUN") {
		t.Error(text)
	}
}
