// Integer labels -> class codes.
// Included inside the variant's namespace: it must include nothing itself.

// Codes (n) of labels in lowest ... lowest + span - 1: their rank among those that occur, which are
// marked in `present` (span), zeros before. False if a label is outside.
inline bool encode(const std::int64_t* labels, std::size_t n, std::int64_t lowest, std::size_t span,
                   std::int32_t* codes, bool* present) {
    const auto base = static_cast<std::uint64_t>(lowest);
    std::uint64_t highest = 0;
    if (span <= 64) {  // one bit a label: several at a time
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t position = static_cast<std::uint64_t>(labels[i]) - base;
            highest = position > highest ? position : highest;
            seen |= std::uint64_t{1} << (position & 63);
            codes[i] = static_cast<std::int32_t>(position);
        }
        if (n > 0 && highest >= span) return false;
        for (std::size_t p = 0; p < span; ++p) present[p] = seen >> p & 1;
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t position = static_cast<std::uint64_t>(labels[i]) - base;
            if (position >= span) return false;
            present[position] = true;
            codes[i] = static_cast<std::int32_t>(position);
        }
    }
    std::vector<std::int32_t> rank(span);
    std::int32_t next = 0;
    for (std::size_t p = 0; p < span; ++p) rank[p] = present[p] ? next++ : -1;
    // Where every label of the span occurs, its place is its rank.
    if (static_cast<std::size_t>(next) < span)
        for (std::size_t i = 0; i < n; ++i) codes[i] = rank[codes[i]];
    return true;
}
