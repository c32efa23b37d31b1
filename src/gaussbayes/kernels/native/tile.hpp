// A tile: a few vectors of rows, feature by feature (d, tile_rows). Rows are lanes, so that the
// operations on a row do not depend on its neighbours. Included inside the variant's namespace: it
// must include nothing itself.

// The sums of panel_height outputs for one tile, the tile's own vectors and one factor fill the
// registers: 8 x 3 + 3 + 1 of 32, 4 x 3 + 3 + 1 of 16. Without fused multiply-add a product needs
// a register too.
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
inline void add_lanes(Lanes<T>& sum, const Lanes<T>& x) {
    for (std::size_t v = 0; v < tile_vectors; ++v) sum.part[v] += x.part[v];
}

template <class T>
inline bool every_lane(Mask<T> mask) {
    std::uint64_t word[vector_bytes / 8], all = ~std::uint64_t{0};
    std::memcpy(word, &mask, sizeof mask);
    for (const std::uint64_t w : word) all &= w;
    return all == ~std::uint64_t{0};
}
