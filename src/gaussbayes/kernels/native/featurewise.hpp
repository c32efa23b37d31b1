// Log joints that are sums over the features, one at a time: diagonal and linear forms.
// Included inside the variant's namespace: it must include nothing itself.
//
// Blocks have as many rows and as many features as a vector has lanes: such a square is read once,
// in place, and stays in registers while every class adds its terms.

// log_constant_c + sum_j coefficient_cj u_j
template <class T>
struct LinearTerm {
    static constexpr bool takes_nan = false;
    const Linear<T> form;

    Vec<T> add(std::size_t c, std::size_t j, Vec<T> u, Vec<T> sum) const {
        return sum + form.coefficient[c * form.d + j] * u;
    }
    Vec<T> log_joint(std::size_t c, Vec<T> sum) const { return sum + form.log_constant[c]; }
};

// log_constant_c - 1/2 sum_j (whitener_cj (u_j - offset_cj - remainder_cj))^2
template <class T, bool with_remainder>
struct DiagonalTerm {
    static constexpr bool takes_nan = false;
    const Quadratic<T> form;

    Vec<T> add(std::size_t c, std::size_t j, Vec<T> u, Vec<T> sum) const {
        const T whitener = form.whitener[(form.shared ? 0 : c * form.d) + j];
        Vec<T> white = u - form.offset[c * form.d + j];
        if constexpr (with_remainder) white = white - form.remainder[c * form.d + j];
        white = white * whitener;
        return sum + white * white;
    }
    Vec<T> log_joint(std::size_t c, Vec<T> sum) const {
        return quadratic_log_joint<T>(form.log_constant[c], sum);
    }
};

// How many vectors of rows are processed together: a tile, if its squares fit in the registers.
template <class T>
constexpr std::size_t side_by_side = sizeof(T) == sizeof(double) ? tile_vectors : 1;

// Adjacent rows with contiguous features. Rows that are read soon are fetched into the cache.
template <class T>
struct RowSquares {
    const T* row;
    std::ptrdiff_t stride;
    const T* center;
    std::ptrdiff_t ahead;  // distance in memory between the current and the prefetched rows

    // The features j + r of vector v of rows minus the centre, for r from `first` on.
    template <std::size_t first>
    ALWAYS_INLINE void read(std::size_t v, std::size_t j, Vec<T>* u) const {
        const T* const from = row + static_cast<std::ptrdiff_t>(v * lanes<T>) * stride;
        const auto begin = static_cast<std::ptrdiff_t>(j);  // before the row if that is short
        const auto* const soon = reinterpret_cast<const char*>(
            from + ahead + begin * static_cast<std::ptrdiff_t>(lanes<T>));
#pragma GCC unroll 16
        for (std::size_t r = 0; r < lanes<T>; ++r) {
            if (r >= first && r * vector_bytes % 64 == 0)
                __builtin_prefetch(soon + r * vector_bytes, 0, 2);
            u[r] = load(from + static_cast<std::ptrdiff_t>(r) * stride + begin);
        }
        transpose<T>(u);
#pragma GCC unroll 16
        for (std::size_t r = first; r < lanes<T>; ++r) u[r] = u[r] - center[j + r];
    }
    RowSquares after(std::size_t vectors) const {
        return {row + static_cast<std::ptrdiff_t>(vectors * lanes<T>) * stride, stride, center,
                ahead};
    }
};

// Whether rows can be read so from some row on: a square whose last feature is that of the row may
// begin in the rows before it.
template <class T>
bool has_squares(const Rows<T>& rows, std::size_t row) {
    if (rows.column_stride != 1 || rows.d == 0) return false;
    const auto before = static_cast<std::ptrdiff_t>(row) * rows.row_stride;
    return rows.d >= lanes<T> ||
           (rows.row_stride > 0 && before + static_cast<std::ptrdiff_t>(rows.d) >=
                                       static_cast<std::ptrdiff_t>(lanes<T>));
}

// From some row on. What is at least a page further on is fetched meanwhile.
template <class T>
RowSquares<T> row_squares(const Rows<T>& rows, std::size_t row, const T* center) {
    const auto tiles = static_cast<std::ptrdiff_t>(1 + 4095 / (sizeof(T) * tile_rows<T> * rows.d));
    return {entry_of(rows, row, 0), rows.row_stride, center,
            tiles * static_cast<std::ptrdiff_t>(tile_rows<T>) * rows.row_stride};
}

// Those of a tile, whose centre is already subtracted.
template <class T>
struct TileSquares {
    const T* tile;
    std::size_t d;

    template <std::size_t first>
    ALWAYS_INLINE void read(std::size_t v, std::size_t j, Vec<T>* u) const {
#pragma GCC unroll 16
        for (std::size_t r = first; r < lanes<T>; ++r)
            u[r] = j + r < d ? load(tile + (j + r) * tile_rows<T> + v * lanes<T>) : Vec<T>{};
    }
    TileSquares after(std::size_t vectors) const { return {tile + vectors * lanes<T>, d}; }
};

// Adds the terms of the features j + r, for r from `first` on, to the sums of all classes, and puts
// these where `put` says. Features below `first`, if known at compile time, are not computed.
template <std::size_t known, class T, class Term, class Squares, class Put>
ALWAYS_INLINE void add_square(const Term& term, const Squares& squares, std::size_t j,
                              std::size_t first, const T* sums, Put put) {
    constexpr std::size_t V = side_by_side<T>;
    Vec<T> u[V][lanes<T>];
#pragma GCC unroll 3
    for (std::size_t v = 0; v < V; ++v) squares.template read<known>(v, j, u[v]);
    for (std::size_t c = 0; c < term.form.k; ++c) {
        // In single precision each square has a separate sum, so that fewer rounding errors
        // accumulate.
        constexpr bool apart = sizeof(T) < sizeof(double);
        Vec<T> sum[V] = {};
        if (!apart && sums)
            for (std::size_t v = 0; v < V; ++v) sum[v] = load(sums + (c * V + v) * lanes<T>);
#pragma GCC unroll 16
        for (std::size_t r = known; r < lanes<T>; ++r) {
            if (r < first) continue;
#pragma GCC unroll 3
            for (std::size_t v = 0; v < V; ++v) sum[v] = term.add(c, j + r, u[v][r], sum[v]);
        }
        if (apart && sums)
            for (std::size_t v = 0; v < V; ++v) sum[v] += load(sums + (c * V + v) * lanes<T>);
        put(c, sum);
    }
}

// The log joints (k, tile_rows) of some vectors of rows; where they go the bias is.
template <bool biased, class T, class Term, class Squares>
void score_side_by_side(const Term& term, const Squares& squares, T* sums, T* log_joint) {
    constexpr std::size_t size = lanes<T>, V = side_by_side<T>;
    const std::size_t d = term.form.d;
    const auto keep = [sums](std::size_t c, const Vec<T>* sum) {
        for (std::size_t v = 0; v < V; ++v) store(sums + (c * V + v) * size, sum[v]);
    };
    const auto finish = [&term, log_joint](std::size_t c, const Vec<T>* sum) {
        for (std::size_t v = 0; v < V; ++v) {
            T* const to = log_joint + c * tile_rows<T> + v * size;
            Vec<T> own = term.log_joint(c, sum[v]);
            if constexpr (biased) own += load(to);
            store(to, own);
        }
    };
    const T* before = nullptr;
    std::size_t j = 0;
    for (; j + size < d; j += size, before = sums)
        add_square<0>(term, squares, j, 0, before, keep);
    // The last square ends with the row, and may overlap the one before it, or the row before.
    const std::size_t first = j + size - d;
    if (first < size / 2)
        add_square<0>(term, squares, d - size, first, before, finish);
    else if (first < size - size / 4)
        add_square<size / 2>(term, squares, d - size, first, before, finish);
    else
        add_square<size - size / 4>(term, squares, d - size, first, before, finish);
}

// Log joints (tiles, k, tile_rows) of rows that follow one another, or of a tile.
template <bool biased, class T, class Term, class Squares>
void score_featurewise(const Term& given, const Squares& squares, std::size_t tiles, T* sums,
                       T* log_joint) {
    constexpr std::size_t V = side_by_side<T>;
    const Term term = given;  // by value: the compiler cannot know that storing leaves it as it is
    for (std::size_t t = 0; t < tiles; ++t, log_joint += term.form.k * tile_rows<T>)
        for (std::size_t v = 0; v < tile_vectors; v += V)
            score_side_by_side<biased>(term, squares.after(t * tile_vectors + v), sums,
                                       log_joint + v * lanes<T>);
}
