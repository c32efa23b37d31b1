// The moments of the rows of two tables, from those of each.
// Included inside the variant's namespace: it must include nothing itself.
//
// With delta = mean_b - mean_a and w = w_a + w_b: mean = mean_a + delta w_b / w and
// scatter = S_a + S_b + (w_a w_b / w) delta delta'. The heavier side keeps its anchor.

inline void merge(const GivenMoments& a, const GivenMoments& b, std::size_t k, std::size_t d,
                  Layout layout, const Moments& to) {
    const std::size_t each = layout == Layout::diagonal ? d : d * d;
    Block<double> delta(d);
    if (layout == Layout::pooled)
        for (std::size_t i = 0; i < each; ++i) to.scatter[i] = a.scatter[i] + b.scatter[i];
    for (std::size_t c = 0; c < k; ++c) {
        const double weight = a.weight[c] + b.weight[c];
        const double part_a = weight > 0 ? a.weight[c] / weight : 0;
        const double part_b = weight > 0 ? b.weight[c] / weight : 0;
        const bool both = a.weight[c] > 0 && b.weight[c] > 0, heavier = b.weight[c] > a.weight[c];
        to.weight[c] = weight;
        for (std::size_t j = 0, at = c * d; j < d; ++j, ++at) {
            const double apart = (b.anchor[at] - a.anchor[at]) + (b.offset[at] - a.offset[at]);
            delta[j] = both ? apart : 0.0;
            to.anchor[at] = heavier ? b.anchor[at] : a.anchor[at];
            to.offset[at] = heavier ? b.offset[at] - delta[j] * part_a : a.offset[at] + delta[j] * part_b;
        }
        const double factor = a.weight[c] * part_b;
        const std::size_t first = layout == Layout::pooled ? 0 : c * each;
        const double *const left = layout == Layout::pooled ? to.scatter : a.scatter + first,
                     *const right = b.scatter + first;
        double* const sum = to.scatter + first;
        if (layout == Layout::diagonal) {
            for (std::size_t j = 0; j < d; ++j)
                sum[j] = (left[j] + right[j]) + factor * (delta[j] * delta[j]);
            continue;
        }
        // The product first: it is symmetric to the bit.
        for (std::size_t i = 0; i < d; ++i)
            for (std::size_t j = 0, at = i * d; j < d; ++j, ++at) {
                const double before = layout == Layout::pooled ? left[at] : left[at] + right[at];
                sum[at] = before + factor * (delta[i] * delta[j]);
            }
    }
}
