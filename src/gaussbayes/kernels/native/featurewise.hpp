// Log joints that are sums over the features, one at a time: diagonal and linear forms.
// Included inside the variant's namespace: it must include nothing itself.
//
// A tile of x - center is read once for several classes, whose sums stay in registers; meanwhile the
// rows of a tile to come are fetched into the cache.

// log_constant_c + sum_j coefficient_cj u_j
template <class T>
struct LinearTerm {
    static constexpr bool takes_nan = false;
    static constexpr std::size_t classes = panel_height;
    const Linear<T>& form;

    Vec<T> add(std::size_t c, std::size_t j, Vec<T> u, Vec<T> sum) const {
        return sum + form.coefficient[c * form.d + j] * u;
    }
    Vec<T> log_joint(std::size_t c, Vec<T> sum) const { return sum + form.log_constant[c]; }
};

// log_constant_c - 1/2 sum_j (whitener_cj (u_j - offset_cj))^2
template <class T>
struct DiagonalTerm {
    static constexpr bool takes_nan = false;
    static constexpr std::size_t classes = panel_height / 2;
    const Quadratic<T>& form;

    Vec<T> add(std::size_t c, std::size_t j, Vec<T> u, Vec<T> sum) const {
        const T whitener = form.whitener[(form.shared ? 0 : c * form.d) + j];
        const Vec<T> white = (u - form.offset[c * form.d + j]) * whitener;
        return sum + white * white;
    }
    Vec<T> log_joint(std::size_t c, Vec<T> sum) const {
        return quadratic_log_joint<T>(form.log_constant[c], sum);
    }
};

template <bool biased, class T, std::size_t count, class Term>
inline void score_some(const Term& term, std::size_t c, std::size_t d, const T* tile, Ahead ahead,
                       T* log_joint) {
    Lanes<T> sum[count] = {};
    for (std::size_t j = 0; j < d; ++j) {
        ahead.fetch_next(sizeof(T) * tile_rows<T>);
        const Lanes<T> u = load_lanes(tile + j * tile_rows<T>);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < count; ++i)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < tile_vectors; ++v)
                sum[i].part[v] = term.add(c + i, j, u.part[v], sum[i].part[v]);
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
        T* const to = log_joint + (c + i) * tile_rows<T>;
        for (Vec<T>& part : sum[i].part) part = term.log_joint(c + i, part);
        if constexpr (biased) add_lanes(sum[i], load_lanes(to));
        store_lanes(to, sum[i]);
    }
}

// The classes from c on, fewer than a full set.
template <bool biased, class T, std::size_t count, class Term>
inline void score_last(const Term& term, std::size_t c, std::size_t k, std::size_t d, const T* tile,
                       Ahead ahead, T* log_joint) {
    if constexpr (count > 0) {
        if (k - c == count)
            score_some<biased, T, count>(term, c, d, tile, ahead, log_joint);
        else
            score_last<biased, T, count - 1>(term, c, k, d, tile, ahead, log_joint);
    }
}

// Log joints (tiles, k, tile_rows) of tiles (tiles, d, tile_rows); where they go the bias is.
template <bool biased, class T, class Term>
void score_featurewise(const Term& term, std::size_t tiles, const T* tile, Ahead ahead,
                       T* log_joint) {
    constexpr std::size_t together = Term::classes;
    const std::size_t k = term.form.k, d = term.form.d;
    for (std::size_t t = 0; t < tiles; ++t) {
        std::size_t c = 0;
        for (; c + together <= k; c += together)
            score_some<biased, T, together>(term, c, d, tile, c ? Ahead{} : ahead, log_joint);
        score_last<biased, T, together - 1>(term, c, k, d, tile, c ? Ahead{} : ahead, log_joint);
        ahead.pass(sizeof(T) * d * tile_rows<T>);
        tile += d * tile_rows<T>;
        log_joint += k * tile_rows<T>;
    }
}
