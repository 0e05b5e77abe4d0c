// SPDX-License-Identifier: Apache-2.0
#include "engine/session/sliced_work.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mantissa {
namespace {

constexpr SlicedWork::Clock::time_point kAtOnce{};  // over before it has begun

TEST(SlicedWork, GoesOnFromWhereItRested) {
    int done = 0;
    SlicedWork work([&](const SlicedWork::GoesOn& goesOn) {
        while (done < 5 && goesOn()) ++done;
    });
    EXPECT_EQ(done, 0) << "before the first slice nothing is done";
    for (int slice = 0; slice < 5; ++slice) {
        EXPECT_FALSE(work.goOn(kAtOnce));
        EXPECT_EQ(done, slice);
    }
    EXPECT_TRUE(work.goOn(kAtOnce));
    EXPECT_EQ(done, 5);
    EXPECT_TRUE(work.goOn(kAtOnce)) << "what has ended has ended";
}

TEST(SlicedWork, WithTimeItDoesNotRest) {
    int done = 0;
    SlicedWork work([&](const SlicedWork::GoesOn& goesOn) {
        while (done < 1000 && goesOn()) ++done;
    });
    EXPECT_TRUE(work.goOn(SlicedWork::Clock::time_point::max()));
    EXPECT_EQ(done, 1000);
}

TEST(SlicedWork, StoppedItEndsWithoutARest) {
    int asked = 0;
    bool wasTold = false;
    SlicedWork work([&](const SlicedWork::GoesOn& goesOn) {
        while (goesOn()) ++asked;
        wasTold = !goesOn();
    });
    EXPECT_FALSE(work.goOn(kAtOnce));
    EXPECT_FALSE(work.goOn(kAtOnce));
    EXPECT_FALSE(work.isStopped());
    work.stop();
    EXPECT_TRUE(work.isStopped());
    EXPECT_TRUE(work.goOn(kAtOnce));
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(wasTold);
}

TEST(SlicedWork, WhatItThrowsComesOutOnce) {
    SlicedWork work([](const SlicedWork::GoesOn& goesOn) {
        goesOn();
        throw std::runtime_error("no");
    });
    EXPECT_FALSE(work.goOn(kAtOnce));
    EXPECT_THROW(work.goOn(kAtOnce), std::runtime_error);
    EXPECT_TRUE(work.goOn(kAtOnce));
}

TEST(SlicedWork, ItsEndIsWaitedFor) {
    for (const int slices : {0, 1, 2}) {
        bool hasEnded = false;
        {
            SlicedWork work([&](const SlicedWork::GoesOn& goesOn) {
                while (goesOn()) {
                }
                hasEnded = true;
            });
            for (int i = 0; i < slices; ++i) work.goOn(kAtOnce);
        }
        EXPECT_TRUE(hasEnded) << slices;
    }
}

}  // namespace
}  // namespace mantissa
