// SPDX-License-Identifier: Apache-2.0
// The reader of CSV against text of any kind.
#include "tests/fuzz/imported.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string content(reinterpret_cast<const char*>(data), size);
    mantissa::expectSoundOrRefused([&] { return mantissa::readLog(mantissa::LogFormat::Csv, content); });
    return 0;
}
