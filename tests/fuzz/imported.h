// SPDX-License-Identifier: Apache-2.0
// What holds for every imported run, whatever was read.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <type_traits>

#include "engine/exchange/imported_run.h"
#include "engine/exchange/log_reader.h"
#include "engine/experiment/experiment.h"

namespace mantissa {

/// The run of a whole file's content.
inline ImportedRun readLog(LogFormat format, const std::string& content) {
    RunBuilder builder("file", stepBackOf(format));
    std::istringstream in(content);
    makeLogReader(format, builder, "file")->read(in, content.size(), false);
    return builder.finish("run");
}

/// Stops the program where a run breaks a promise of imported_run.h.
inline void expectSound(const ImportedRun& run) {
    for (std::size_t i = 0; i < run.series.size(); ++i) {
        const ImportedSeries& series = run.series[i];
        bool isSound = !series.steps.empty() && series.steps.size() == series.values.size() && series.steps.front() >= 0;
        for (std::size_t k = 1; k < series.steps.size(); ++k) isSound = isSound && series.steps[k - 1] < series.steps[k];
        if (i > 0) isSound = isSound && (run.series[i - 1].metric < series.metric || series.metric == Metric::Other);
        if (!isSound || run.name.empty()) std::abort();
    }
}

/// The same of what `read` gives; and where its refusal takes more than a line.
template <class Read>
void expectSoundOrRefused(Read read) {
    try {
        if constexpr (std::is_same_v<decltype(read()), ImportedRun>)
            expectSound(read());
        else
            for (const ImportedRun& run : read()) expectSound(run);
    } catch (const InputError& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
}

}  // namespace mantissa
