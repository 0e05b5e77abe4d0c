// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/log_reader.h"

#include <filesystem>

namespace mantissa {

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

}  // namespace mantissa
