// SPDX-License-Identifier: Apache-2.0
// Sketches of tensors: 64 sums by which the difference of two tensors is known without their elements. The squared 2-norm of the difference
// of two sketches is on average that of the difference of the tensors, and within 18 % of it by standard deviation. mantissa_probe makes
// the same sketches of a PyTorch training's tensors. Pure functions; any thread.
//
// Source: M. Charikar, K. Chen, M. Farach-Colton, Finding Frequent Items in Data Streams, ICALP 2002 (CountSketch), with the elements of
// each row of 64 consecutive ones in sums of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mantissa {

inline constexpr std::int64_t kSketchSize = 64;
/// kSketchSize sums; empty: there is no sketch.
using Sketch = std::vector<float>;

/// Element 64 r + c is added to sum c ^ x(r) with the sign of bit c of s(r); both follow from a hash of the row r. Elements that are not
/// finite count as 0. A sum beyond FP32 is infinite.
Sketch sketchOf(std::span<const float> values);

}  // namespace mantissa
