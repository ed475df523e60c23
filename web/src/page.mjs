// What the page shows, and what its buttons do.
import { named, savedAs } from "./names.mjs";
import { Program } from "./program.mjs";

// What is shown of the files, a tab each: the element that shows it, and the command that
// makes it, when its tab is chosen for the first time. The page opens on the first.
//
// The report stands in a frame of its own, which may run the code that the policy names and
// nothing else.
const views = [
	{ id: "report", args: ["report"], what: "Drawing", framed: true },
	{ id: "explain", args: ["explain"], what: "Explaining" },
	{ id: "analyze", args: ["analyze"], what: "Analysing" },
];

// What can be saved: the button, the command that makes it, and how the file ends.
const saves = [
	{ id: "save-analysis-json", args: ["analyze", "--format", "json"], ending: "analysis.json" },
	{ id: "save-analysis-csv", args: ["analyze", "--format", "csv"], ending: "analysis.csv" },
	{ id: "save-annotated", args: ["annotate", "--quiet", "--write", "-"], ending: "annotated.pcapng" },
	{ id: "save-report", args: ["report"], ending: "report.html" },
	{ id: "save-explain-json", args: ["explain", "--format", "json"], ending: "explain.json" },
	{ id: "save-explain-markdown", args: ["explain", "--format", "markdown"], ending: "explain.md" },
];

const byId = (id) => document.getElementById(id);

let program; // a promise of the Program
let chosen = new Map();
let current = null; // the run that goes on
let turn = 0; // counts what was begun: what was replaced says nothing any more

function say(text) {
	byId("status").textContent = text;
}

function complain(text) {
	byId("problems").textContent = text;
	byId("problems").hidden = text === "";
}

function megabytes(bytes) {
	return (bytes / 1e6).toLocaleString("en", { maximumFractionDigits: bytes < 1e7 ? 1 : 0 });
}

function total() {
	return [...chosen.values()].reduce((sum, f) => sum + f.size, 0);
}

function show(what, read) {
	const all = total();
	byId("progress").max = Math.max(all, 1);
	byId("progress").value = Math.min(read, all);
	byId("amount").textContent = `${what}: ${megabytes(Math.min(read, all))} of ${megabytes(all)} MB`;
}

function busy(on) {
	byId("work").hidden = !on;
	for (const s of saves) {
		byId(s.id).disabled = on || chosen.size === 0;
	}
	document.body.dataset.busy = on;
}

// Runs a command line on the chosen files.
async function command(args, what) {
	show(what, 0);
	const loaded = await program;
	current = loaded.start([...args, ...chosen.keys()], chosen, (read) => show(what, read));
	try {
		return await current.result;
	} finally {
		current = null;
	}
}

// Does work that can be cancelled, and that the next one replaces.
async function work(does) {
	current?.cancel();
	const mine = ++turn;
	busy(true);
	try {
		await does(() => mine !== turn);
	} catch (e) {
		if (mine === turn) {
			complain(`This did not work: ${e.message}`);
			say("Stopped.");
		}
	} finally {
		if (mine === turn) {
			busy(false);
		}
	}
}

function cancel() {
	turn++;
	current?.cancel();
	current = null;
	busy(false);
	byId(shown().id).textContent = "Cancelled: choose this tab again.";
	say("Cancelled.");
	byId("files").focus();
}

function shown() {
	return views.find((v) => !byId(`panel-${v.id}`).hidden);
}

function analyse(files) {
	if (files.length === 0) {
		return;
	}
	chosen = named(files);
	for (const v of views) {
		v.made = false;
		byId(v.id).replaceChildren();
	}
	document.body.dataset.memory = 0;
	byId("results").hidden = false;
	document.body.dataset.results = true;
	byId("names").textContent = [...chosen.keys()].join(", ");
	select(views[0].id, false, true);
}

// What went wrong where a command made nothing, null where it made something.
function failure(result, problems) {
	return result.stdout.size === 0 && result.code !== 0 ? problems || `exit code ${result.code}` : null;
}

// Makes what a tab shows, unless that is done. Of what makes no report there are words.
function make(view, afresh) {
	if (view.made || chosen.size === 0 || !afresh && document.body.dataset.busy === "true") {
		return;
	}
	complain("");
	const began = performance.now();
	let instead = false;
	work(async (replaced) => {
		say("Working.");
		const result = await command(view.args, view.what);
		const problems = await result.stderr.text();
		if (replaced()) {
			return;
		}
		if (view.framed && failure(result, problems)) {
			byId(view.id).textContent = "There is no report of these files: the other tabs say more.";
			view.made = instead = true;
			return;
		}
		if (view.framed) {
			byId(view.id).replaceChildren(framed(result.stdout));
		} else {
			const text = await result.stdout.text();
			if (replaced()) {
				return;
			}
			byId(view.id).textContent = text;
		}
		complain(problems);
		view.made = true;
		document.body.dataset.memory = Math.max(Number(document.body.dataset.memory), result.memory);
		say(`Done in ${((performance.now() - began) / 1000).toFixed(1)} s, with ${Math.ceil(result.memory / 2 ** 20)} MiB of memory for the program.`);
	}).then(() => {
		if (instead && shown() === view) {
			select("explain", false);
		} else if (document.body.dataset.busy === "false" && shown() !== view) {
			make(shown()); // its tab was chosen meanwhile
		}
	});
}

// A frame that shows the page of a report.
function framed(page) {
	const frame = document.createElement("iframe");
	frame.title = "Report";
	frame.setAttribute("sandbox", "allow-scripts");
	const url = URL.createObjectURL(new Blob([page], { type: "text/html" }));
	frame.addEventListener("load", () => URL.revokeObjectURL(url), { once: true });
	frame.src = url;
	return frame;
}

function save(s) {
	work(async (replaced) => {
		const result = await command(s.args, "Saving");
		const problems = await result.stderr.text();
		if (replaced()) {
			return;
		}
		complain(problems);
		if (failure(result, problems)) {
			say("Nothing was saved.");
			return;
		}
		const link = document.createElement("a");
		link.href = URL.createObjectURL(result.stdout);
		link.download = savedAs(chosen.keys().next().value, s.ending);
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
		say(`Saved as ${link.download}.`);
	});
}

function select(id, focus, afresh) {
	for (const v of views) {
		const tab = byId(`tab-${v.id}`);
		tab.setAttribute("aria-selected", v.id === id);
		tab.tabIndex = v.id === id ? 0 : -1;
		byId(`panel-${v.id}`).hidden = v.id !== id;
	}
	if (focus) {
		byId(`tab-${id}`).focus();
	}
	make(views.find((v) => v.id === id), afresh);
}

// The arrow keys, Home and End go through the tabs.
function turnTabs(event) {
	const at = views.findIndex((v) => `tab-${v.id}` === event.target.id);
	const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: views.length - 1 }[event.key];
	if (to !== undefined) {
		event.preventDefault();
		select(views.at(to % views.length).id, true);
	}
}

function listen() {
	byId("files").addEventListener("change", (e) => {
		analyse([...e.target.files]);
		e.target.value = ""; // so that the same file can be chosen again
	});
	byId("cancel").addEventListener("click", cancel);
	for (const v of views) {
		byId(`tab-${v.id}`).addEventListener("click", () => select(v.id, false));
		byId(`tab-${v.id}`).addEventListener("keydown", turnTabs);
	}
	for (const s of saves) {
		byId(s.id).addEventListener("click", () => save(s));
	}
	addEventListener("dragover", (e) => {
		e.preventDefault();
		byId("drop").classList.add("over");
	});
	addEventListener("dragleave", () => byId("drop").classList.remove("over"));
	addEventListener("drop", (e) => {
		e.preventDefault();
		byId("drop").classList.remove("over");
		analyse([...e.dataTransfer.files]);
	});
}

program = Program.load(document);
program.then(() => {
	say("Ready.");
	document.body.dataset.ready = true;
}, (e) => {
	say("");
	complain(`The program could not be loaded: ${e.message}. A browser of 2024 or later is needed.`);
});
listen();
