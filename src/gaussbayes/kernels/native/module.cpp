// Bindings: arrays in, arrays out. The GIL is released around every kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef _WIN32
#include <intrin.h>
#endif

#include "kernels.hpp"

namespace nb = nanobind;
using namespace gaussbayes;

namespace {

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

#ifdef GAUSSBAYES_X86
#ifdef _WIN32
// Instruction sets of the processor that the system supports: GCC and Clang detect them by a
// library that clang-cl does not link.
struct Processor {
    bool avx2 = false, avx512 = false;

    Processor() {
        int basic[4], extended[4];
        __cpuid(basic, 0);
        if (basic[0] < 7) return;
        __cpuid(basic, 1);
        __cpuidex(extended, 7, 0);
        const auto has = [](int word, int bit) { return (word >> bit & 1) != 0; };
        if (!has(basic[2], 27)) return;  // OSXSAVE
        const unsigned long long saved = _xgetbv(0);
        avx2 = (saved & 0x6) == 0x6 && has(basic[2], 12) && has(extended[1], 5);
        avx512 = avx2 && (saved & 0xe6) == 0xe6 && has(extended[1], 16) && has(extended[1], 17) &&
                 has(extended[1], 30) && has(extended[1], 31);
    }
};
#else
struct Processor {
    bool avx2, avx512;

    Processor() {
        __builtin_cpu_init();
        avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
        avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    }
};
#endif
#endif

// The kernels of the widest instruction set of this processor, or of the requested one.
const Kernels* choose(const std::string& wanted) {
#ifdef GAUSSBAYES_X86
    const Processor processor;
    const bool has_avx2 = processor.avx2, has_avx512 = processor.avx512;
    if (has_avx512 && (wanted.empty() || wanted == "avx512")) return &avx512::kernels();
    if (has_avx2 && (wanted.empty() || wanted == "avx2")) return &avx2::kernels();
#endif
    if (wanted.empty() || wanted == "baseline") return &baseline::kernels();
    return nullptr;
}

const Kernels* active = choose("");

template <class T>
const TypedKernels<T>& typed();
template <>
const TypedKernels<float>& typed<float>() {
    return active->narrow;
}
template <>
const TypedKernels<double>& typed<double>() {
    return active->wide;
}

void use_instruction_set(const std::string& name) {
    const Kernels* found = choose(name);
    if (found == nullptr) throw std::invalid_argument("this processor or build has no " + name);
    active = found;
}

template <class T>
Rows<T> rows_of(const Table<T>& X) {
    return {X.data(), X.stride(0), X.stride(1), X.shape(0), X.shape(1)};
}

void expect(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

Layout layout_of(const std::string& name) {
    return name == "full" ? Layout::full : name == "pooled" ? Layout::pooled : Layout::diagonal;
}

std::size_t scatter_size(Layout layout, std::size_t k, std::size_t d) {
    return layout == Layout::full ? k * d * d : layout == Layout::pooled ? d * d : k * d;
}

template <class T>
void accumulate_rows(const Rows<T>& rows, Vector<std::int32_t> codes, nb::object weights,
                     std::size_t k, const std::string& layout, Output<double> weight,
                     Output<double> anchor, Output<double> offset, Output<double> scatter) {
    const double* weight_of_row = nullptr;
    Vector<double> given;
    if (!weights.is_none()) {
        given = nb::cast<Vector<double>>(weights);
        expect(given.shape(0) == rows.n, "weights must have one entry a row");
        weight_of_row = given.data();
    }
    const std::size_t d = rows.d;
    const Layout kept = layout_of(layout);
    expect(codes.shape(0) == rows.n, "codes must have one entry a row");
    expect(weight.size() == k && anchor.size() == k * d && offset.size() == k * d &&
               scatter.size() == scatter_size(kept, k, d),
           "outputs have the wrong size");
    const Moments moments{weight.data(), anchor.data(), offset.data(), scatter.data()};
    const auto& kernels = typed<T>();
    nb::gil_scoped_release released;
    // All at once, so that the loop is vectorised; a negative code becomes a huge one.
    std::uint32_t highest = 0;
    for (std::size_t i = 0; i < rows.n; ++i)
        highest = std::max(highest, static_cast<std::uint32_t>(codes.data()[i]));
    expect(rows.n == 0 || highest < k, "a code is not a class code");
    kernels.accumulate(rows, codes.data(), weight_of_row, k, kept, moments);
}

template <class T>
void accumulate(Table<T> X, Vector<std::int32_t> codes, nb::object weights, std::size_t k,
                const std::string& layout, Output<double> weight, Output<double> anchor,
                Output<double> offset, Output<double> scatter) {
    accumulate_rows(rows_of(X), codes, weights, k, layout, weight, anchor, offset, scatter);
}

template <class T>
void accumulate_columns(const std::vector<Vector<T>>& columns, Vector<std::int32_t> codes,
                        nb::object weights, std::size_t k, const std::string& layout,
                        Output<double> weight, Output<double> anchor, Output<double> offset,
                        Output<double> scatter) {
    std::vector<const T*> apart;
    for (const Vector<T>& column : columns) {
        expect(column.shape(0) == codes.shape(0), "columns must have one entry a row");
        apart.push_back(column.data());
    }
    expect(!apart.empty(), "there must be columns");
    const Rows<T> rows{apart[0], 1, 0, codes.shape(0), apart.size(), apart.data()};
    accumulate_rows(rows, codes, weights, k, layout, weight, anchor, offset, scatter);
}

// Weight, anchor, offset and scatter, which must have k classes and d features.
template <class T>
struct MomentArrays {
    Output<T> weight, anchor, offset, scatter;

    MomentArrays(nb::tuple arrays, std::size_t k, std::size_t d, Layout layout) {
        expect(arrays.size() == 4, "moments are four arrays");
        weight = nb::cast<Output<T>>(arrays[0], false);
        anchor = nb::cast<Output<T>>(arrays[1], false);
        offset = nb::cast<Output<T>>(arrays[2], false);
        scatter = nb::cast<Output<T>>(arrays[3], false);
        expect(weight.size() == k && anchor.size() == k * d && offset.size() == k * d &&
                   scatter.size() == scatter_size(layout, k, d),
               "moments have the wrong size");
    }
    MomentsOf<T> get() const {
        return {weight.data(), anchor.data(), offset.data(), scatter.data()};
    }
};

void merge(nb::tuple a, nb::tuple b, std::size_t k, std::size_t d, const std::string& layout,
           nb::tuple to) {
    const Layout kept = layout_of(layout);
    const MomentArrays<const double> first(a, k, d, kept), second(b, k, d, kept);
    const MomentArrays<double> sum(to, k, d, kept);
    const auto kernel = active->merge;
    nb::gil_scoped_release released;
    kernel(first.get(), second.get(), k, d, kept, sum.get());
}

template <class T>
void pack(Matrix<T> triangle, Output<T> packed) {
    const std::size_t d = triangle.shape(0);
    expect(triangle.shape(1) == d, "a triangle must be square");
    expect(packed.size() == typed<T>().packed_size(d), "the packed triangle has the wrong size");
    typed<T>().pack(triangle.data(), d, packed.data());
}

Task task_of(const std::string& name) {
    if (name == "log_joint" || name == "log_ratio") return Task::log_joint;
    if (name == "log_posterior") return Task::log_posterior;
    if (name == "posterior") return Task::posterior;
    expect(name == "label", "unknown task");
    return Task::label;
}

template <class T>
struct Answer {
    T* values = nullptr;
    std::int64_t* labels = nullptr;

    Answer(nb::object out, Task task, std::size_t n, std::size_t k) {
        if (task == Task::label) {
            auto array = nb::cast<Output<std::int64_t>>(out, false);
            expect(array.size() == n, "labels must have one entry a row");
            labels = array.data();
        } else {
            auto array = nb::cast<Output<T>>(out, false);
            expect(array.size() == n * k, "scores must have one entry a row and class");
            values = array.data();
        }
    }
};

// The bias of the log joints: none, or a table (n, k).
template <class T>
struct Bias {
    Table<T> table;  // keeps the array alive
    Rows<T> rows{};
    bool given = false;

    Bias(nb::object bias, std::size_t n, std::size_t k) {
        if (bias.is_none()) return;
        table = nb::cast<Table<T>>(bias, false);
        expect(table.shape(0) == n && table.shape(1) == k,
               "a bias must have one entry a row and class");
        rows = rows_of(table);
        given = true;
    }
    const Rows<T>* get() const { return given ? &rows : nullptr; }
};

// The remainders of the means, k d of them, or null if there are none.
template <class T>
const T* remainder_of(Vector<T> remainder, std::size_t k, std::size_t d) {
    expect(remainder.size() == k * d || remainder.size() == 0, "remainders do not match");
    return remainder.size() == 0 ? nullptr : remainder.data();
}

template <class T>
int score_quadratic(Table<T> X, Vector<T> center, Matrix<T> offset, Vector<T> remainder,
                    Vector<T> whitener, Vector<T> log_constant, bool diagonal, bool shared, const std::string& task,
                    bool prune, nb::object out, nb::object bias) {
    const std::size_t d = center.shape(0), k = offset.shape(0);
    const std::size_t each = diagonal ? d : typed<T>().packed_size(d);
    expect(X.shape(1) == d && offset.shape(1) == d, "features do not match");
    expect(log_constant.shape(0) == k, "classes do not match");
    expect(whitener.size() == each * (shared ? 1 : k), "whiteners have the wrong size");
    const Task wanted = task_of(task);
    const Answer<T> answer(out, wanted, X.shape(0), k);
    const Bias<T> added(bias, X.shape(0), k);
    const Quadratic<T> form{d,
                            k,
                            diagonal,
                            shared,
                            center.data(),
                            offset.data(),
                            remainder_of(remainder, k, d),
                            whitener.data(),
                            log_constant.data()};
    const Rows<T> rows = rows_of(X);
    const auto& kernels = typed<T>();
    nb::gil_scoped_release released;
    return kernels.score_quadratic(form, rows, added.get(), wanted, prune, answer.values,
                                   answer.labels);
}

template <class T>
int score_linear(Table<T> X, Vector<T> center, Matrix<T> coefficient, Vector<T> log_constant,
                 const std::string& task, nb::object out, nb::object bias) {
    const std::size_t d = center.shape(0), k = coefficient.shape(0);
    expect(X.shape(1) == d && coefficient.shape(1) == d, "features do not match");
    expect(log_constant.shape(0) == k, "classes do not match");
    const Task wanted = task_of(task);
    const Answer<T> answer(out, wanted, X.shape(0), k);
    const Bias<T> added(bias, X.shape(0), k);
    const Linear<T> form{d, k, center.data(), coefficient.data(), log_constant.data()};
    const Rows<T> rows = rows_of(X);
    const auto& kernels = typed<T>();
    nb::gil_scoped_release released;
    return kernels.score_linear(form, rows, added.get(), wanted, answer.values, answer.labels);
}

template <class T>
int score_whitened(Table<T> X, Vector<T> center, Matrix<T> mean, Vector<T> whitener,
                   Vector<T> log_constant, const std::string& task, nb::object out,
                   nb::object bias) {
    const std::size_t d = center.shape(0), k = mean.shape(0);
    expect(X.shape(1) == d && mean.shape(1) == d, "features do not match");
    expect(log_constant.shape(0) == k, "classes do not match");
    expect(whitener.size() == typed<T>().packed_size(d), "the whitener has the wrong size");
    const Task wanted = task_of(task);
    const Answer<T> answer(out, wanted, X.shape(0), k);
    const Bias<T> added(bias, X.shape(0), k);
    const Whitened<T> form{d, k, center.data(), mean.data(), whitener.data(), log_constant.data()};
    const Rows<T> rows = rows_of(X);
    const auto& kernels = typed<T>();
    nb::gil_scoped_release released;
    return kernels.score_whitened(form, rows, added.get(), wanted, answer.values, answer.labels);
}

int score_masked(Table<double> X, Vector<double> center, Matrix<double> offset,
                 Vector<double> remainder, Matrix<double> scale, Vector<double> correlation, Matrix<double> log_feature,
                 Vector<double> log_constant, bool density, const std::string& task,
                 nb::object out, nb::object bias) {
    const std::size_t d = center.shape(0), k = offset.shape(0), own = scale.shape(0);
    expect(X.shape(1) == d && offset.shape(1) == d && scale.shape(1) == d &&
               log_feature.shape(1) == d,
           "features do not match");
    expect(log_constant.shape(0) == k && (own == k || own == 1) && log_feature.shape(0) == own,
           "classes do not match");
    const bool diagonal = correlation.size() == 0;
    expect(diagonal || correlation.size() == own * d * d, "correlations have the wrong size");
    const Task wanted = task_of(task);
    const Answer<double> answer(out, wanted, X.shape(0), k);
    const Bias<double> added(bias, X.shape(0), k);
    const Masked form{d,
                      k,
                      diagonal,
                      own < k,
                      density,
                      center.data(),
                      offset.data(),
                      remainder_of(remainder, k, d),
                      scale.data(),
                      correlation.data(),
                      log_feature.data(),
                      log_constant.data()};
    const Rows<double> rows = rows_of(X);
    const auto kernel = active->score_masked;
    nb::gil_scoped_release released;
    return kernel(form, rows, added.get(), wanted, answer.values, answer.labels);
}

void factor(nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> covariances,
            Output<double> whiteners, Output<double> log_det, Output<double> unexplained) {
    const std::size_t m = covariances.shape(0), d = covariances.shape(1);
    expect(covariances.shape(2) == d && whiteners.size() == m * d * d && log_det.size() == m &&
               unexplained.size() == m,
           "outputs have the wrong size");
    const auto kernel = active->factor;
    nb::gil_scoped_release released;
    for (std::size_t c = 0; c < m; ++c)
        kernel(covariances.data() + c * d * d, d, whiteners.data() + c * d * d, log_det.data()[c],
               unexplained.data()[c]);
}

// Whether all of the columns (cells, most) are among d, with -1 after the last of a cell.
bool are_columns(const Matrix<std::int64_t>& columns, std::size_t d) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::int64_t column = columns.data()[i];
        if (column < -1 || column >= static_cast<std::int64_t>(d)) return false;
    }
    return true;
}

// Whether every point belongs to one of this number of cells.
bool are_cells(const Vector<std::int64_t>& cell, std::size_t cells) {
    for (std::size_t q = 0; q < cell.size(); ++q)
        if (cell.data()[q] < 0 || cell.data()[q] >= static_cast<std::int64_t>(cells)) return false;
    return true;
}

void complete(Matrix<double> transposed, Matrix<std::int64_t> columns, Vector<std::int64_t> cell,
              Output<double> points, Output<double> covariance, Output<double> log_det,
              Output<double> squares) {
    const std::size_t d = transposed.shape(0), cells = columns.shape(0), most = columns.shape(1);
    const std::size_t n = cell.shape(0);
    expect(transposed.shape(1) == d && covariance.size() == cells * most * most &&
               log_det.size() == cells && points.size() == n * d && squares.size() == n,
           "arrays have the wrong size");
    const auto kernel = active->complete;
    nb::gil_scoped_release released;
    expect(are_columns(columns, d), "a column is not a feature");
    expect(are_cells(cell, cells) && std::is_sorted(cell.data(), cell.data() + n),
           "points must be of cells, in the order of these");
    kernel(transposed.data(), d, columns.data(), cells, most, cell.data(), n, points.data(),
           covariance.data(), log_det.data(), squares.data());
}

void spread(nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> covariance,
            Matrix<std::int64_t> columns, Vector<double> weight, Output<double> to) {
    const std::size_t cells = columns.shape(0), most = columns.shape(1), d = to.shape(0);
    expect(covariance.size() == cells * most * most && weight.size() == cells && to.size() == d * d,
           "arrays have the wrong size");
    const auto kernel = active->spread;
    nb::gil_scoped_release released;
    expect(are_columns(columns, d), "a column is not a feature");
    kernel(covariance.data(), columns.data(), cells, most, weight.data(), d, to.data());
}

bool encode(Vector<std::int64_t> labels, std::int64_t lowest, Output<std::int32_t> codes,
            Output<bool> present) {
    const std::size_t n = labels.shape(0), span = present.size();
    expect(codes.size() == n, "codes must have one entry a label");
    const auto kernel = active->encode;
    nb::gil_scoped_release released;
    return kernel(labels.data(), n, lowest, span, codes.data(), present.data());
}

void renumber(Output<std::int32_t> codes, Vector<std::int32_t> numbers) {
    const auto kernel = active->renumber;
    nb::gil_scoped_release released;
    expect(kernel(codes.data(), codes.size(), numbers.data(), numbers.size()),
           "a code has no number");
}

void score_pairs(Matrix<std::int32_t> codes,
                 nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> table,
                 double share, Output<double> out) {
    const std::size_t n = codes.shape(0), d = codes.shape(1), size = table.shape(0);
    const std::size_t k = table.shape(2);
    expect(table.shape(1) == size && out.size() == n * k, "arrays have the wrong size");
    const auto kernel = active->score_pairs;
    nb::gil_scoped_release released;
    expect(kernel(codes.data(), n, d, table.data(), size, k, share, out.data()),
           "a level is not in the table");
}

void score_pairs_without(Matrix<std::int32_t> codes, Vector<std::int64_t> own, Vector<double> lost,
                         nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> count,
                         nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> beside,
                         Matrix<double> observed, Vector<double> n_levels, Vector<double> backoffs,
                         bool exact, double smallest, Output<double> out, Output<bool> reliable) {
    const std::size_t n = codes.shape(0), d = codes.shape(1), s = backoffs.shape(0);
    const std::size_t k = count.shape(0), size = count.shape(1);
    expect(count.shape(2) == size && beside.shape(0) == k && beside.shape(1) == size &&
               beside.shape(2) == d && observed.shape(0) == k && observed.shape(1) == d &&
               n_levels.shape(0) == d && own.shape(0) == n && lost.shape(0) == n &&
               out.size() == s * n && reliable.size() == n,
           "arrays have the wrong size");
    const auto kernel = active->score_pairs_without;
    nb::gil_scoped_release released;
    expect(kernel(codes.data(), own.data(), lost.data(), n, d, count.data(), beside.data(),
                  observed.data(), n_levels.data(), size, k, backoffs.data(), s, exact, smallest,
                  out.data(), reliable.data()),
           "a level or a class is not in the table");
}

template <class T>
void bind(nb::module_& m) {
    m.def("accumulate", &accumulate<T>, nb::arg("X").noconvert(), nb::arg("codes").noconvert(),
          nb::arg("weights").none(), nb::arg("n_classes"), nb::arg("layout"),
          nb::arg("weight").noconvert(), nb::arg("anchor").noconvert(),
          nb::arg("offset").noconvert(), nb::arg("scatter").noconvert());
    m.def("accumulate_columns", &accumulate_columns<T>, nb::arg("columns").noconvert(),
          nb::arg("codes").noconvert(), nb::arg("weights").none(), nb::arg("n_classes"),
          nb::arg("layout"), nb::arg("weight").noconvert(), nb::arg("anchor").noconvert(),
          nb::arg("offset").noconvert(), nb::arg("scatter").noconvert());
    m.def("pack", &pack<T>, nb::arg("triangle").noconvert(), nb::arg("packed").noconvert());
    m.def("score_quadratic", &score_quadratic<T>, nb::arg("X").noconvert(),
          nb::arg("center").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("remainder").noconvert(), nb::arg("whitener").noconvert(), nb::arg("log_constant").noconvert(), nb::arg("diagonal"),
          nb::arg("shared"), nb::arg("task"), nb::arg("prune"), nb::arg("out"),
          nb::arg("bias").none());
    m.def("score_linear", &score_linear<T>, nb::arg("X").noconvert(), nb::arg("center").noconvert(),
          nb::arg("coefficient").noconvert(), nb::arg("log_constant").noconvert(), nb::arg("task"),
          nb::arg("out"), nb::arg("bias").none());
    m.def("score_whitened", &score_whitened<T>, nb::arg("X").noconvert(),
          nb::arg("center").noconvert(), nb::arg("mean").noconvert(),
          nb::arg("whitener").noconvert(), nb::arg("log_constant").noconvert(), nb::arg("task"),
          nb::arg("out"), nb::arg("bias").none());
}

}  // namespace

NB_MODULE(_native, m) {
    m.def("instruction_set", [] { return std::string(active->instruction_set); });
    m.def("use_instruction_set", &use_instruction_set, nb::arg("name"));
    m.def("encode", &encode, nb::arg("labels").noconvert(), nb::arg("lowest"),
          nb::arg("codes").noconvert(), nb::arg("present").noconvert());
    m.def("merge", &merge, nb::arg("a"), nb::arg("b"), nb::arg("n_classes"), nb::arg("n_features"),
          nb::arg("layout"), nb::arg("to"));
    m.def("renumber", &renumber, nb::arg("codes").noconvert(), nb::arg("numbers").noconvert());
    m.def("score_masked", &score_masked, nb::arg("X").noconvert(), nb::arg("center").noconvert(),
          nb::arg("offset").noconvert(), nb::arg("remainder").noconvert(),
          nb::arg("scale").noconvert(),
          nb::arg("correlation").noconvert(), nb::arg("log_feature").noconvert(),
          nb::arg("log_constant").noconvert(), nb::arg("density"), nb::arg("task"), nb::arg("out"),
          nb::arg("bias").none());
    m.def("factor", &factor, nb::arg("covariances").noconvert(), nb::arg("whiteners").noconvert(),
          nb::arg("log_det").noconvert(), nb::arg("unexplained").noconvert());
    m.def("complete", &complete, nb::arg("transposed").noconvert(),
          nb::arg("columns").noconvert(), nb::arg("cell").noconvert(),
          nb::arg("points").noconvert(), nb::arg("covariance").noconvert(),
          nb::arg("log_det").noconvert(), nb::arg("squares").noconvert());
    m.def("spread", &spread, nb::arg("covariance").noconvert(), nb::arg("columns").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("to").noconvert());
    m.def("score_pairs", &score_pairs, nb::arg("codes").noconvert(), nb::arg("table").noconvert(),
          nb::arg("share"), nb::arg("out").noconvert());
    m.def("score_pairs_without", &score_pairs_without, nb::arg("codes").noconvert(),
          nb::arg("own").noconvert(), nb::arg("lost").noconvert(), nb::arg("count").noconvert(),
          nb::arg("beside").noconvert(), nb::arg("observed").noconvert(),
          nb::arg("n_levels").noconvert(), nb::arg("backoffs").noconvert(), nb::arg("exact"),
          nb::arg("smallest"), nb::arg("out").noconvert(), nb::arg("reliable").noconvert());
    m.def("packed_size", [](std::size_t d, bool narrow) {
        return narrow ? active->narrow.packed_size(d) : active->wide.packed_size(d);
    });
    bind<float>(m);
    bind<double>(m);
}
