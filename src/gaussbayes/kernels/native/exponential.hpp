// The exponential of a vector of nonpositive numbers, for posteriors.
// Included inside the variant's namespace: it must include nothing itself.

// e^x = 2^n e^r with n whole and |r| <= ln(2)/2. `ln2_high` has few digits, so that n * ln2_high is
// exact; e^r = 1 + r + r^2 Q(r), with Q the Chebyshev fit of (e^r - 1 - r) / r^2 on that interval.
template <class T>
struct ExponentialOf;

template <>
struct ExponentialOf<double> {
    static constexpr double log2_e = 1.442695040888963407;
    static constexpr double ln2_high = 0.69314670562744140625;
    static constexpr double ln2_low = 4.749325039031672321e-07;
    static constexpr double Q[] = {2.51004241570050667823e-08, 2.762013871973399556183e-07,
                                   2.755726837868419287268e-06, 2.480152119021772765083e-05,
                                   1.984126986310596874839e-04, 1.38888889172817933075e-03,
                                   8.333333333330051346372e-03, 4.166666666662399151589e-02,
                                   1.666666666666666745588e-01, 5.000000000000001026209e-01};
    // Adding this leaves a number below 2^51 rounded to a whole one in the last bits of the sum.
    static constexpr double whole = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr int fraction_bits = 52;
    static constexpr std::int64_t exponent_bias = 1023;
    // Below this e^x is less than half of the smallest positive number, 2^-1074: it rounds to 0.
    static constexpr double lowest = -745.1332191019411;
};

template <>
struct ExponentialOf<float> {
    static constexpr float log2_e = 1.44269504f;
    static constexpr float ln2_high = 0.693359375f;
    static constexpr float ln2_low = -2.12194440e-04f;
    static constexpr float Q[] = {1.392621346633244e-03f, 8.363202971575855e-03f,
                                  4.166655443768594e-02f, 1.666657684599398e-01f, 0.5f};
    static constexpr float whole = 12582912.0f;  // 1.5 * 2^23
    static constexpr int fraction_bits = 23;
    static constexpr std::int32_t exponent_bias = 127;
    static constexpr float lowest = -103.97208f;  // smallest positive number: 2^-149
};

// 2^n for each whole n, from the bits of n + ExponentialOf<T>::whole.
template <class T>
inline Vec<T> power_of_two(Mask<T> n) {
    using E = ExponentialOf<T>;
    return (Vec<T>)((n + E::exponent_bias) << E::fraction_bits);
}

// e^x for x <= 0, within one unit in the last place: 1 at 0, subnormal results rounded once, 0
// below half of the smallest of them, and at minus infinity.
template <class T>
inline Vec<T> exponential(Vec<T> x) {
    using E = ExponentialOf<T>;
    // Lanes with result 0 are excluded: a product that underflows costs over a hundred cycles.
    const Mask<T> positive = x >= E::lowest;
    x = positive ? x : Vec<T>{};
    const Vec<T> shift = broadcast<T>(E::whole);
    const Vec<T> n_bits = x * E::log2_e + shift;
    const Vec<T> n = n_bits - shift;
    const Vec<T> r = (x - n * E::ln2_high) - n * E::ln2_low;
    Vec<T> Q = broadcast<T>(E::Q[0]);
    for (std::size_t i = 1; i < sizeof(E::Q) / sizeof(T); ++i) Q = Q * r + E::Q[i];
    const Vec<T> mantissa = (r * r * Q + r) + T(1);
    // 2^n may be subnormal while its halves are not: the last product is the only one to round.
    const Vec<T> half_bits = n * T(0.5) + shift;
    const Mask<T> half = (Mask<T>)half_bits - (Mask<T>)shift;
    const Mask<T> rest = (Mask<T>)n_bits - (Mask<T>)shift - half;
    const Vec<T> result = mantissa * power_of_two<T>(half) * power_of_two<T>(rest);
    return positive ? result : Vec<T>{};
}
