// Compiled once for each instruction set, with GAUSSBAYES_VARIANT naming the namespace.
//
// Everything the kernels use is inside that namespace: an inline function shared between two
// variants would be merged by the linker, and a machine without AVX-512 would run its AVX-512 copy.
#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#define GAUSSBAYES_STRING_(name) #name
#define GAUSSBAYES_STRING(name) GAUSSBAYES_STRING_(name)

namespace gaussbayes {
namespace GAUSSBAYES_VARIANT {

#include "simd.hpp"

#include "subblock.hpp"
#include "panels.hpp"
#include "accumulate.hpp"
#include "merge.hpp"

#include "exponential.hpp"
#include "tile.hpp"
#include "fill.hpp"
#include "normalise.hpp"
#include "featurewise.hpp"
#include "triangle.hpp"
#include "groups.hpp"
#include "full.hpp"
#include "whitened.hpp"
#include "score.hpp"
#include "masked.hpp"

#include "factor.hpp"
#include "hidden.hpp"
#include "encode.hpp"
#include "pairs.hpp"

template <class T>
TypedKernels<T> typed_kernels() {
    return {accumulate<T>, packed_size<T>, pack<T>, score_quadratic<T>, score_linear<T>,
            score_whitened<T>};
}

const Kernels& kernels() {
    static const Kernels table{GAUSSBAYES_STRING(GAUSSBAYES_VARIANT), typed_kernels<float>(),
                               typed_kernels<double>(), score_masked, factor, complete,
                               spread, merge, renumber, encode,
                               score_pairs, score_pairs_without};
    return table;
}

}  // namespace GAUSSBAYES_VARIANT
}  // namespace gaussbayes
