// |whitener (x - center - offset - remainder)|^2 for tiles of rows and a lower triangular whitener.
// Included inside the variant's namespace: it must include nothing itself.
//
// The triangle is cut into panels of panel_height rows; the first panel has the remaining rows, so
// that every panel with columns before its square is full. A packed panel holds, column by column,
// the entries before the square and then the lower half of the square; all panels hold d (d + 1) /
// 2 entries.

inline std::size_t first_panel_height(std::size_t d) {
    return d == 0 ? 0 : (d - 1) % panel_height + 1;
}

// The position in a packed triangle of the panel that begins at a row.
inline std::size_t panel_start(std::size_t row) { return row * (row + 1) / 2; }

template <class T>
std::size_t packed_size(std::size_t d) {
    return panel_start(d);
}

template <class T>
void pack(const T* triangle, std::size_t d, T* packed) {
    for (std::size_t row = 0, end = first_panel_height(d); row < d; row = end, end += panel_height)
        for (std::size_t j = 0; j < end; ++j)
            for (std::size_t i = std::max(row, j); i < end; ++i) *packed++ = triangle[i * d + j];
}

// The whitening of x - center by one class.
template <class T>
struct Whitening {
    const T* packed;
    const T* offset;     // (d), or null
    const T* remainder;  // (d), or null
};

template <class T>
inline Whitening<T> whitening_of(const Quadratic<T>& form, std::size_t c) {
    const std::size_t own = form.shared ? 0 : c * packed_size<T>(form.d);
    return {form.whitener + own, form.offset + c * form.d,
            form.remainder ? form.remainder + c * form.d : nullptr};
}

// `height` whitened coordinates from `row` on. `tile` holds x - center; the centred rows minus the
// class's offset are kept in `centred` for later panels.
template <class T, std::size_t height>
ALWAYS_INLINE void whiten_panel(const Whitening<T>& whitening, std::size_t row, const T* tile,
                                T* centred, Lanes<T> (&sum)[height]) {
    const T* factor = whitening.packed + panel_start(row);
    for (std::size_t j = 0; j < row; ++j, factor += height) {
        const Lanes<T> x = load_lanes(centred + j * tile_rows<T>);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < height; ++i)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < tile_vectors; ++v) sum[i].part[v] += factor[i] * x.part[v];
    }
#pragma GCC unroll 8
    for (std::size_t j = 0; j < height; ++j) {
        Lanes<T> x = load_lanes(tile + (row + j) * tile_rows<T>);
        // Subtracting before whitening, not after, loses no digits if a class is far away.
        if (whitening.offset)
            for (Vec<T>& part : x.part) part = part - whitening.offset[row + j];
        if (whitening.remainder)
            for (Vec<T>& part : x.part) part = part - whitening.remainder[row + j];
        store_lanes(centred + (row + j) * tile_rows<T>, x);
#pragma GCC unroll 8
        for (std::size_t i = j; i < height; ++i, ++factor)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < tile_vectors; ++v) sum[i].part[v] += *factor * x.part[v];
    }
}

// Adds to `square` the squares of the whitened coordinates of a panel.
template <class T>
struct AddSquares {
    Lanes<T>& square;

    template <std::size_t height>
    ALWAYS_INLINE void operator()(std::size_t, const Lanes<T> (&sum)[height]) const {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < height; ++i)
#pragma GCC unroll 3
            for (std::size_t v = 0; v < tile_vectors; ++v)
                square.part[v] += sum[i].part[v] * sum[i].part[v];
    }
};

// Writes the whitened coordinates of a panel.
template <class T>
struct Store {
    T* white;

    template <std::size_t height>
    ALWAYS_INLINE void operator()(std::size_t row, const Lanes<T> (&sum)[height]) const {
#pragma GCC unroll 8
        for (std::size_t i = 0; i < height; ++i) store_lanes(white + (row + i) * tile_rows<T>, sum[i]);
    }
};

template <class T, std::size_t height, class Take>
inline void take_panel(const Whitening<T>& whitening, std::size_t row, const T* tile, T* centred,
                       const Take& take) {
    Lanes<T> sum[height] = {};
    whiten_panel<T, height>(whitening, row, tile, centred, sum);
    take(row, sum);
}

// The first panel, whose height is known only at run time.
template <class T, class Take, std::size_t height = panel_height>
inline void take_first_panel(const Whitening<T>& whitening, std::size_t wanted, const T* tile,
                             T* centred, const Take& take) {
    if constexpr (height > 1)
        if (wanted != height)
            return take_first_panel<T, Take, height - 1>(whitening, wanted, tile, centred, take);
    take_panel<T, height>(whitening, 0, tile, centred, take);
}

// Applies `take` to the panel that begins at `row`; returns the start of the next one.
template <class T, class Take>
inline std::size_t take_next_panel(const Whitening<T>& whitening, std::size_t d, std::size_t row,
                                   const T* tile, T* centred, const Take& take) {
    if (row == 0) {
        const std::size_t height = first_panel_height(d);
        take_first_panel<T>(whitening, height, tile, centred, take);
        return height;
    }
    take_panel<T, panel_height>(whitening, row, tile, centred, take);
    return row + panel_height;
}

// Adds the squares of the panel that begins at `row`; returns the start of the next one.
template <class T>
inline std::size_t add_next_panel(const Whitening<T>& whitening, std::size_t d, std::size_t row,
                                  const T* tile, T* centred, Lanes<T>& square) {
    return take_next_panel(whitening, d, row, tile, centred, AddSquares<T>{square});
}
