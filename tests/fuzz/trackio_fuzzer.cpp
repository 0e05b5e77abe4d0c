// SPDX-License-Identifier: Apache-2.0
// The reader of trackio's data bases. The first byte of the input says what the others are: 0, a file; 1, damage done to a good one:
// (place, byte) four bytes each; 2, lines of metrics, which become rows.
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/fuzz/imported.h"

namespace {

namespace fs = std::filesystem;

struct Scratch {
    std::string folder, good;
    Scratch() {
        sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);  // one thread opens the files here
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        std::string pattern = (fs::temp_directory_path() / "mantissa_fuzz_XXXXXX").string();
        folder = mkdtemp(pattern.data());
        write({R"({"loss":2,"eval":{"loss":"NaN"}})", R"({"loss":1,"lr":0.5,"picture":{"_type":"image"}})"});
        std::ifstream in(path(), std::ios::binary);
        good = {std::istreambuf_iterator<char>(in), {}};
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
    std::string path() const { return folder + "/lab.db"; }
    void clear() const {
        for (const char* ending : {"", "-wal", "-shm", "-journal"}) unlink((path() + ending).c_str());
    }
    /// A data base with these rows.
    void write(const std::vector<std::string>& metrics) const {
        clear();
        sqlite3* database = nullptr;
        sqlite3_stmt* insert = nullptr;
        sqlite3_open(path().c_str(), &database);
        sqlite3_exec(database,
                     "PRAGMA page_size = 512; PRAGMA journal_mode = OFF; CREATE TABLE metrics(id INTEGER PRIMARY KEY, run_id TEXT, "
                     "run_name TEXT, step INTEGER, metrics TEXT)",
                     nullptr, nullptr, nullptr);
        sqlite3_prepare_v2(database, "INSERT INTO metrics(run_id, run_name, step, metrics) VALUES (?1, ?1, ?2, ?3)", -1, &insert, nullptr);
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            sqlite3_bind_text(insert, 1, i % 3 == 2 ? "b" : "a", -1, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 2, static_cast<std::int64_t>(i));
            sqlite3_bind_text(insert, 3, metrics[i].data(), static_cast<int>(metrics[i].size()), SQLITE_STATIC);
            sqlite3_step(insert);
            sqlite3_reset(insert);
        }
        sqlite3_finalize(insert);
        sqlite3_close(database);
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Scratch kScratch;
    if (size == 0) return 0;
    std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] % 3 == 2) {
        std::vector<std::string> rows;
        std::istringstream lines(bytes);
        for (std::string line; std::getline(lines, line);) rows.push_back(line);
        kScratch.write(rows);
    } else {
        if (data[0] % 3 == 1) {
            std::string file = kScratch.good;
            for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
                const auto byte = [&](std::size_t k) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i + k])); };
                file[(byte(0) | byte(1) << 8 | byte(2) << 16) % file.size()] = bytes[i + 3];
            }
            bytes = std::move(file);
        }
        kScratch.clear();
        std::ofstream(kScratch.path(), std::ios::binary) << bytes;
    }
    mantissa::expectSoundOrRefused([&] { return mantissa::importRuns(kScratch.path()); });
    return 0;
}
