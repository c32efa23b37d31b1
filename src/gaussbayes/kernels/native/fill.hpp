// From a table of any strides to tiles: rows become lanes, minus the centre.
// Included inside the variant's namespace: it must include nothing itself.

// Which rows of a table fill some tiles. The last tile repeats its last row until it is full.
struct Selection {
    const std::uint32_t* row;  // tiles * tile_rows numbers
    std::size_t tiles;
    std::size_t consecutive;  // tiles at the beginning in which each row follows the one before it
};

// One step of a transposition: lanes whose number has the bit `step` come from the other vector.
template <class T, std::size_t step, bool upper, std::size_t... lane>
ALWAYS_INLINE Vec<T> exchange(Vec<T> a, Vec<T> b, std::index_sequence<lane...>) {
    constexpr std::size_t size = lanes<T>;
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(
        a, b, (lane & step ? size + lane - (upper ? 0 : step) : lane + (upper ? step : 0))...);
#else
    return __builtin_shuffle(
        a, b,
        Mask<T>{(lane & step ? size + lane - (upper ? 0 : step) : lane + (upper ? step : 0))...});
#endif
}

// From the longest step down: the compiler omits most steps of vectors that are not read.
template <class T, std::size_t step = lanes<T> / 2>
ALWAYS_INLINE void transpose(Vec<T>* square) {
    if constexpr (step > 0) {
        constexpr auto every = std::make_index_sequence<lanes<T>>{};
#pragma GCC unroll 16
        for (std::size_t i = 0; i < lanes<T>; ++i) {
            if (i & step) continue;
            const Vec<T> a = square[i], b = square[i + step];
            square[i] = exchange<T, step, false>(a, b, every);
            square[i + step] = exchange<T, step, true>(a, b, every);
        }
        transpose<T, step / 2>(square);
    }
}

template <class T>
inline bool column_major(const Rows<T>& rows) {
    return std::abs(rows.row_stride) < std::abs(rows.column_stride);
}

template <class T>
inline const T* entry_of(const Rows<T>& rows, std::size_t row, std::size_t column) {
    return rows.data + static_cast<std::ptrdiff_t>(row) * rows.row_stride +
           static_cast<std::ptrdiff_t>(column) * rows.column_stride;
}

// A tile from rows of contiguous features, at least as many as a vector has lanes.
template <class T>
void fill_by_square(const Rows<T>& rows, const std::uint32_t* number, const T* center, T* tile) {
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const T* row[lanes<T>];
        for (std::size_t r = 0; r < lanes<T>; ++r)
            row[r] = entry_of(rows, number[v * lanes<T> + r], 0);
        for (std::size_t next = 0; next < rows.d; next += lanes<T>) {
            // The last square overlaps the one before it rather than read past the end of a row.
            const std::size_t j = std::min(next, rows.d - lanes<T>);
            Vec<T> square[lanes<T>];
#pragma GCC unroll 16
            for (std::size_t r = 0; r < lanes<T>; ++r) square[r] = load(row[r] + j);
            transpose<T>(square);
#pragma GCC unroll 16
            for (std::size_t r = 0; r < lanes<T>; ++r)
                store(tile + (j + r) * tile_rows<T> + v * lanes<T>, square[r] - center[j + r]);
        }
    }
}

// A tile from rows of any strides.
template <class T>
void fill_by_row(const Rows<T>& rows, const std::uint32_t* number, const T* center, T* tile) {
    for (std::size_t r = 0; r < tile_rows<T>; ++r)
        for (std::size_t j = 0; j < rows.d; ++j)
            tile[j * tile_rows<T> + r] = *entry_of(rows, number[r], j) - center[j];
}

// Tiles from a table in which the entries of a column are neighbours: one column at a time, so that
// memory is read in long runs.
template <class T>
void fill_by_column(const Rows<T>& rows, const Selection& selection, const T* center, T* tiles) {
    const std::size_t runs = rows.row_stride == 1 ? selection.consecutive : 0;
    for (std::size_t j = 0; j < rows.d; ++j) {
        for (std::size_t t = 0; t < selection.tiles; ++t) {
            const std::uint32_t* number = selection.row + t * tile_rows<T>;
            T* to = tiles + (t * rows.d + j) * tile_rows<T>;
            if (t < runs) {
                Lanes<T> x = load_lanes(entry_of(rows, number[0], j));
                for (Vec<T>& part : x.part) part = part - center[j];
                store_lanes(to, x);
            } else {
                for (std::size_t r = 0; r < tile_rows<T>; ++r)
                    to[r] = *entry_of(rows, number[r], j) - center[j];
            }
        }
    }
}

// The selected rows minus the centre, as tiles (tiles, d, tile_rows).
template <class T>
void fill_tiles(const Rows<T>& rows, const Selection& selection, const T* center, T* tiles) {
    if (column_major(rows)) return fill_by_column(rows, selection, center, tiles);
    const bool squares = rows.column_stride == 1 && rows.d >= lanes<T>;
    for (std::size_t t = 0; t < selection.tiles; ++t) {
        const std::uint32_t* number = selection.row + t * tile_rows<T>;
        T* tile = tiles + t * rows.d * tile_rows<T>;
        if (squares)
            fill_by_square(rows, number, center, tile);
        else
            fill_by_row(rows, number, center, tile);
    }
}
