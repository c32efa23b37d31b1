// Levels of rows -> log-densities by tables of pairs of levels.
// Included inside the variant's namespace: it must include nothing itself.
//
// The levels u of the columns of a row that are there have s_p = sum_j table[u_p, u_j] for each parent
// p; the score is log mean_p e^s_p, or share sum_p s_p. The classes lie side by side: each pair is one
// run of k numbers. A row without any level has 0. False if a level is not among the `size` of the table.

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
