// How coarse the grids of a drag are: coarser where the machine cannot keep pace, finer where it can.

const SLOW = 42; // milliseconds from the pointer to the figure; 30 figures a second need less
const QUICK = 22;
const MEMORY = 6; // figures that are looked back on

export class GridResolution {
	constructor(steps) {
		this.steps = steps;
		this.step = 0;
		this.recent = [];
	}

	/** Take in how long a figure took; change the fineness only when most of the last ones agree. */
	took(milliseconds) {
		this.recent.push(milliseconds);
		if (this.recent.length < MEMORY) return;
		const middle = [...this.recent].sort((a, b) => a - b)[MEMORY / 2];
		this.recent = [];
		if (middle > SLOW) this.step = Math.min(this.step + 1, this.steps - 1);
		else if (middle < QUICK) this.step = Math.max(this.step - 1, 0);
	}
}
