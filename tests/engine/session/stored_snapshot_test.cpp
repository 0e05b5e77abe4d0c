// SPDX-License-Identifier: Apache-2.0
// A loss scale as a recording stores it: its fp32 bits, and the number itself where fp32 does not hold it.
#include "engine/session/stored_snapshot.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "engine/experiment/experiment.h"

namespace mantissa {
namespace {

StoredSnapshot storedWith(double scale) {
    const RunSettings settings = parseExperiment(R"({"runs":[{"name":"one"}]})", "test").runs.at(0);
    Snapshot snapshot{.settings = settings.training};
    snapshot.scaler.scale = scale;
    return stored(1, {.step = 3, .settings = settings, .ownSettings = settings, .snapshot = std::make_shared<const Snapshot>(snapshot)});
}

/// Through text and back.
double scaleOf(const StoredSnapshot& snapshot) {
    StoredSnapshot read = snapshot;
    read.head = Json::parse(snapshot.head.dump());
    return pointOf(read).snapshot->scaler.scale;
}

TEST(StoredScale, ComesBackToTheBit) {
    for (const double scale : {65536.0, 0.0, -0.0, -4096.5, 1.1, 1e40, 1e300, 1e-60, -1e300, HUGE_VAL}) {
        const double read = scaleOf(storedWith(scale));
        EXPECT_EQ(std::bit_cast<std::uint64_t>(read), std::bit_cast<std::uint64_t>(scale)) << scale;
    }
}

TEST(StoredScale, IsFp32AloneWhereThatHoldsIt) {
    EXPECT_FALSE(storedWith(65536).head.at("scaler").contains("exact_scale"));
    EXPECT_TRUE(storedWith(1.1).head.at("scaler").contains("exact_scale"));
    StoredSnapshot early = storedWith(1e40);  // as programs wrote it that held every scale in fp32
    early.head["scaler"].erase("exact_scale");
    EXPECT_EQ(scaleOf(early), HUGE_VAL);
}

TEST(StoredScale, OneThatContradictsItsFp32BitsIsRefused) {
    StoredSnapshot damaged = storedWith(1.1);
    for (const Json& value : {Json(2.5), Json("1.1"), Json(nullptr)}) {
        damaged.head["scaler"]["exact_scale"] = value;
        EXPECT_THROW(pointOf(damaged), InputError) << value;
    }
}

}  // namespace
}  // namespace mantissa
