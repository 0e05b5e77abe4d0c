// SPDX-License-Identifier: Apache-2.0
// Imports the present runs of a path.

#include "engine/exchange/imported_run.h"
#include "engine/exchange/log_source.h"
#include "engine/experiment/experiment.h"

namespace mantissa {

std::vector<ImportedRun> importRuns(const std::string& path, std::vector<std::string>* leftOut) {
    const std::vector<FoundLog> found = findLogs(path);
    if (found.empty()) throw InputError(path, "", kNoLogs);
    std::vector<ImportedRun> runs;
    for (const FoundLog& log : found) {
        const std::unique_ptr<LogSource> source = makeLogSource(log);
        source->read(false);
        bool isKnown = false;
        for (const LogRun& run : source->runs()) {
            runs.push_back(run.builder->finish(run.name));
            isKnown = isKnown || !runs.back().series.empty();
        }
        if (leftOut != nullptr && !isKnown) leftOut->push_back(log.path.string() + ": is left out: it has no values of a known metric");
    }
    const std::string remark = runs.empty() ? "" : runs.front().remark;
    std::erase_if(runs, [](const ImportedRun& run) { return run.series.empty(); });
    if (runs.empty()) {
        throw InputError(path, "",
                         "has no values of a known metric, such as loss, val_loss, loss_scale, grad_norm, lr" +
                             (remark.empty() ? "" : " (" + remark + ")"));
    }
    return runs;
}

}  // namespace mantissa
