// SPDX-License-Identifier: Apache-2.0
// Reads one file of a run, on from where it stopped, so that a file which grows is read once. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>

#include "engine/exchange/run_builder.h"

namespace mantissa {

enum class LogFormat { Csv, JsonLines, Events, Lines, Wandb };

class LogReader {
public:
    explicit LogReader(RunBuilder& builder) : m_builder(builder) {}
    virtual ~LogReader() = default;
    LogReader(const LogReader&) = delete;
    LogReader& operator=(const LogReader&) = delete;

    /// Takes in what a file of `bytes` bytes has beyond `position`, where `in` stands. `mayGrow`: what is not whole yet at its end is left
    /// for the next time; else it is left out, and the run's remark says so. Throws InputError.
    virtual void read(std::istream& in, std::uint64_t bytes, bool mayGrow) = 0;
    /// Bytes that have been taken in.
    virtual std::uint64_t position() const = 0;
    /// The run's name, if the file has said one.
    virtual std::string name() const { return {}; }

protected:
    RunBuilder& m_builder;
};

/// The name of the folder that a file lies in: some files have no better one.
std::string folderNameOf(const std::filesystem::path& file);
/// What a step means in such a file that is not behind the last one.
RunBuilder::StepBack stepBackOf(LogFormat format);
/// `source` names the file in errors.
std::unique_ptr<LogReader> makeLogReader(LogFormat format, RunBuilder& builder, const std::string& source);

/// Hugging Face's trainer_state.json, which is written as a whole each time, and read so. Throws InputError.
void readTrainerState(std::istream& in, const std::string& source, RunBuilder& builder);

// One for each format.
std::unique_ptr<LogReader> makeCsvReader(RunBuilder& builder, const std::string& source);
std::unique_ptr<LogReader> makeJsonLinesReader(RunBuilder& builder, const std::string& source);
std::unique_ptr<LogReader> makeLinesReader(RunBuilder& builder, const std::string& source);
std::unique_ptr<LogReader> makeEventReader(RunBuilder& builder, const std::string& source);
std::unique_ptr<LogReader> makeWandbReader(RunBuilder& builder, const std::string& source);

}  // namespace mantissa
