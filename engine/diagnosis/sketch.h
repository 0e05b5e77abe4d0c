// SPDX-License-Identifier: Apache-2.0
// Sketches of tensors: 64 sums that estimate the difference of two tensors without their elements. The squared 2-norm of the difference of
// two sketches has the mean of that of the tensors, with a standard deviation of 18 %. mantissa_probe computes these sketches in PyTorch.
// Pure functions; any thread.
//
// Source: M. Charikar, K. Chen, M. Farach-Colton, Finding Frequent Items in Data Streams, ICALP 2002 (CountSketch), with the 64 elements of
// a row in different sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mantissa {

inline constexpr std::int64_t kSketchSize = 64;
/// A tensor's kSketchSize sums; empty: no sketch.
using Sketch = std::vector<float>;

/// Returns the sketch of `values`. Element 64 r + c is added to sum c ^ x(r) with the sign of bit c of s(r); x and s are hashes of the row
/// r. Non-finite elements count as 0. A sum beyond FP32 is infinite.
Sketch sketchOf(std::span<const float> values);

}  // namespace mantissa
