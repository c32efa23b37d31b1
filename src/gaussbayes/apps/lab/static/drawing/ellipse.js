// A covariance as an ellipse on the screen: an angle and two half axes in pixels, which can be dragged.
//
// In pixels, whatever the units of the two features are: a drag changes what it shows. Whatever angle
// and positive half axes make, the covariance is positive definite.

const THINNEST = 1e-3; // the shorter half axis, as a proportion of the longer one
const SHORTEST = 0.5; // pixels
const LONGEST = 1e5;

/** [[a, b], [b, c]] → {angle, axes: [first, second]}: half axes of one standard deviation. */
export function fromCovariance([[a, b], [, c]], [across, up]) {
	const [p, q, r] = [a / across / across, b / across / up, c / up / up];
	const middle = (p + r) / 2;
	const apart = Math.hypot((p - r) / 2, q);
	const angle = apart === 0 ? 0 : Math.atan2(2 * q, p - r) / 2;
	// The product of the two variances is the determinant: their difference would lose its digits.
	const second = Math.max(p * r - q * q, 0) / (middle + apart || 1);
	return { angle, axes: [Math.sqrt(middle + apart), Math.sqrt(second)] };
}

export function toCovariance({ angle, axes: [first, second] }, [across, up]) {
	const cosine = Math.cos(angle);
	const sine = Math.sin(angle);
	const [p, q] = [first * first, second * second];
	const a = digits((p * cosine * cosine + q * sine * sine) * across * across);
	const b = digits((p - q) * cosine * sine * across * up);
	const c = digits((p * sine * sine + q * cosine * cosine) * up * up);
	return [[a, b], [b, c]];
}

const digits = (value) => Number(value.toPrecision(10));

export function endOf({ angle, axes }, which) {
	const turned = angle + (which * Math.PI) / 2;
	return [axes[which] * Math.cos(turned), axes[which] * Math.sin(turned)];
}

/** The half axis `which` ends at (x, y) from the middle; the other keeps its length. */
export function pulled(ellipse, which, [x, y]) {
	const length = Math.hypot(x, y);
	const angle = length === 0 ? ellipse.angle : Math.atan2(y, x) - (which * Math.PI) / 2;
	return kept({ angle, axes: replaced(ellipse.axes, which, length) }, which);
}

export function stretched(ellipse, which, factor, turn) {
	const axes = replaced(ellipse.axes, which, ellipse.axes[which] * factor);
	return kept({ angle: ellipse.angle + turn, axes }, which);
}

const replaced = (axes, which, length) => axes.map((axis, i) => (i === which ? length : axis));

function kept({ angle, axes }, which) {
	const other = Math.max(axes[1 - which], SHORTEST);
	const least = Math.max(SHORTEST, THINNEST * other);
	const most = Math.min(LONGEST, other / THINNEST);
	const length = Math.min(Math.max(axes[which], least), most);
	return { angle, axes: replaced([other, other], which, length) };
}

/** The covariance with another standard deviation of one coordinate, the correlation kept. */
export function widened(covariance, which, deviation) {
	const cross = covariance[0][1] * (deviation / Math.sqrt(covariance[which][which]));
	const [a, c] = replaced([covariance[0][0], covariance[1][1]], which, deviation * deviation);
	return [[a, cross], [cross, c]];
}

/** The first of the `count` places comes again at the end. */
export function outline([x, y], [[a, b], [, c]], sigma, count = 60) {
	const across = Math.sqrt(a);
	const along = across > 0 ? b / across : 0;
	const rest = Math.sqrt(Math.max(c - along * along, 0)); // the rows of the Cholesky factor
	return Array.from({ length: count + 1 }, (_, i) => {
		const angle = (2 * Math.PI * (i % count)) / count;
		const [cosine, sine] = [sigma * Math.cos(angle), sigma * Math.sin(angle)];
		return [x + across * cosine, y + along * cosine + rest * sine];
	});
}
