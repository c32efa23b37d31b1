// Integer labels -> class codes.
// Included inside the variant's namespace: it must include nothing itself.

// The positions (n) of labels in lowest ... lowest + span - 1; `present` (span) marks those that
// occur. False if a label is outside: the outputs are then not valid.
inline bool encode(const std::int64_t* labels, std::size_t n, std::int64_t lowest, std::size_t span,
                   std::int32_t* codes, bool* present) {
    const auto base = static_cast<std::uint64_t>(lowest);
    if (span > 64) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t place = static_cast<std::uint64_t>(labels[i]) - base;
            if (place >= span) return false;
            present[place] = true;
            codes[i] = static_cast<std::int32_t>(place);
        }
        return true;
    }
    // One bit a label: several at a time.
    constexpr std::size_t together = vector_bytes / sizeof(std::uint64_t);
    typedef std::uint64_t Places __attribute__((vector_size(vector_bytes)));
    typedef std::int32_t Codes __attribute__((vector_size(vector_bytes / 2)));
    Places all_bits = {}, all_seen = {};
    std::size_t i = 0;
    for (; i + together <= n; i += together) {
        Places place;
        std::memcpy(&place, labels + i, sizeof place);
        place -= base;
        all_bits |= place;
        all_seen |= (Places{} + 1) << (place & 63);
        const Codes code = __builtin_convertvector(place, Codes);
        std::memcpy(codes + i, &code, sizeof code);
    }
    std::uint64_t bits = 0, seen = 0;
    for (; i < n; ++i) {
        const std::uint64_t place = static_cast<std::uint64_t>(labels[i]) - base;
        bits |= place;
        seen |= std::uint64_t{1} << (place & 63);
        codes[i] = static_cast<std::int32_t>(place);
    }
    for (std::size_t l = 0; l < together; ++l) {
        bits |= all_bits[l];
        seen |= all_seen[l];
    }
    if (bits > 63 || (span < 64 && seen >> span)) return false;
    for (std::size_t p = 0; p < span; ++p)
        if (seen >> p & 1) present[p] = true;
    return true;
}

// Renumber codes, which must all be below the size of `numbers` (m); false if one is not.
inline bool renumber(std::int32_t* codes, std::size_t n, const std::int32_t* numbers, std::size_t m) {
    for (std::size_t i = 0; i < n; ++i) {
        if (static_cast<std::uint32_t>(codes[i]) >= m) return false;
        codes[i] = numbers[codes[i]];
    }
    return true;
}
