// SPDX-License-Identifier: Apache-2.0
// Reads one file of a run incrementally, so that a growing file is read once. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>

#include "engine/exchange/run_builder.h"

namespace mantissa {

/// Formats of a run. An incomplete last line or record is ignored.
enum class LogFormat {
    /// A first line of names, then numbers, separated by commas, semicolons or tabs. The step is a column named as such, or the row's
    /// number. An empty cell has no value.
    Csv,
    /// An object a line, with a step and numbers; nested ones are named "train/loss". Bare NaN and Infinity, as Python writes them.
    JsonLines,
    /// TensorBoard's event files. Scalars: simple values, and tensors of one float32 or float64. From histograms: minimum, maximum and
    /// count. A repeated step replaces all values from it on, as after a restart from a checkpoint.
    Events,
    /// Lines of Megatron-LM, torchtitan and nvdlfw_inspect, among others; counts since the previous line are added up. A repeated step
    /// replaces all values from it on.
    Lines,
    /// The history of W&B's offline file; nested values are named "train/loss".
    Wandb
};

class LogReader {
public:
    explicit LogReader(RunBuilder& builder) : m_builder(builder) {}
    virtual ~LogReader() = default;
    LogReader(const LogReader&) = delete;
    LogReader& operator=(const LogReader&) = delete;

    /// Reads the content of a file of `bytes` bytes from `position` on, where `in` is. `mayGrow`: an incomplete end is left for the next
    /// call; otherwise it is ignored, and the run's remark mentions it. Throws InputError.
    virtual void read(std::istream& in, std::uint64_t bytes, bool mayGrow) = 0;
    /// Number of bytes read so far.
    virtual std::uint64_t position() const = 0;
    /// The run's name, if the file contains one.
    virtual std::string name() const { return {}; }

protected:
    RunBuilder& m_builder;
};

/// The name of a file's folder, used for formats without a better name.
std::string folderNameOf(const std::filesystem::path& file);
/// The meaning of a step that does not follow the last one, in this format.
RunBuilder::StepBack stepBackOf(LogFormat format);
/// Creates a reader. `source` names the file in errors.
std::unique_ptr<LogReader> makeLogReader(LogFormat format, RunBuilder& builder, const std::string& source);

/// Reads Hugging Face's trainer_state.json, which is always rewritten as a whole: an entry of `log_history` for each log of the Trainer.
/// Throws InputError.
void readTrainerState(std::istream& in, const std::string& source, RunBuilder& builder);

// One per format.
std::unique_ptr<LogReader> makeCsvReader(RunBuilder& builder, const std::string& source);
std::unique_ptr<LogReader> makeJsonLinesReader(RunBuilder& builder, const std::string& source);
std::unique_ptr<LogReader> makeLinesReader(RunBuilder& builder, const std::string& source);
std::unique_ptr<LogReader> makeEventReader(RunBuilder& builder, const std::string& source);
std::unique_ptr<LogReader> makeWandbReader(RunBuilder& builder, const std::string& source);

}  // namespace mantissa
