// SPDX-License-Identifier: Apache-2.0
// Preview of an experiment from its plans: data and weights are read, but no run is created and nothing is trained.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/experiment/messages.h"

namespace mantissa {

/// Previews `text`, without largest batches. Errors are in the result. `planned` receives the experiment with its data, if it can be
/// parsed. Any thread.
ExperimentPreviewed previewExperiment(const std::string& text, const Backend& backend, Experiment& planned);

/// Returns the largest batch that a file may request and that fits a GPU of `cardBytes` together with the run's data. 0 and `isStale` as
/// for `largestBatch`. Any thread. Throws std::invalid_argument like `buildPlans`.
std::int64_t batchForCard(const RunSettings& run, const Dataset& dataset, const Backend& backend, std::int64_t cardBytes,
                          const std::function<bool()>& isStale = {});

/// Finds for each run the largest batch that fits a GPU of `cardBytes` together with the data. It stays unknown if a size has no plan.
/// Returns false if `isStale` ended the search.
bool addLargestBatches(ExperimentPreviewed& preview, const Experiment& planned, std::int64_t cardBytes, const Backend& backend,
                       const std::function<bool()>& isStale = {});

/// Answers PreviewExperiment on its own thread, in parallel with training; a command waits for it only if it needs the data being read. Of
/// waiting questions only the latest is answered, the others only get CommandDone. `ask` from any thread; `sink` is called there and on the
/// own thread, possibly at the same time, and must not throw.
class Previewer {
public:
    Previewer(std::shared_ptr<Backend> backend, std::function<void(Event&&)> sink);
    void ask(std::uint64_t commandId, PreviewExperiment question);
    /// Whether a question is open, for which the destructor may wait while data are read.
    bool isAnswering();

private:
    struct Question {
        std::uint64_t commandId = 0;
        PreviewExperiment body;
    };
    std::shared_ptr<Backend> m_backend;
    std::function<void(Event&&)> m_sink;
    std::mutex m_mutex;  // guards `m_next` and `m_isAnswering`
    std::condition_variable_any m_wake;
    std::optional<Question> m_next;
    bool m_isAnswering = false;
    std::jthread m_thread;  // last: it ends before what it uses

    void answerAll(const std::stop_token& stop);
    void answer(const Question& question, Experiment& planned, const std::stop_token& stop);
};

}  // namespace mantissa
