// Rows to log joints, posteriors or labels: blocks of rows that stay in the cache, one after another.
// Included inside the variant's namespace: it must include nothing itself.

// Linear forms and diagonal quadratic ones.
template <class T, class Term>
struct FeaturewiseScorer {
    Term term;

    bool order(const Rows<T>& group, std::uint32_t* row) const {
        for (std::size_t r = 0; r < group.n; ++r) row[r] = static_cast<std::uint32_t>(r);
        return false;
    }
    void score(const Selection& selection, const T* tile, T* log_joint) const {
        score_featurewise(term, selection.tiles, tile, log_joint);
    }
};

// How many tiles are worked on together: their rows, and their log joints, fit in a half of the
// second-level cache. More than a few hundred rows bring nothing.
template <class T>
std::size_t tiles_of_block(std::size_t n, std::size_t d, std::size_t k) {
    constexpr std::size_t cache = 400 << 10, most_rows = 480;
    const std::size_t fitting = cache / (sizeof(T) * tile_rows<T> * std::max(d, k));
    const std::size_t needed = (std::min(n, most_rows) + tile_rows<T> - 1) / tile_rows<T>;
    return std::max(std::min(fitting, needed), std::size_t{1});
}

// Why a tile had a row without a finite largest log joint.
template <class T>
int diagnose(const Rows<T>& rows, const std::uint32_t* row, std::size_t count, Task task) {
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t j = 0; j < rows.d; ++j)
            if (!std::isfinite(row_of(rows, row[r])[static_cast<std::ptrdiff_t>(j) * rows.column_stride]))
                return not_finite;
    return task == Task::log_joint ? 0 : out_of_range;
}

// Scores the rows of a group, block by block, in the order given.
template <class T, class Scorer>
int score_group(const Rows<T>& group, const std::uint32_t* order, bool consecutive, const T* center,
                std::size_t tiles_at_once, T* tiles, T* log_joint, const Destination<T>& to,
                Scorer& scorer) {
    int problems = 0;
    const std::size_t rows_at_once = tiles_at_once * tile_rows<T>;
    for (std::size_t first = 0; first < group.n; first += rows_at_once) {
        const std::size_t count = std::min(rows_at_once, group.n - first);
        const Selection block{order + first, (count + tile_rows<T> - 1) / tile_rows<T>, count,
                              consecutive ? count / tile_rows<T> : 0};
        fill_tiles(group, block, center, tiles);
        scorer.score(block, tiles, log_joint);
        for (std::size_t t = 0; t < block.tiles; ++t) {
            const std::uint32_t* row = block.row + t * tile_rows<T>;
            const std::size_t own = std::min(tile_rows<T>, count - t * tile_rows<T>);
            if (!write_answers(log_joint + t * to.k * tile_rows<T>, row, own, to))
                problems |= diagnose(group, row, own, to.task);
        }
        if (problems & not_finite) break;
    }
    return problems;
}

template <class T, class Scorer>
int score_rows(const Rows<T>& rows, const T* center, std::size_t tiles_at_once,
               const Destination<T>& to, Scorer& scorer) {
    const std::size_t rows_at_once = tiles_at_once * tile_rows<T>;
    const std::size_t blocks = std::min(rows_of_group(rows), rows.n) / rows_at_once + 1;
    const std::size_t step = blocks * rows_at_once;
    Block<T> tiles(rows_at_once * rows.d), log_joint(rows_at_once * to.k);
    Block<std::uint32_t> order(step);
    int problems = 0;
    for (std::size_t first = 0; first < rows.n; first += step) {
        const T* data = rows.data + static_cast<std::ptrdiff_t>(first) * rows.row_stride;
        const std::size_t count = std::min(step, rows.n - first);
        const Rows<T> group{data, rows.row_stride, rows.column_stride, count, rows.d};
        const bool consecutive = !scorer.order(group, order.data());
        const std::size_t full = (count + tile_rows<T> - 1) / tile_rows<T> * tile_rows<T>;
        std::fill(&order[count], order.data() + full, order[count - 1]);
        problems |= score_group(group, order.data(), consecutive, center, tiles_at_once, tiles.data(),
                                log_joint.data(), to.from(first), scorer);
        // Rows that are not numbers come before all else, as in the reference.
        if (problems & not_finite) return not_finite;
    }
    return problems;
}

template <class T>
int score_linear(const Linear<T>& form, const Rows<T>& rows, Task task, T* values,
                 std::int64_t* labels) {
    FeaturewiseScorer<T, LinearTerm<T>> scorer{{form}};
    return score_rows(rows, form.center, tiles_of_block<T>(rows.n, form.d, form.k),
                      Destination<T>{task, form.k, values, labels}, scorer);
}

template <class T>
int score_quadratic(const Quadratic<T>& form, const Rows<T>& rows, Task task, bool prune, T* values,
                    std::int64_t* labels) {
    const std::size_t tiles = tiles_of_block<T>(rows.n, form.d, form.k);
    const Destination<T> to{task, form.k, values, labels};
    if (form.diagonal) {
        FeaturewiseScorer<T, DiagonalTerm<T>> scorer{{form}};
        return score_rows(rows, form.center, tiles, to, scorer);
    }
    FullScorer<T> scorer(form, task, prune, tiles);
    return score_rows(rows, form.center, tiles, to, scorer);
}
