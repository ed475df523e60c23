package chromium

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"sync"
	"time"
)

// none is for commands without parameters.
type none = struct{}

// A Page is a tab, with what its workers and it asked for and complained of.
type Page struct {
	b       *Browser
	session string

	mu       sync.Mutex
	requests []string
	problems []string
}

// Open opens a tab and navigates it. Nothing the page does goes unheard.
func (b *Browser) Open(url string) *Page {
	b.t.Helper()
	var target struct {
		ID string `json:"targetId"`
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	b.call("", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": b.profile}, &target)
	b.call("", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached)
	p := &Page{b: b, session: attached.Session}
	b.hearWith(p.hear)
	for _, domain := range []string{"Page", "Runtime", "Network", "Log", "DOM"} {
		p.Do(domain+".enable", none{})
	}
	p.Do("Performance.enable", map[string]any{"timeDomain": "threadTicks"}) // CPU time, not that of the clock
	p.Do("Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	p.Do("Page.navigate", map[string]any{"url": url})
	return p
}

// hear notes what the page does.
func (p *Page) hear(m message) {
	var e struct {
		Session string `json:"sessionId"`
		Request struct {
			URL string `json:"url"`
		} `json:"request"`
		Entry struct {
			Level, Text string
		} `json:"entry"`
		Details struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if json.Unmarshal(m.Params, &e) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Method {
	case "Target.attachedToTarget": // a worker, which waits until it is listened to
		for _, command := range []string{"Network.enable", "Runtime.enable", "Runtime.runIfWaitingForDebugger"} {
			_, _ = p.b.send(e.Session, command, none{})
		}
	case "Network.requestWillBeSent":
		p.requests = append(p.requests, e.Request.URL)
	case "Log.entryAdded":
		p.problems = append(p.problems, e.Entry.Level+": "+e.Entry.Text)
	case "Runtime.exceptionThrown":
		p.problems = append(p.problems, e.Details.Text+" "+e.Details.Exception.Description)
	}
}

// Requests are the addresses that the page and its workers asked for until now.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Problems are the entries of the browser's log of the page, and errors that nothing caught.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.problems)
}

// Do sends a command of the protocol to the page.
func (p *Page) Do(method string, params any) {
	p.b.t.Helper()
	p.b.call(p.session, method, params, nil)
}

// Eval gives the value of an expression of JavaScript in the page, awaited where it is a
// promise.
func (p *Page) Eval(expression string, into any) {
	p.b.t.Helper()
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Details *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	p.b.call(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if d := answer.Details; d != nil {
		p.b.t.Fatalf("%s: %s %s", expression, d.Text, d.Exception.Description)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, into); err != nil {
		p.b.t.Fatalf("%s: %v", expression, err)
	}
}

// Metrics are what the browser counts of the page by name: TaskDuration, ScriptDuration,
// LayoutDuration and RecalcStyleDuration are seconds of CPU time that the thread of the page took
// since it was opened, which bear a busy machine better than times of the clock.
func (p *Page) Metrics() map[string]float64 {
	p.b.t.Helper()
	var answer struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	p.b.call(p.session, "Performance.getMetrics", none{}, &answer)
	all := map[string]float64{}
	for _, m := range answer.Metrics {
		all[m.Name] = m.Value
	}
	return all
}

// Text gives the value of an expression that is a string.
func (p *Page) Text(expression string) (s string) {
	p.b.t.Helper()
	p.Eval(expression, &s)
	return s
}

// Await waits until an expression is true.
func (p *Page) Await(expression string) {
	p.b.t.Helper()
	for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var now bool
		if p.Eval("Boolean("+expression+")", &now); now {
			return
		}
	}
	p.b.t.Fatalf("%s never came; the page says %q, problems %q", expression, p.Text("document.body.innerText.slice(0, 2000)"), p.Problems())
}

// Choose gives files to an input of type file, as the user would.
func (p *Page) Choose(selector string, paths ...string) {
	p.b.t.Helper()
	var doc struct {
		Root struct {
			Node int `json:"nodeId"`
		} `json:"root"`
	}
	var found struct {
		Node int `json:"nodeId"`
	}
	p.b.call(p.session, "DOM.getDocument", none{}, &doc)
	p.b.call(p.session, "DOM.querySelector", map[string]any{"nodeId": doc.Root.Node, "selector": selector}, &found)
	p.Do("DOM.setFileInputFiles", map[string]any{"nodeId": found.Node, "files": paths})
}

// Press presses a key that has a name, as Enter or ArrowRight, and lets it go.
func (p *Page) Press(key string, code int) {
	p.b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.Do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code})
	}
}

// Download lets downloads go to a folder.
func (p *Page) Download(dir string) {
	p.b.t.Helper()
	p.b.call("", "Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir, "browserContextId": p.b.profile}, nil)
}

// Shoot writes what the window shows as PNG.
func (p *Page) Shoot(file string) {
	p.b.t.Helper()
	var shot struct {
		Data string `json:"data"`
	}
	p.b.call(p.session, "Page.captureScreenshot", none{}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(file, png, 0o666)
	}
	if err != nil {
		p.b.t.Fatal(err)
	}
}
