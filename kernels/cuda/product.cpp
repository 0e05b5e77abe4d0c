// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/product.h"

#include <utility>

namespace mantissa::cuda {
namespace {

Matrices stored(std::int64_t rows, std::int64_t cols, bool isTransposed) {
    if (isTransposed) std::swap(rows, cols);
    return {rows, cols, 1, {cols, rows * cols, rows * cols}};
}
Matrices stored(std::int64_t rows, std::int64_t cols, bool isTransposed, const BatchStrides& strides, std::int64_t divisor) {
    if (isTransposed) std::swap(rows, cols);
    return {rows, cols, divisor, strides};
}

}  // namespace

Product::Product(const MatmulDesc& d)
    : m(d.m),
      n(d.n),
      k(d.k),
      transposeA(d.transposeA),
      transposeB(d.transposeB),
      hasBias(d.hasBias),
      isScaled(d.isScaled),
      aMatrices(stored(d.m, d.k, d.transposeA)),
      bMatrices(stored(d.k, d.n, d.transposeB)),
      outMatrices(stored(d.m, d.n, false)),
      a(d.a),
      b(d.b),
      out(d.out),
      compute(d.compute),
      result(d.result),
      operandRounding(d.operandRounding),
      accumulator(d.accumulator),
      promoteEvery(d.promoteEvery) {}

Product::Product(const BatchedMatmulDesc& d)
    : outer(d.outer),
      inner(d.inner),
      m(d.m),
      n(d.n),
      k(d.k),
      transposeA(d.transposeA),
      transposeB(d.transposeB),
      aMatrices(stored(d.m, d.k, d.transposeA, d.aStrides, d.aDivisor)),
      bMatrices(stored(d.k, d.n, d.transposeB, d.bStrides, d.bDivisor)),
      outMatrices(stored(d.m, d.n, false, d.outStrides, d.outDivisor)),
      scale(d.scale),
      a(d.a),
      b(d.b),
      out(d.out),
      compute(d.compute),
      operandRounding(d.operandRounding),
      accumulator(d.accumulator),
      promoteEvery(d.promoteEvery) {}

ProductOperands operandsOf(const Product& product, std::span<void* const> operands) {
    ProductOperands given{.a = operands[0], .b = operands[1], .workspace = operands.back()};
    std::size_t next = 2;
    if (product.hasBias) given.bias = operands[next++];
    if (product.isScaled) {
        given.inverseA = &static_cast<const QuantScale*>(operands[next])->inverse;
        given.inverseB = &static_cast<const QuantScale*>(operands[next + 1])->inverse;
        next += 2;
    }
    given.out = operands[next];
    return given;
}

}  // namespace mantissa::cuda
