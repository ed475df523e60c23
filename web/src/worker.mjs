// The worker: it gets one command line and gives one result. Whoever wants to end it
// sooner terminates it.
import { run } from "./run.mjs";

// The time between two messages of progress, in ms.
const progressEvery = 100;

// Tells how many bytes of the files were read, now and then.
function teller() {
	const far = new Map();
	let last = 0;
	return (name, end) => {
		far.set(name, Math.max(end, far.get(name) ?? 0));
		const now = performance.now();
		if (now - last >= progressEvery) {
			last = now;
			postMessage({ kind: "progress", read: [...far.values()].reduce((a, b) => a + b, 0) });
		}
	};
}

onmessage = async ({ data }) => {
	try {
		postMessage({ kind: "done", ...await run(data.program, data.args, data.files, teller()) });
	} catch (e) {
		postMessage({ kind: "failed", message: String(e?.message ?? e) });
	}
};
