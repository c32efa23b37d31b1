// Rows become lanes: a tile holds a few vectors of rows, feature by feature, so that every row goes
// through the same operations whatever its neighbours are.
// Included inside the variant's namespace: it must include nothing itself.

// The sums of panel_height outputs for one tile, the tile's own vectors and one factor fill the
// registers: 8 x 3 + 3 + 1 of 32, 4 x 3 + 3 + 1 of 16; without fused multiply-add a product needs one.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr std::size_t tile_vectors = 3, panel_height = 8;
#elif defined(__AVX2__)
constexpr std::size_t tile_vectors = 3, panel_height = 4;
#else
constexpr std::size_t tile_vectors = 2, panel_height = 4;
#endif
template <class T>
constexpr std::size_t tile_rows = tile_vectors * lanes<T>;

template <class T>
inline std::size_t whole_tiles(std::size_t rows) {
    return (rows + tile_rows<T> - 1) / tile_rows<T>;
}

// One number a row of a tile, in registers.
template <class T>
struct Lanes {
    Vec<T> part[tile_vectors];
};

template <class T>
inline Lanes<T> load_lanes(const T* from) {
    Lanes<T> x;
    for (std::size_t v = 0; v < tile_vectors; ++v) x.part[v] = load(from + v * lanes<T>);
    return x;
}
template <class T>
inline void store_lanes(T* to, const Lanes<T>& x) {
    for (std::size_t v = 0; v < tile_vectors; ++v) store(to + v * lanes<T>, x.part[v]);
}

template <class T>
inline bool every_lane(Mask<T> mask) {
    std::uint64_t word[vector_bytes / 8], all = ~std::uint64_t{0};
    std::memcpy(word, &mask, sizeof mask);
    for (const std::uint64_t w : word) all &= w;
    return all == ~std::uint64_t{0};
}

// Which rows of a table fill some tiles. The last tile repeats its last row until it is full.
struct Selection {
    const std::uint32_t* row;  // tiles * tile_rows numbers
    std::size_t tiles;
    std::size_t count;        // rows that are not repetitions
    std::size_t consecutive;  // tiles at the beginning in which each row follows the one before it
};

// One step of a transposition: lanes whose number has the bit `step` come from the other vector.
template <class T, std::size_t step, bool upper, std::size_t... lane>
inline Vec<T> exchange(Vec<T> a, Vec<T> b, std::index_sequence<lane...>) {
    constexpr std::size_t size = lanes<T>;
    return __builtin_shufflevector(
        a, b, (lane & step ? size + lane - (upper ? 0 : step) : lane + (upper ? step : 0))...);
}

template <class T, std::size_t step = 1>
inline void transpose(Vec<T>* square) {
    if constexpr (step < lanes<T>) {
        constexpr auto every = std::make_index_sequence<lanes<T>>{};
#pragma GCC unroll 16
        for (std::size_t i = 0; i < lanes<T>; ++i) {
            if (i & step) continue;
            const Vec<T> a = square[i], b = square[i + step];
            square[i] = exchange<T, step, false>(a, b, every);
            square[i + step] = exchange<T, step, true>(a, b, every);
        }
        transpose<T, 2 * step>(square);
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

// A tile from rows whose features lie side by side, at least as many as a vector has lanes.
template <class T>
void fill_by_square(const Rows<T>& rows, const std::uint32_t* number, const T* center, T* tile) {
    for (std::size_t v = 0; v < tile_vectors; ++v) {
        const T* row[lanes<T>];
        for (std::size_t r = 0; r < lanes<T>; ++r) row[r] = entry_of(rows, number[v * lanes<T> + r], 0);
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

// The selected rows less the centre, as tiles (tiles, d, tile_rows).
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
