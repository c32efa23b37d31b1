// The socket: one request of each kind under way, the newest one waiting replaces older ones. If the
// one under way takes long, the newest is sent all the same, and the server drops the older one.

import { readAnswer } from "./answer_reader.js";

const QUEUED = new Set(["take_away", "lesson", "open"]); // each of these is wanted, none replaces another
const PATIENCE = 1000; // milliseconds after which a request does not wait for an older one
const FIRST_PAUSE = 300;
const LONGEST_PAUSE = 5000;

export class Connection {
	constructor(address, onStatus) {
		this.address = address;
		this.onStatus = onStatus;
		this.number = 0;
		this.underWay = new Map();
		this.waiting = new Map();
		this.pause = FIRST_PAUSE;
		this.opened = 0;
		this.open();
	}

	open() {
		this.socket = new WebSocket(this.address);
		this.socket.binaryType = "arraybuffer";
		this.socket.onopen = () => {
			this.pause = FIRST_PAUSE;
			this.opened += 1;
			for (const request of this.underWay.values()) this.send(request);
			this.onStatus(true, this.opened > 1);
		};
		this.socket.onmessage = (event) => this.receive(event.data);
		this.socket.onclose = () => {
			this.onStatus(false, this.opened > 0);
			setTimeout(() => this.open(), this.pause);
			this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
		};
	}

	/** A request replaced by a newer one of its kind gets the newer one's answer; errors reject with the server's text. */
	ask(kind, body) {
		return new Promise((resolve, reject) => {
			const request = { kind, body, settle: [{ resolve, reject }] };
			if (!this.underWay.has(kind)) {
				this.underWay.set(kind, request);
				this.send(request);
				return;
			}
			const before = this.waiting.get(kind) ?? [];
			if (QUEUED.has(kind)) {
				this.waiting.set(kind, [...before, request]);
			} else {
				for (const replaced of before) request.settle.push(...replaced.settle);
				this.waiting.set(kind, [request]);
				this.replace(kind, request);
			}
		});
	}

	replace(kind, request) {
		if (!this.waiting.get(kind)?.includes(request)) return;
		const running = this.underWay.get(kind);
		const left = running.sent + PATIENCE - performance.now();
		if (left > 0) {
			setTimeout(() => this.replace(kind, request), left);
			return;
		}
		request.settle.push(...running.settle);
		this.waiting.set(kind, []);
		this.underWay.set(kind, request);
		this.send(request);
	}

	get isOpen() {
		return this.socket.readyState === WebSocket.OPEN;
	}

	busy(kind) {
		return this.underWay.has(kind);
	}

	send(request) {
		request.number = this.number += 1;
		request.sent = performance.now();
		if (!this.isOpen) return; // sent when it opens
		const { kind, number, body } = request;
		this.socket.send(JSON.stringify({ number, kind, ...body }));
	}

	receive(message) {
		const binary = typeof message !== "string";
		const answer = binary ? readAnswer(message) : { head: JSON.parse(message), arrays: {} };
		const { head } = answer;
		const kind = head.kind === "error" ? head.of : head.kind;
		const request = this.underWay.get(kind);
		if (!request) {
			if (head.kind === "error") this.fail(head);
			return;
		}
		if (request.number !== head.number) return; // an answer from before a reconnection
		this.next(kind);
		answer.request = request.body;
		for (const { resolve, reject } of request.settle) {
			if (head.kind === "error") reject(new Error(head.text));
			else resolve(answer);
		}
	}

	/** An error that names no kind belongs to the request of its number, if there is one. */
	fail(head) {
		for (const [kind, request] of this.underWay) {
			if (request.number !== head.number) continue;
			this.next(kind);
			for (const { reject } of request.settle) reject(new Error(head.text));
			return;
		}
	}

	next(kind) {
		const [request, ...others] = this.waiting.get(kind) ?? [];
		this.waiting.set(kind, others);
		if (!request) {
			this.underWay.delete(kind);
			return;
		}
		this.underWay.set(kind, request);
		this.send(request);
	}
}
