// SPDX-License-Identifier: Apache-2.0
// The cells that the probe's Python knows are the engine's.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "kernels/dtype/magnitude_cells.h"

namespace mantissa {
namespace {

TEST(ProbeCells, AreTheEngines) {
    if (std::system("python3 -c '' >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no Python";
    // each exponent, subnormal ones included, with the fractions around each cut
    const std::string script = R"(
import struct, sys
sys.path.insert(0, ')" MANTISSA_PROBE R"(/mantissa_probe')
import cells
print(cells.CELL_COUNT)
for exponent in range(0, 255):
    for start in (0, 1, 2, *cells.PART_STARTS):
        for fraction in {max(start - 1, 0), start, min(start + 1, 0x7FFFFF)}:
            bits = exponent << 23 | fraction
            if bits: print(bits, cells.cell_of(struct.unpack('<f', struct.pack('<I', bits))[0]))
)";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'\n" + script + "END").c_str(), "r"),
                                                     pclose);
    ASSERT_NE(pipe, nullptr);
    int count = 0, compared = 0;
    ASSERT_EQ(std::fscanf(pipe.get(), "%d", &count), 1);
    EXPECT_EQ(count, kCellCount);
    unsigned bits = 0;
    int cell = 0;
    while (std::fscanf(pipe.get(), "%u %d", &bits, &cell) == 2) {
        ASSERT_EQ(cell, cellOf(floatFromBits(bits))) << "bits " << bits;
        ++compared;
    }
    EXPECT_GT(compared, 255 * 12);
}

}  // namespace
}  // namespace mantissa
