package explain

import "testing"

// TestBeside: of one connection, only pairs with one of its machines are told.
func TestBeside(t *testing.T) {
	d := &Document{Connections: []Connection{{A: "10.0.0.2:4170", B: "10.0.0.1:22023"}}, Unrecognised: []Unrecognised{
		{A: "10.0.0.2:9", B: "10.0.0.9:53"}, {A: "10.0.0.3:4170", B: "10.0.0.4:22023"}, {A: "10.0.0.7:1", B: "10.0.0.1:22023"}, {A: "[fd00::1]:1", B: "[fd00::2]:2"},
	}}
	d.Beside()
	if len(d.Unrecognised) != 2 || d.Unrecognised[0].A != "10.0.0.2:9" || d.Unrecognised[1].A != "10.0.0.7:1" {
		t.Errorf("%+v", d.Unrecognised)
	}
}
