// SPDX-License-Identifier: Apache-2.0
// Paired timing: two contenders alternate in short blocks, in random order; the result is the median of the ratios of the pairs. Numbers of
// two different runs are never divided. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mantissa {

/// Runs a block of work and returns the seconds of each unit (a step, an array pass).
using TimedBlock = std::function<std::vector<double>()>;

/// Times each of `count` calls of `unit`.
std::vector<double> timeUnits(int count, const std::function<void()>& unit);

double median(std::vector<double> values);
double percentile(std::vector<double> values, double share);  // share in 0..1

struct PairedTimes {
    double oursMedian = 0, oursP99 = 0;  // seconds per unit, over all blocks
    double rivalMedian = 0, rivalP99 = 0;
    double ratio = 0;  // median over pairs of (median of ours / median of the rival's)
};
/// Runs one warm-up block each, then `pairs` pairs.
PairedTimes runPaired(const TimedBlock& ours, const TimedBlock& rival, int pairs = 15);

/// One row of the benchmark's table.
struct BenchResult {
    std::string name{};                                       // "step-small"
    std::string what{};                                       // "2-64-64-2, batch 64, AdamW, fp32, one thread"
    std::string rival{};                                      // "bare oneDNN products and plain loops"
    std::string unit{};                                       // "us a step"
    double ours = 0, oursP99 = 0, theirs = 0, theirsP99 = 0;  // in that unit
    double ratio = 0;                                         // ours / rival's unless `ratioName` says otherwise
    std::string ratioName = "ours / rival";
    double limit = 0;
    bool isAtLeast = false;  // false: the ratio must not exceed the limit; true: must reach it
    double tflops = 0;       // of the products in our steps; 0: does not apply
    double products = 0;     // time of the products alone in our steps, in `unit`; 0: does not apply
    std::string skipped{};   // why there is no result; empty otherwise
    bool passes() const { return isAtLeast ? ratio >= limit : ratio <= limit; }
};

}  // namespace mantissa
