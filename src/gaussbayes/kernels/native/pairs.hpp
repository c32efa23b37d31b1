// Levels of rows -> log-densities by tables of pairs of levels.
// Included inside the variant's namespace: it must include nothing itself.
//
// For the levels u of the observed columns of a row, s_p = sum_j table[u_p, u_j] for each parent p;
// the score is log mean_p e^s_p, or share sum_p s_p. Classes are contiguous: each pair is one run
// of k numbers. A row without levels has 0. False if a level is not among the `size` of the table.

inline bool score_pairs(const std::int32_t* codes, std::size_t n, std::size_t d, const double* table,
                        std::size_t size, std::size_t k, double share, double* out) {
    std::vector<std::size_t> there(d);
    std::vector<double> parents(d * k);
    for (std::size_t i = 0; i < n; ++i, codes += d, out += k) {
        std::size_t count = 0;
        for (std::size_t j = 0; j < d; ++j) {
            if (codes[j] >= static_cast<std::int64_t>(size)) return false;
            if (codes[j] >= 0) there[count++] = static_cast<std::size_t>(codes[j]);
        }
        for (std::size_t c = 0; c < k; ++c) out[c] = 0;
        if (count == 0) continue;
        for (std::size_t p = 0; p < count; ++p) {
            const double* const given = table + there[p] * size * k;
            double* const sum = parents.data() + p * k;
            for (std::size_t c = 0; c < k; ++c) sum[c] = 0;
            for (std::size_t j = 0; j < count; ++j) {
                const double* const pair = given + there[j] * k;
                for (std::size_t c = 0; c < k; ++c) sum[c] += pair[c];
            }
        }
        for (std::size_t c = 0; c < k; ++c) {
            double largest = parents[c], total = 0;
            for (std::size_t p = 1; p < count; ++p) largest = std::max(largest, parents[p * k + c]);
            if (share != 0) {
                for (std::size_t p = 0; p < count; ++p) total += parents[p * k + c];
                out[c] = share * total;
                continue;
            }
            for (std::size_t p = 0; p < count; ++p) total += std::exp(parents[p * k + c] - largest);
            out[c] = largest + std::log(total / static_cast<double>(count));
        }
    }
    return true;
}

// The difference of a sum and a part of it, and whether it is accurate; as Precision.left.
struct Rest {
    bool exact;
    double smallest;
    bool reliable = true;

    double operator()(double total, double part) {
        const double left = total - part, noise = 1e-12 * total;
        const bool nothing = left <= noise;
        if (!exact && part != 0 && !(left > 1e-3 * total) && !(nothing && noise < 0.5 * smallest)) {
            reliable = false;
        }
        return nothing ? 0.0 : left;
    }
};

// The leave-one-out scores of rows in their classes: the same averages of
// theta(u_j | u_p) = (count + m child_j) / (beside + m), with all counts minus those of the row.
// count is (k, size, size), beside (k, size, d) and observed (k, d); a row i of class own[i] has
// the weight lost[i]; each of s back-offs m has a row of out (s, n). False if a level or class does
// not exist.
inline bool score_pairs_without(const std::int32_t* codes, const std::int64_t* own,
                                const double* lost, std::size_t n, std::size_t d,
                                const double* count, const double* beside, const double* observed,
                                const double* n_levels, std::size_t size, std::size_t k,
                                const double* backoffs, std::size_t s, bool exact, double smallest,
                                double* out, bool* reliable) {
    constexpr std::size_t together = 8;  // factors of which one logarithm is taken
    std::vector<std::size_t> level(d), column(d);
    std::vector<double> child(s * d), parents(s * d), product(s);
    for (std::size_t i = 0; i < n; ++i, codes += d) {
        if (own[i] < 0 || own[i] >= static_cast<std::int64_t>(k)) return false;
        const std::size_t c = static_cast<std::size_t>(own[i]);
        std::size_t there = 0;
        for (std::size_t j = 0; j < d; ++j) {
            if (codes[j] >= static_cast<std::int64_t>(size)) return false;
            if (codes[j] >= 0) level[there] = static_cast<std::size_t>(codes[j]), column[there++] = j;
        }
        Rest rest{exact, smallest};
        const double* const pairs = count + c * size * size;
        for (std::size_t p = 0; p < there; ++p) {
            const double single = rest(pairs[level[p] * (size + 1)], lost[i]);
            const double total = rest(observed[c * d + column[p]], lost[i]);
            for (std::size_t t = 0; t < s; ++t) {
                child[t * d + p] = (single + backoffs[t] / n_levels[column[p]]) / (total + backoffs[t]);
            }
        }
        for (std::size_t p = 0; p < there; ++p) {
            const double* const pair = pairs + level[p] * size;
            const double* const total = beside + (c * size + level[p]) * d;
            for (std::size_t t = 0; t < s; ++t) parents[t * d + p] = std::log(child[t * d + p]);
            for (std::size_t j = 0; j < there;) {
                const std::size_t end = std::min(there, j + together);
                for (std::size_t t = 0; t < s; ++t) product[t] = 1;
                for (; j < end; ++j) {
                    if (j == p) continue;
                    const double both = rest(pair[level[j]], lost[i]);
                    const double either = rest(total[column[j]], lost[i]);
                    for (std::size_t t = 0; t < s; ++t) {
                        product[t] *= (both + backoffs[t] * child[t * d + j]) / (either + backoffs[t]);
                    }
                }
                for (std::size_t t = 0; t < s; ++t) parents[t * d + p] += std::log(product[t]);
            }
        }
        reliable[i] = rest.reliable;
        for (std::size_t t = 0; t < s; ++t) {
            const double* const sum = parents.data() + t * d;
            double total = 0;
            const double largest = there == 0 ? 0 : *std::max_element(sum, sum + there);
            for (std::size_t p = 0; p < there; ++p) total += std::exp(sum[p] - largest);
            out[t * n + i] = there == 0 ? 0 : largest + std::log(total / static_cast<double>(there));
        }
    }
    return true;
}
