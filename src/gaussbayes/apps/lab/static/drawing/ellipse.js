// A covariance as an ellipse: an angle and two half axes, which are what can be dragged.
//
// Whatever angle and positive half axes make, the covariance is positive definite.

const THINNEST = 1e-3; // the shorter half axis, as a proportion of the longer one
const SHORTEST = 1e-4; // of the width of the view

/** [[a, b], [b, c]] → {angle, axes: [first, second]}: half axes of one standard deviation. */
export function fromCovariance([[a, b], [, c]]) {
  const middle = (a + c) / 2;
  const apart = Math.hypot((a - c) / 2, b);
  const angle = apart === 0 ? 0 : Math.atan2(2 * b, a - c) / 2;
  return { angle, axes: [Math.sqrt(middle + apart), Math.sqrt(Math.max(middle - apart, 0))] };
}

/** The covariance of an ellipse. */
export function toCovariance({ angle, axes: [first, second] }) {
  const cosine = Math.cos(angle);
  const sine = Math.sin(angle);
  const [p, q] = [first * first, second * second];
  const a = digits(p * cosine * cosine + q * sine * sine);
  const b = digits((p - q) * cosine * sine);
  const c = digits(p * sine * sine + q * cosine * cosine);
  return [[a, b], [b, c]];
}

const digits = (value) => Number(value.toPrecision(10));

/** The end of a half axis (0 or 1) from the middle. */
export function endOf({ angle, axes }, which) {
  const turned = angle + (which * Math.PI) / 2;
  return [axes[which] * Math.cos(turned), axes[which] * Math.sin(turned)];
}

/** The ellipse whose half axis `which` ends at (x, y) from the middle; the other keeps its length. */
export function pulled(ellipse, which, [x, y], viewWidth) {
  const length = Math.hypot(x, y);
  const angle = length === 0 ? ellipse.angle : Math.atan2(y, x) - (which * Math.PI) / 2;
  return kept({ angle, axes: replaced(ellipse.axes, which, length) }, which, viewWidth);
}

/** Longer by a factor, turned by an angle. */
export function stretched(ellipse, which, factor, turn, viewWidth) {
  const axes = replaced(ellipse.axes, which, ellipse.axes[which] * factor);
  return kept({ angle: ellipse.angle + turn, axes }, which, viewWidth);
}

const replaced = (axes, which, length) => axes.map((axis, i) => (i === which ? length : axis));

function kept({ angle, axes }, which, viewWidth) {
  const least = Math.max(SHORTEST * viewWidth, THINNEST * axes[1 - which]);
  const most = Math.max(axes[1 - which] / THINNEST, least);
  return { angle, axes: replaced(axes, which, Math.min(Math.max(axes[which], least), most)) };
}
