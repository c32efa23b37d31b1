// Rows to log joints, posteriors or labels, in blocks that stay in the cache.
// Included inside the variant's namespace: it must include nothing itself.
//
// A bias (n, k) is written into the log joints of a block before the first distance: each scorer
// adds to it, and may skip a class that the bias rules out. Without a bias this is compiled away.

// Linear forms and diagonal quadratic ones.
template <class T, class Term, bool with_bias>
struct FeaturewiseScorer {
    static constexpr bool takes_nan = Term::takes_nan;
    static constexpr bool biased = with_bias;
    Term term;
    Block<T> sums{term.form.k * side_by_side<T> * lanes<T>};

    const T* log_constant() const { return term.form.log_constant; }
    std::size_t next_group(const Rows<T>&) const { return largest_group; }
    bool order(const Rows<T>&, const Rows<T>&, std::uint32_t*) const { return false; }

    // Log joints (tiles, k, tile_rows) of rows; where they go the bias is.
    void score(const Rows<T>& rows, const Selection& selection, const T* center, T* tiles,
               T* log_joint) {
        for (std::size_t t = 0, count; t < selection.tiles; t += count) {
            const std::uint32_t* const row = selection.row + t * tile_rows<T>;
            const std::size_t in_line = std::max(selection.consecutive, t) - t;
            T* const to = log_joint + t * term.form.k * tile_rows<T>;
            if (in_line > 0 && has_squares(rows, row[0])) {
                count = in_line;
                score_featurewise<biased>(term, row_squares(rows, row[0], center), count,
                                          sums.data(), to);
                continue;
            }
            count = rows.column_stride == 1 ? 1 : selection.tiles - t;
            fill_tiles(rows, {row, count, std::min(in_line, count)}, center, tiles);
            for (std::size_t i = 0; i < count; ++i)
                score_featurewise<biased>(
                    term, TileSquares<T>{tiles + i * rows.d * tile_rows<T>, rows.d}, 1, sums.data(),
                    to + i * term.form.k * tile_rows<T>);
        }
    }
};

// How many tiles are processed together: their rows and log joints fit in most of the second-level
// cache, and with few features in the first. That still makes long runs of a column.
template <class T>
std::size_t tiles_of_block(std::size_t n, std::size_t d, std::size_t k) {
    constexpr std::size_t cache = 400 << 10, most_rows = 192;
    const std::size_t fitting = cache / (sizeof(T) * tile_rows<T> * std::max(d, k));
    const std::size_t needed = whole_tiles<T>(std::min(n, most_rows));
    return std::max(std::min(fitting, needed), std::size_t{1});
}

// The reason why a row of a tile has no finite largest log joint.
template <bool takes_nan, class T>
int diagnose(const Rows<T>& rows, const std::uint32_t* row, std::size_t count, Task task) {
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t j = 0; j < rows.d; ++j)
            if (const T x = *entry_of(rows, row[r], j); takes_nan ? std::isinf(x) : !std::isfinite(x))
                return not_finite;
    return task == Task::log_joint ? 0 : out_of_range;
}

// Whether the bias rules out every class for one of some rows.
template <class T>
bool any_ruled_out(const Rows<T>& bias, const std::uint32_t* row, std::size_t count,
                   const T* log_constant) {
    for (std::size_t r = 0; r < count; ++r) {
        std::size_t c = 0;
        while (c < bias.d && *entry_of(bias, row[r], c) + log_constant[c] ==
                                 -std::numeric_limits<T>::infinity())
            ++c;
        if (c == bias.d) return true;
    }
    return false;
}

// The rows from `first` on.
template <class T>
Rows<T> rows_from(const Rows<T>& rows, std::size_t first, std::size_t count) {
    const T* data = rows.data + static_cast<std::ptrdiff_t>(first) * rows.row_stride;
    return {data, rows.row_stride, rows.column_stride, count, rows.d};
}

// The buffers of all blocks of rows.
template <class T>
struct Workspace {
    std::size_t rows_at_once;
    Block<T> tiles, log_joint;
    Block<T> zeros;              // (k), taken from a bias if there is one
    Block<std::uint32_t> order;  // of the rows of a group

    Workspace(std::size_t n, std::size_t d, std::size_t k, std::size_t rows, bool biased)
        : rows_at_once(rows),
          tiles(rows * d),
          log_joint(rows * k),
          zeros(biased ? k : 0),
          order(std::min(largest_group, n) + rows) {
        if (biased) std::fill(zeros.data(), zeros.data() + k, T(0));
    }
};

// Scores the rows of a group, block by block.
template <class T, class Scorer>
int score_group(const Rows<T>& group, const Rows<T>& bias, bool consecutive, const T* center,
                Workspace<T>& space, const Destination<T>& to, Scorer& scorer) {
    int problems = 0;
    for (std::size_t first = 0; first < group.n; first += space.rows_at_once) {
        const std::size_t count = std::min(space.rows_at_once, group.n - first);
        const Selection block{&space.order[first], whole_tiles<T>(count),
                              consecutive ? count / tile_rows<T> : 0};
        if constexpr (Scorer::biased)
            fill_tiles(bias, block, space.zeros.data(), space.log_joint.data());
        scorer.score(group, block, center, space.tiles.data(), space.log_joint.data());
        for (std::size_t t = 0; t < block.tiles; ++t) {
            const std::uint32_t* row = block.row + t * tile_rows<T>;
            const std::size_t own = std::min(tile_rows<T>, count - t * tile_rows<T>);
            T* const log_joint = &space.log_joint[t * to.k * tile_rows<T>];
            if (!write_answers(log_joint, row, own, t < block.consecutive, to)) {
                int problem = diagnose<Scorer::takes_nan>(group, row, own, to.task);
                if constexpr (Scorer::biased)
                    if (problem == out_of_range &&
                        any_ruled_out(bias, row, own, scorer.log_constant()))
                        problem = impossible;
                problems |= problem;
            }
        }
        if (problems & not_finite) break;
    }
    return problems;
}

// The order of a group's rows; the last one is repeated until its tile is full.
template <class T, class Scorer>
bool order_group(const Rows<T>& group, const Rows<T>& bias, std::uint32_t* order,
                 Scorer& scorer) {
    const bool reordered = scorer.order(group, bias, order);
    if (!reordered)
        for (std::size_t r = 0; r < group.n; ++r) order[r] = static_cast<std::uint32_t>(r);
    std::fill(order + group.n, order + whole_tiles<T>(group.n) * tile_rows<T>, order[group.n - 1]);
    return reordered;
}

template <class T, class Scorer>
int score_rows(const Rows<T>& rows, const Rows<T>* bias, const T* center, std::size_t tiles,
               const Destination<T>& to, Scorer& scorer) {
    Workspace<T> space(rows.n, rows.d, to.k, tiles * tile_rows<T>, Scorer::biased);
    int problems = 0;
    for (std::size_t first = 0, count; first < rows.n; first += count) {
        // Whole blocks, so that only the last tile of all has to be filled up.
        const std::size_t blocks = (scorer.next_group(rows) - 1) / space.rows_at_once + 1;
        count = std::min(blocks * space.rows_at_once, rows.n - first);
        const Rows<T> group = rows_from(rows, first, count);
        Rows<T> added{};
        if constexpr (Scorer::biased) added = rows_from(*bias, first, count);
        const bool consecutive = !order_group(group, added, space.order.data(), scorer);
        problems |= score_group(group, added, consecutive, center, space, to.from(first), scorer);
        // Rows that are not numbers come before all else, as in the reference.
        if (problems & not_finite) return not_finite;
    }
    return problems & impossible ? impossible : problems;
}

// run(std::true_type) if there is a bias, otherwise run(std::false_type), which is the same code as
// without support for it.
template <class T, class Run>
int with_or_without(const Rows<T>* bias, Run run) {
    return bias ? run(std::true_type{}) : run(std::false_type{});
}

template <class T>
int score_linear(const Linear<T>& form, const Rows<T>& rows, const Rows<T>* bias, Task task,
                 T* values, std::int64_t* labels) {
    const std::size_t tiles = tiles_of_block<T>(rows.n, form.d, form.k);
    const Destination<T> to{task, form.k, values, labels};
    return with_or_without(bias, [&](auto biased) {
        FeaturewiseScorer<T, LinearTerm<T>, biased> scorer{{form}};
        return score_rows(rows, bias, form.center, tiles, to, scorer);
    });
}

template <class T>
int score_quadratic(const Quadratic<T>& form, const Rows<T>& rows, const Rows<T>* bias, Task task,
                    bool prune, T* values, std::int64_t* labels) {
    const std::size_t tiles = tiles_of_block<T>(rows.n, form.d, form.k);
    const Destination<T> to{task, form.k, values, labels};
    return with_or_without(bias, [&](auto biased) {
        if (form.diagonal && form.remainder) {
            FeaturewiseScorer<T, DiagonalTerm<T, true>, biased> scorer{{form}};
            return score_rows(rows, bias, form.center, tiles, to, scorer);
        }
        if (form.diagonal) {
            FeaturewiseScorer<T, DiagonalTerm<T, false>, biased> scorer{{form}};
            return score_rows(rows, bias, form.center, tiles, to, scorer);
        }
        FullScorer<T, biased> scorer(form, task, prune, tiles);
        return score_rows(rows, bias, form.center, tiles, to, scorer);
    });
}

template <class T>
int score_whitened(const Whitened<T>& form, const Rows<T>& rows, const Rows<T>* bias, Task task,
                   T* values, std::int64_t* labels) {
    const std::size_t tiles = tiles_of_block<T>(rows.n, form.d, form.k);
    const Destination<T> to{task, form.k, values, labels};
    return with_or_without(bias, [&](auto biased) {
        WhitenedScorer<T, biased> scorer(form);
        return score_rows(rows, bias, form.center, tiles, to, scorer);
    });
}
