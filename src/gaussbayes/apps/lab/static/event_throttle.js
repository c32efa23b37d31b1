// What a panel sees of the app: during a drag it hears less, so that the figure comes first.

const PAUSE = 100;

/** A hidden panel hears nothing of a drag, unless a control of it is shown elsewhere; the release is always heard. */
export function throttled(app, panel) {
	const on = (events, listener) => {
		for (const event of events.split(" ")) app.on(event, throttledListener(app, panel, listener));
	};
	return new Proxy(app, {
		get(target, name) {
			if (name === "on") return on;
			const value = target[name];
			return typeof value === "function" ? value.bind(target) : value;
		},
		set(target, name, value) {
			target[name] = value;
			return true;
		},
	});
}

function throttledListener(app, panel, listener) {
	let last = 0;
	let timer = 0;
	return (...values) => {
		clearTimeout(timer);
		if (app.dragging && panel.hidden && !panel.dataset.lent) return;
		const now = performance.now();
		const wait = app.dragging ? last + PAUSE - now : 0;
		if (wait <= 0) {
			last = now;
			listener(...values);
			return;
		}
		timer = setTimeout(() => {
			last = performance.now();
			listener(...values);
		}, wait);
	};
}
