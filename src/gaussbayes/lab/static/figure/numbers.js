// How numbers read.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const MINUS = "−";

const signedText = (text) => text.replace("-", MINUS);

/** A power as superscript: −12 → "⁻¹²". */
export const superscript = (power) => [...String(power)].map((character) => SUPERSCRIPTS[character] ?? "⁻").join("");

/** A few significant digits, as 0.0123 or 1.23·10⁻⁷; "–" for what is not a number. */
export function shortNumber(value, digits = 3) {
	if (value === Infinity || value === -Infinity) return value > 0 ? "∞" : `${MINUS}∞`;
	if (typeof value !== "number" || Number.isNaN(value)) return "–";
	if (value === 0) return "0";
	const size = Math.abs(value);
	if (size >= 1e-3 && size < 1e5) return signedText(String(Number(value.toPrecision(digits))));
	const [front, power] = value.toExponential(Math.max(0, digits - 1)).split("e");
	return `${signedText(front)}·10${superscript(Number(power))}`;
}

/** Round a value to the digits that matter where `unit` is the smallest difference that can be seen. */
export function roundTo(value, unit) {
	if (value === 0 || !(unit > 0)) return value;
	const digits = Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(unit)) + 2;
	return digits < 1 ? 0 : Number(value.toPrecision(Math.min(17, digits)));
}

/** As many digits as tell a value from its neighbours a unit away: 1000000001, 8.54123, 2·10⁻¹². */
export function exactNumber(value, unit) {
	const near = roundTo(value, unit);
	if (near === 0 || (Math.abs(near) >= 1e-4 && Math.abs(near) < 1e15)) return signedText(String(near));
	return shortNumber(near, 6).replace(/\.?0+·/, "·");
}

/** A proportion as per cent: 4.5 %, and 0 % or 100 % only if it is that. */
export function percentText(proportion, digits = 3) {
	if (!Number.isFinite(proportion)) return "–";
	if (proportion === 0 || proportion === 1) return `${100 * proportion} %`;
	if (proportion < 0.001) return `${shortNumber(100 * proportion, 2)} %`;
	if (proportion > 0.9995 && proportion < 1) return "> 99.9 %";
	return `${Number((100 * proportion).toPrecision(digits))} %`;
}

/** A probability with three decimals; a very small one with two significant digits. */
export function probabilityText(value) {
	if (!Number.isFinite(value)) return "–";
	return value > 0 && value < 0.001 ? shortNumber(value, 2) : value.toFixed(3);
}

/** An integer with thin spaces: 12 345. */
export const countText = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

const NUMBER = /([+−-]?)(\d[\d,]*)(?:\.(\d+))?(?:(?:e|·10)([+−⁻-]?[\d⁰¹²³⁴-⁹]+))?(\s?%)?/;

/**
 * A value in the format of a text that holds a number: "0.672" has three decimals, "8.33 %" is a percentage, "4.9e-26" has a
 * power of ten. Words around the number stay.
 */
export function numberLike(value, text) {
	const found = NUMBER.exec(text);
	if (!Number.isFinite(value)) return found ? text.replace(NUMBER, "–") : "–";
	if (!found) return shortNumber(value);
	const [, sign, whole, fraction = "", power, percent = ""] = found;
	const scaled = percent ? 100 * value : value;
	const decimals = fraction.length;
	const tiny = scaled !== 0 && decimals > 0 && Math.abs(scaled) < 0.5 * 10 ** -decimals;
	let written = power || tiny || Math.abs(scaled) >= 1e15 ? shortNumberOfPower(scaled, power ? decimals : 1) : scaled.toFixed(decimals);
	if (whole.includes(",")) written = written.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	if (Number(written) === 0) written = written.replace("-", "");
	if (sign === "+" && scaled > 0) written = `+${written}`;
	return text.slice(0, found.index) + signedText(written) + percent + text.slice(found.index + found[0].length);
}

function shortNumberOfPower(value, decimals) {
	const [front, power] = value.toExponential(decimals).split("e");
	return `${front}·10${superscript(Number(power))}`;
}
