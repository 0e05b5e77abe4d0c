// SPDX-License-Identifier: Apache-2.0
// The reader of recordings against files of any kind. The first byte of the input says what the others are: a file; or damage done to a
// good recording, or to the write-ahead log of one that was left by a killed program: (place, byte) four bytes each, and where to cut.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/recording/recorder.h"

namespace {

namespace fs = std::filesystem;
using namespace mantissa;

constexpr std::int64_t kSteps = 40;  // a small file takes less time, and each of its bytes is damaged more often

struct Samples {
    std::string folder, closed, live, log;
    ~Samples() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
};

std::string bytesOf(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

Samples makeSamples() {
    std::string pattern = (fs::temp_directory_path() / "mantissa_fuzz_XXXXXX").string();
    Samples samples;
    samples.folder = mkdtemp(pattern.data());
    const std::string path = samples.folder + "/sample.mantissa";
    {
        Recorder recorder(path, {{"title", "sample"}}, {});
        for (std::int64_t step = 0; step < kSteps; ++step) {
            StepRecord record;
            record.step = step;
            record.loss = 1.0 / static_cast<double>(step);  // the first one is +Inf
            record.gradNorm = 0.1 * static_cast<double>(step);
            recorder.append(static_cast<RunId>(step / 5 % 2), std::span(&record, 1));
            if (step % 10 == 0) recorder.append(LogEntry{.kind = "change", .run = 0, .step = step, .body = {{"to", step}, {"text", "x"}}});
            if (step == 20)
                recorder.append(StoredSnapshot{.run = 0, .step = step, .head = {{"scale", 1}}, .state = std::vector<std::byte>(5000)});
        }
        recorder.flush();
        samples.live = bytesOf(path);
        samples.log = bytesOf(path + "-wal");
    }
    samples.closed = bytesOf(path);
    // One thread opens the inputs: without SQLite's locks and counts of memory an input takes less time.
    sqlite3_shutdown();
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return samples;
}

void damage(std::string& bytes, const std::uint8_t* data, std::size_t size) {
    if (size >= 3) {
        const std::size_t cut = data[0] | data[1] << 8 | data[2] << 16;
        if (cut != 0) bytes.resize(std::min(bytes.size(), cut));
        data += 3;
        size -= 3;
    }
    for (; size >= 4 && !bytes.empty(); data += 4, size -= 4)
        bytes[(data[0] | data[1] << 8 | data[2] << 16) % bytes.size()] = static_cast<char>(data[3]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Samples kSamples = makeSamples();
    if (size == 0) return 0;
    const std::string path = kSamples.folder + "/input.mantissa";
    for (const char* ending : {"", "-wal", "-shm"}) unlink((path + ending).c_str());
    const std::uint8_t kind = data[0] % 3;
    std::string file(reinterpret_cast<const char*>(data + 1), size - 1);
    if (kind != 0) file = kind == 1 ? kSamples.closed : kSamples.live;
    if (kind == 1) damage(file, data + 1, size - 1);
    if (kind == 2) {
        std::string log = kSamples.log;
        damage(log, data + 1, size - 1);
        write(path + "-wal", log);
    }
    write(path, file);
    try {
        const Recording recording(path);
        std::int64_t steps = 0;
        recording.read({[&](RunId, std::span<const StepRecord> records) { steps += static_cast<std::int64_t>(records.size()); },
                        [](const LogEntry& entry) { (void)entry.body.dump(-1, ' ', false, Json::error_handler_t::replace); }});
        for (const SnapshotPlace& place : recording.snapshots()) recording.snapshot(place.id);
        recording.summary();
        if (kind != 0 && steps > kSteps) std::abort();  // more than was ever written
    } catch (const InputError& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
    return 0;
}
