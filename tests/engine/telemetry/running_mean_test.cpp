// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/running_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace mantissa {
namespace {

double runningMeanOf(const std::vector<double>& values, double factor = 0.9) {
    RunningMean mean(factor);
    for (const double value : values) mean.add(value);
    return mean.value();
}

/// Weights factor^(n - i) of all values, divided by their sum.
double averageByDefinition(const std::vector<double>& values, double factor) {
    long double sum = 0, weights = 0, weight = 1;
    for (std::size_t i = values.size(); i-- > 0; weight *= static_cast<long double>(factor)) {
        sum += weight * static_cast<long double>(values[i]);
        weights += weight;
    }
    return static_cast<double>(sum / weights);
}

TEST(RunningMean, IsTheAverageOfItsDefinition) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(2, 1);
    for (const double factor : {0.0, 0.5, 0.9, 0.99, 0.999}) {
        std::vector<double> values;
        RunningMean mean(factor);
        for (int i = 0; i < 3000; ++i) {
            values.push_back(noise(random));
            mean.add(values.back());
            if (i % 100 != 0) continue;
            EXPECT_NEAR(mean.value(), averageByDefinition(values, factor), 1e-9) << factor << " at " << i;
        }
    }
    EXPECT_TRUE(std::isnan(RunningMean(0.9).value()));
    EXPECT_EQ(runningMeanOf(std::vector<double>(2000, 0.1), 0.999), 0.1);
}

TEST(RunningMean, AFewValuesThatAreNotFiniteAreLeftOut) {
    const std::vector<double> plain{1, 2, 3, 4};
    EXPECT_EQ(runningMeanOf({1, NAN, 2, INFINITY, -INFINITY, NAN, NAN, 3, 4}), runningMeanOf(plain));
}

TEST(RunningMean, BeginsAgainAfterAGap) {
    EXPECT_EQ(runningMeanOf({1000, 1000, NAN, NAN, NAN, NAN, NAN, 5}), 5);
    EXPECT_EQ(runningMeanOf({1000, NAN, INFINITY, NAN, NAN, -INFINITY, 5, 7}), runningMeanOf({5, 7}));
}

TEST(RunningMean, BeginsAgainAfterAJump) {
    std::vector<double> values;
    for (int i = 0; i < 100; ++i) values.push_back(2 + 0.1 * std::sin(i));
    for (const double jump : {-5.0, 5.0}) {
        std::vector<double> jumped = values;
        jumped.insert(jumped.end(), {2 + jump, 2.1 + jump, 2.1 + jump, 2.1 + jump});
        EXPECT_NEAR(runningMeanOf(jumped), 2 + 0.34 * jump, 0.2) << "four may be outliers";
        jumped.push_back(2.2 + jump);
        EXPECT_NEAR(runningMeanOf(jumped), 2.1 + jump, 0.05) << "five are not";
    }
    std::vector<double> bothWays = values;
    bothWays.insert(bothWays.end(), {7, -3, 7, 7, 7});
    EXPECT_NEAR(runningMeanOf(bothWays), 3.1, 0.6) << "not a new level";
}

TEST(RunningMean, DoesNotTakeNoiseForJumps) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    std::student_t_distribution<double> heavy(2);
    RunningMean a(0.99), b(0.99);
    double worstA = 0, worstB = 0;
    for (int i = 0; i < 300'000; ++i) {
        a.add(normal(random));
        b.add(std::log(1 + std::pow(heavy(random), 2)));  // the logarithm of a squared error with outliers
        if (i < 1000) continue;
        worstA = std::max(worstA, std::abs(a.value()));
        worstB = std::max(worstB, b.value());
    }
    EXPECT_LT(worstA, 0.5) << "six deviations of the average: after a start on five values it would reach beyond";
    EXPECT_LT(worstB, 2);
}

TEST(RunningMean, OfLogarithmsOneOutlierIsNoDecade) {
    std::vector<double> values(100, std::log(1.0));
    values.push_back(std::log(1e6));
    EXPECT_LT(std::exp(runningMeanOf(values)), 4);
    values.insert(values.end(), 20, std::log(1.0));
    EXPECT_LT(std::exp(runningMeanOf(values)), 1.3);
}

TEST(RunningMean, WhatIsBeyondItsReachDoesNotCount) {
    for (const double factor : {0.0, 0.5, 0.9, 0.999}) {
        RunningMean with(factor), without(factor);
        for (int i = 0; i < 50; ++i) with.add(1e3 * std::sin(i));
        std::mt19937 random(3);
        std::normal_distribution<double> noise(0, 1e3);
        for (std::size_t i = 0; i < with.reach(); ++i) {
            const double value = noise(random);
            with.add(value);
            without.add(value);
        }
        EXPECT_NEAR(with.value(), without.value(), 1e-8) << factor;
    }
}

}  // namespace
}  // namespace mantissa
