// Whether a spec can be drawn: it may come from an address that was typed.

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isObject = (value) => typeof value === "object" && !Array.isArray(value);
const isCell = (value) => value === null || isNumber(value) || typeof value === "string";
const isWhole = (least) => (value) => Number.isInteger(value) && value >= least;
const isRange = (value) => value === undefined || (Array.isArray(value) && value.length === 2 && value.every(isNumber) && value[0] < value[1]);
const listOf = (isRight) => (value) => Array.isArray(value) && value.every(isRight);
const isName = (value) => typeof value === "string" || isWhole(0)(value);

const CHECKS = {
	view: (value) => ["plane", "line", "surface", "areas", "bars", "learning"].includes(value),
	data: isObject, model: isObject, layers: isObject, learning: isObject, test: isObject,
	features: listOf(isName), hidden: listOf(isName), move: listOf(isName), odds: listOf(isCell), query: listOf(isCell),
	neighbours: isWhole(1), step: isWhole(0),
	window: (value) => isObject(value) && isRange(value.x) && isRange(value.y),
	camera: (value) => isNumber(value.turn) && isNumber(value.tilt),
	height: (value) => value === "fill" || (isNumber(value) && value > 0),
};

/** The spec itself; an Error names a member that cannot be drawn. A member that is missing or null has its default. */
export function checkedSpec(spec) {
	for (const [name, isRight] of Object.entries(CHECKS)) {
		const value = spec[name] ?? null;
		if (value !== null && !isRight(value)) throw new Error(`“${name}” cannot be ${JSON.stringify(value).slice(0, 60)}.`);
	}
	return spec;
}
