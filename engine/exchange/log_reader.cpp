// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/log_reader.h"

#include <filesystem>
#include <istream>

#include "engine/exchange/imported_run.h"

namespace mantissa {
namespace {

ImportedRun readWhole(LogFormat format, std::istream& in, std::uint64_t bytes, const std::string& source, const std::string& name) {
    RunBuilder builder(source, stepBackOf(format));
    const auto reader = makeLogReader(format, builder, source);
    reader->read(in, bytes, false);
    return builder.finish(reader->name().empty() ? name : reader->name());
}

}  // namespace

std::string folderNameOf(const std::filesystem::path& file) {
    return std::filesystem::absolute(file).lexically_normal().parent_path().filename().string();
}

RunBuilder::StepBack stepBackOf(LogFormat format) {
    return format == LogFormat::Csv || format == LogFormat::JsonLines ? RunBuilder::StepBack::IsRefused : RunBuilder::StepBack::Replaces;
}

std::unique_ptr<LogReader> makeLogReader(LogFormat format, RunBuilder& builder, const std::string& source) {
    switch (format) {
        case LogFormat::Csv:
            break;
        case LogFormat::JsonLines:
            return makeJsonLinesReader(builder, source);
        case LogFormat::Events:
            return makeEventReader(builder, source);
        case LogFormat::Lines:
            return makeLinesReader(builder, source);
        case LogFormat::Wandb:
            return makeWandbReader(builder, source);
    }
    return makeCsvReader(builder, source);
}

ImportedRun readCsv(std::istream& in, const std::string& source) {
    return readWhole(LogFormat::Csv, in, 0, source, std::filesystem::path(source).stem().string());
}

ImportedRun readJsonLines(std::istream& in, const std::string& source) {
    return readWhole(LogFormat::JsonLines, in, 0, source, std::filesystem::path(source).stem().string());
}

ImportedRun readTrainersLog(std::istream& in, const std::string& source) {
    return readWhole(LogFormat::Lines, in, 0, source, std::filesystem::path(source).stem().string());
}

ImportedRun readEvents(std::istream& in, std::uint64_t bytes, const std::string& source) {
    return readWhole(LogFormat::Events, in, bytes, source, folderNameOf(source));
}

ImportedRun readWandb(std::istream& in, std::uint64_t bytes, const std::string& source) {
    return readWhole(LogFormat::Wandb, in, bytes, source, std::filesystem::path(source).stem().string());
}

}  // namespace mantissa
