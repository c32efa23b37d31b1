// From the log joints of a tile to the requested output: the one normaliser of the native kernels.
// Included inside the variant's namespace: it must include nothing itself.

// The outputs: values (n, k) or labels (n).
template <class T>
struct Destination {
    Task task;
    std::size_t k;
    T* values;
    std::int64_t* labels;

    Destination from(std::size_t row) const {
        return {task, k, values ? values + row * k : nullptr, labels ? labels + row : nullptr};
    }
};

// A sum of squares that is NaN has overflowed with both signs: it is infinite.
template <class T>
inline Vec<T> quadratic_log_joint(T log_constant, Vec<T> square) {
    const Vec<T> nothing = broadcast(-std::numeric_limits<T>::infinity());
    return square >= T(0) ? log_constant - square * T(0.5) : nothing;
}

// The largest log joint of each row, the first class that has it, and whether all of a row's are
// numbers and its largest finite.
template <class T>
struct Top {
    Lanes<T> value;
    Mask<T> label[tile_vectors];
    bool sound;
};

template <class T>
ALWAYS_INLINE Top<T> top_of(const T* log_joint, std::size_t k) {
    constexpr T largest = std::numeric_limits<T>::max();
    Top<T> top = {load_lanes(log_joint), {}, false};
    Mask<T> sound[tile_vectors];
    for (std::size_t v = 0; v < tile_vectors; ++v) sound[v] = top.value.part[v] <= largest;
    for (std::size_t c = 1; c < k; ++c) {
        const Lanes<T> x = load_lanes(log_joint + c * tile_rows<T>);
        const Mask<T> number = Mask<T>{} + static_cast<std::int32_t>(c);
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            Vec<T>& highest = top.value.part[v];
            const Mask<T> higher = x.part[v] > highest;
            highest = higher ? x.part[v] : highest;
            top.label[v] = higher ? number : top.label[v];
            sound[v] &= x.part[v] <= largest;
        }
    }
    Mask<T> all = sound[0];
    for (std::size_t v = 0; v < tile_vectors; ++v)
        all &= sound[v] & (top.value.part[v] >= -largest);
    top.sound = every_lane<T>(all);
    return top;
}

// exp(log_joint - top) / sum, in place.
template <class T>
void to_posterior(T* log_joint, std::size_t k, const Lanes<T>& top) {
    Lanes<T> total = {};
    for (std::size_t c = 0; c < k; ++c) {
        Lanes<T> x = load_lanes(log_joint + c * tile_rows<T>);
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            x.part[v] = exponential<T>(x.part[v] - top.part[v]);
            total.part[v] += x.part[v];
        }
        store_lanes(log_joint + c * tile_rows<T>, x);
    }
    for (Vec<T>& part : total.part) part = T(1) / part;
    for (std::size_t c = 0; c < k; ++c) {
        Lanes<T> x = load_lanes(log_joint + c * tile_rows<T>);
        for (std::size_t v = 0; v < tile_vectors; ++v) x.part[v] *= total.part[v];
        store_lanes(log_joint + c * tile_rows<T>, x);
    }
}

// The logarithm of a row's sum: its largest term, 1, and the others. log1p keeps all digits of a
// log posterior near 0; in single precision its accuracy is that of the posterior.
inline double log_of_sum(double others) { return std::log1p(others); }
inline float log_of_sum(float others) { return std::log(1.0f + others); }

// (log_joint - top) - log(sum), in place.
template <class T>
void to_log_posterior(T* log_joint, std::size_t k, const Lanes<T>& top) {
    Lanes<T> others = {};
    Mask<T> seen[tile_vectors] = {};
    for (std::size_t c = 0; c < k; ++c) {
        Lanes<T> x = load_lanes(log_joint + c * tile_rows<T>);
        for (std::size_t v = 0; v < tile_vectors; ++v) {
            x.part[v] -= top.part[v];
            const Mask<T> own = (x.part[v] == T(0)) & ~seen[v];
            seen[v] |= own;
            others.part[v] += own ? Vec<T>{} : exponential<T>(x.part[v]);
        }
        store_lanes(log_joint + c * tile_rows<T>, x);
    }
    T log_total[tile_rows<T>];
    store_lanes(log_total, others);
    for (T& each : log_total) each = log_of_sum(each);
    const Lanes<T> less = load_lanes(log_total);
    for (std::size_t c = 0; c < k; ++c) {
        Lanes<T> x = load_lanes(log_joint + c * tile_rows<T>);
        for (std::size_t v = 0; v < tile_vectors; ++v) x.part[v] -= less.part[v];
        store_lanes(log_joint + c * tile_rows<T>, x);
    }
}

// One label a lane.
inline void store_labels(std::int64_t* to, Mask<double> label) {
    std::memcpy(to, &label, sizeof label);
}
inline void store_labels(std::int64_t* to, Mask<float> label) {
    for (std::size_t l = 0; l < lanes<float>; ++l) to[l] = label[l];
}

// Rows of a whole tile may follow one another.
template <class T>
void write_labels(const Mask<T>* label, const std::uint32_t* row, std::size_t count,
                  bool consecutive, std::int64_t* labels) {
    if (consecutive) {
        for (std::size_t v = 0; v < tile_vectors; ++v)
            store_labels(labels + row[0] + v * lanes<T>, label[v]);
        return;
    }
    for (std::size_t r = 0; r < count; ++r) labels[row[r]] = label[r / lanes<T>][r % lanes<T>];
}

template <class T>
void write_values(const T* values, std::size_t k, const std::uint32_t* row, std::size_t count,
                  T* out) {
    for (std::size_t r = 0; r < count; ++r) {
        T* own = out + row[r] * k;
        for (std::size_t c = 0; c < k; ++c) own[c] = values[c * tile_rows<T> + r];
    }
}

// Writes the outputs for `count` rows of a tile, whose log joints (k, tile_rows) are overwritten.
// False if a row's largest log joint is not finite, or one of them not a number.
template <class T>
bool write_answers(T* log_joint, const std::uint32_t* row, std::size_t count, bool consecutive,
                   const Destination<T>& to) {
    const Top<T> top = top_of(log_joint, to.k);
    if (to.task == Task::label) {
        write_labels<T>(top.label, row, count, consecutive, to.labels);
        return top.sound;
    }
    if (to.task == Task::posterior) to_posterior(log_joint, to.k, top.value);
    if (to.task == Task::log_posterior) to_log_posterior(log_joint, to.k, top.value);
    write_values(log_joint, to.k, row, count, to.values);
    return top.sound;
}
