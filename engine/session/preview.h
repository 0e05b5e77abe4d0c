// SPDX-License-Identifier: Apache-2.0
// What an experiment would be, from plans alone: its data and its weights are read, but no run is made and nothing is trained.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/experiment/messages.h"

namespace mantissa {

/// The answer to a question about `text`, without batches; what cannot be loaded is said in it. `planned` takes the experiment, when there
/// is one, and with it its data. Any thread.
ExperimentPreviewed previewExperiment(const std::string& text, const Backend& backend, Experiment& planned);

/// Finds for each run the batch that fits beside the data on a card of `cardBytes`. It stays unknown where
/// some size has no plan. False when `isStale` has ended the search.
bool addLargestBatches(ExperimentPreviewed& preview, const Experiment& planned, std::int64_t cardBytes, const Backend& backend,
                       const std::function<bool()>& isStale = {});

/// Answers on a thread of its own, so that no step waits for a plan and no plan for a step; a command waits for it only where it wants the
/// very data that are being read. Of the questions that wait only the latest is looked into, the others are only acknowledged. `ask` from
/// any thread; `sink` is called there and on the thread of its own, at the same time perhaps, and must not throw.
class Previewer {
public:
    Previewer(std::shared_ptr<Backend> backend, std::function<void(Event&&)> sink);
    void ask(std::uint64_t commandId, PreviewExperiment question);
    /// Whether an end would have to wait: a plan is soon ready, but data may be read for seconds.
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
