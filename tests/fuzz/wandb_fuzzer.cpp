// SPDX-License-Identifier: Apache-2.0
// The reader of W&B's offline files. The first byte of the input says what the others are: 0, a file; else records of that many bytes each,
// which get the check sums that a fuzzer would not find.
#include <algorithm>

#include "engine/exchange/wandb_file.h"
#include "tests/fuzz/imported.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    std::string file(data[0] == 0 ? rest : mantissa::wandb_file::kHead);
    for (const std::size_t most = data[0]; most > 0 && !rest.empty(); rest.remove_prefix(std::min(rest.size(), most))) {
        mantissa::wandb_file::appendRecord(file, rest.substr(0, most));
    }
    mantissa::expectSoundOrRefused([&] { return mantissa::readLog(mantissa::LogFormat::Wandb, file); });
    return 0;
}
