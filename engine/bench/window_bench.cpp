// SPDX-License-Identifier: Apache-2.0
// Drawing rate of the window while its engine trains: mantissa-lab measures itself in a separate process.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/bench/bench.h"
#include "engine/recording/temporary_folder.h"
#include "kernels/program_file.h"

namespace mantissa {
namespace {

constexpr const char* kWindowExperiment =
    R"({"title": "bench", "data": {"batch_size": 64}, "model": {"hidden": [128, 128]}, "steps": 10000000,
 "runs": [{"name": "fp32"}, {"name": "tf32", "precision": "tf32"}, {"name": "fp16", "precision": "fp16"}, {"name": "bf16", "precision": "bf16"}]})";

/// Output of the neighbouring mantissa-lab with these arguments; discarded if it cannot be started.
nlohmann::json measured(const std::string& arguments) {
    const auto lab = programFile().parent_path() / "mantissa-lab";
    if (!std::filesystem::exists(lab)) return nlohmann::json(nlohmann::json::value_t::discarded);
    const bool hasDisplay = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
    const std::string command =
        std::string(hasDisplay ? "" : "QT_QPA_PLATFORM=offscreen ") + "'" + lab.string() + "' " + arguments + " 2>/dev/null";
    std::string text;
    if (FILE* pipe = popen(command.c_str(), "r")) {
        char block[512];
        while (std::fgets(block, sizeof block, pipe) != nullptr) text += block;
        pclose(pipe);
    }
    return nlohmann::json::parse(text, nullptr, false);
}

nlohmann::json measuredWindow(double seconds) {
    const TemporaryFolder folder;
    const auto experiment = folder.path() / "bench.json";
    std::ofstream(experiment) << kWindowExperiment;
    return measured("--measure " + std::to_string(seconds) + " '" + experiment.string() + "'");
}

constexpr const char* kNoLab = "no mantissa-lab beside this program that could be started";

/// A figure compared with a limit instead of a rival.
BenchResult limited(std::string name, std::string what, std::string unit, double median, double p99, double judged, double limit) {
    BenchResult r{.name = std::move(name), .what = std::move(what), .rival = "the limit", .unit = std::move(unit)};
    r.ours = median;
    r.oursP99 = p99;
    r.ratio = judged;
    r.theirs = r.theirsP99 = r.limit = limit;
    r.ratioName = judged == p99 && p99 != median ? "p99, " + r.unit : r.unit;
    return r;
}

}  // namespace

std::vector<BenchResult> benchWindow(double seconds) {
    const std::string what = "four runs of 64-128-128-10 at full pace, window 1600x960";
    BenchResult steps{
        .name = "window-step-p99", .what = what + ": p99 of step time against its median", .rival = "the median step", .unit = "ms"};
    const nlohmann::json figures = measuredWindow(seconds);
    if (figures.is_discarded() || figures["step_ms"].is_null() || figures["paint_after_step_ms"].is_null()) {
        steps.skipped = kNoLab;
        return {steps};
    }
    steps.oursP99 = steps.ours = figures["step_ms"]["p99"];
    steps.theirs = steps.theirsP99 = figures["step_ms"]["median"];
    steps.ratio = steps.ours / steps.theirs;
    steps.ratioName =
        "p99 / median, at " + std::to_string(static_cast<int>(figures["frames_per_second"].get<double>())) + " frames a second";
    steps.limit = 3;

    const nlohmann::json& paint = figures["paint_after_step_ms"];
    const nlohmann::json& growth = figures["growth"];
    const double grownSteps = growth["steps"];
    BenchResult memory{.name = "window-growth",
                       .what = what + ": memory that a step adds, over the second half of " + std::to_string(static_cast<int>(seconds)) +
                               " s and of " + std::to_string(figures["steps"].get<std::int64_t>()) + " steps",
                       .rival = "its values in series and traces",
                       .unit = "bytes"};
    memory.ours = memory.oursP99 = growth["resident_bytes"].get<double>() / grownSteps;
    memory.theirs = memory.theirsP99 = growth["data_bytes"].get<double>() / grownSteps;
    memory.ratio = memory.ours / memory.theirs;
    memory.ratioName = "bytes a step / bytes a step of data";
    memory.limit = 1.1;
    const double first = figures["first_paint_ms"];
    return {steps,
            limited("window-paint", what + ": from a step's end to its pixels", "ms", paint["median"], paint["p99"], paint["p99"], 16.7),
            limited("window-first-paint", "from the program's start to its first paint", "ms", first, first, first, 150), memory};
}

std::vector<BenchResult> benchPlots() {
    const std::string what = "scrolls through eight runs of two noisy series of 10,000,000 values, antialiased, 1920x1080";
    const nlohmann::json figures = measured("--measure-plots 10000000");
    if (figures.is_discarded()) return {BenchResult{.name = "plots", .what = what, .rival = "QCustomPlot's graphs", .skipped = kNoLab}};
    const nlohmann::json& frame = figures["frame_ms"];
    const double median = frame["median"], p99 = frame["p99"];
    std::vector<BenchResult> results;
    for (const nlohmann::json& view : figures["views"]) {
        const std::string shown = std::to_string(view["steps"].get<std::int64_t>());
        BenchResult r{.name = "plots-" + shown,
                      .what = what + ", " + shown + " steps on screen: whole frames, with raw and smoothed lines, glyphs, axes",
                      .rival = "QCustomPlot's graphs of the raw values alone, antialiased, phFastPolylines",
                      .unit = "ms a frame"};
        r.ours = view["frame_ms"]["median"];
        r.oursP99 = view["frame_ms"]["p99"];
        r.theirs = view["rival_ms"]["median"];
        r.theirsP99 = view["rival_ms"]["p99"];
        r.ratio = view["ratio"];
        r.ratioName = "times faster; not antialiased, the rival takes " +
                      std::to_string(std::lround(view["rival_plain_ms"]["median"].get<double>())) + " ms";
        r.limit = 10;
        r.isAtLeast = true;
        results.push_back(std::move(r));
    }
    results.push_back(limited("plots-median", what, "ms", median, p99, median, 8));
    results.push_back(limited("plots-p99", what, "ms", median, p99, p99, 16.7));
    const double counted = figures["bytes_per_scalar"], resident = figures["rss_bytes_per_scalar"];
    results.push_back(limited("plots-memory", "series and traces as counted; the process, with all that draws, as the system counts it",
                              "bytes a scalar", counted, resident, resident, 24));
    return results;
}

}  // namespace mantissa
