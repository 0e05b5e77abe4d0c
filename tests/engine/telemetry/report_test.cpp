// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "engine/telemetry/csv.h"
#include "engine/telemetry/report_plots.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

class ReportTest : public testing::Test {
protected:
    fs::path m_folder = fs::temp_directory_path() / ("mantissa_report_" + std::to_string(::getpid()));
    std::vector<StepRecord> m_records;
    ReportInput m_input;

    void SetUp() override {
        for (std::int64_t k = 0; k < 50; ++k) {
            StepRecord r{.step = k, .samples = 64 * (k + 1), .loss = 2.0 / static_cast<double>(k + 1), .lossScale = 65536, .gradNorm = 1};
            r.samplesPerSecond = 1000;
            m_records.push_back(r);
        }
        m_records.back().flags = kFlagValidated;
        m_records.back().validationLoss = 0.25;
        m_records.back().validationAccuracy = 0.9125;
        m_input = {.title = "A title", .description = "What to look for.", .experimentJson = "{\"runs\": []}\n", .version = "0.1"};
        addRun("fp16 scaled", "pytorch");
    }
    void TearDown() override { fs::remove_all(m_folder); }

    void addRun(const std::string& name, const std::string& scaler) {
        ReportRun run;
        run.name = name;
        run.fileStem = "run_" + std::to_string(m_input.runs.size());
        run.policy = "fp16";
        run.scaler = scaler;
        run.health = "All finite.";
        run.memory = {.weights = 1000, .masterWeights = 2000, .gradients = 3000, .optimizer = 4000, .activations = 90000, .workspace = 0};
        run.records = &m_records;
        run.steps = static_cast<std::int64_t>(m_records.size());
        m_input.runs.push_back(run);
    }
    std::string read(const std::string& file) const {
        std::ifstream in(m_folder / file, std::ios::binary);
        EXPECT_TRUE(in.good()) << file;
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::string page() {
        writeReport(m_input, m_folder);
        return read("index.html");
    }
};

TEST_F(ReportTest, SaysWhatARunCameTo) {
    m_input.runs[0].isEmulated = true;
    m_input.runs[0].samplesPerSecond = 123456;
    m_input.runs[0].products = {.format = "fp16", .flopsPerSample = 1e6, .peak = 989};
    m_input.runs[0].allocatedBytes = 700'000;
    m_input.runs[0].memory.workspace = m_input.runs[0].memory.scratch = 20'000;
    m_input.runs[0].firstNonFinite = FirstNonFinite{7, "layers.1", "linear", "forward", "layers.1.output", "+Inf"};
    const std::string html = page();
    for (const char* text : {"A title", "What to look for.", "fp16 scaled", "0.0400", "0.2500", "91.2", "2\u00b9\u2076", "123\u202f456",
                             ">emulated</td>", "All finite. The first +Inf came at step 7 in layers.1.output (linear, forward).",
                             "activations: 90 kB", "Mantissa 0.1", "0.123 TFLOP/s in fp16 products: ",
                             "Memory: 100 kB planned, plus 20 kB of scratch, mostly for emulation; 700 kB allocated with the data."}) {
        EXPECT_NE(html.find(text), std::string::npos) << text;
    }
    EXPECT_EQ(html.find("workspace: "), std::string::npos) << "no bar for nothing";
}

TEST_F(ReportTest, TheLossHasItsName) {
    page();
    EXPECT_NE(read("loss.svg").find(">cross-entropy, log; line: exponential average of the logarithm, 0.9; dots: validation<"),
              std::string::npos);
    addRun("regression", "none");
    m_input.runs.back().loss = lossName({{"layers.0", "linear", "fp32"}, {"loss", "mean_squared_error", "fp32"}});
    m_input.runs.push_back(m_input.runs.back());
    page();
    EXPECT_NE(read("loss.svg")
                  .find(">cross-entropy / mean squared error, log; line: exponential average of the logarithm, 0.9; dots: validation<"),
              std::string::npos);
}

TEST_F(ReportTest, ThePlaceIsNamedOnce) {
    m_input.runs[0].firstNonFinite = FirstNonFinite{7, "layers.1", "linear", "forward", "layers.1.output", "+Inf"};
    m_input.runs[0].health = "9 skips in a row. First non-finite: layers.1, linear, forward.";
    EXPECT_EQ(page().find("came at step"), std::string::npos);
}

TEST_F(ReportTest, FilesAreThereAndLinked) {
    addRun("bf16", "none");
    const std::string html = page();
    for (const char* file : {"run_0.csv", "run_1.csv", "experiment.json"}) {
        EXPECT_NE(html.find(std::string("href=\"") + file + "\""), std::string::npos) << file;
    }
    EXPECT_EQ(read("experiment.json"), m_input.experimentJson);
    const std::string csv = read("run_0.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 51);
    EXPECT_EQ(csv.substr(0, kCsvHeader.size()), kCsvHeader);
    for (std::size_t at = html.find("<img src=\""); at != std::string::npos; at = html.find("<img src=\"", at + 1)) {
        const std::size_t begin = at + 10;
        EXPECT_EQ(read(html.substr(begin, html.find('"', begin) - begin)).substr(0, 4), "<svg");
        EXPECT_EQ(html.compare(html.find('"', begin), 7, "\" alt=\""), 0) << "a picture without words";
    }
}

TEST_F(ReportTest, OnlyWhatHappenedHasAPlot) {
    const auto files = [&] {
        std::string names;
        for (const ReportPlot& plot : reportPlots(m_input)) names += plot.file + " ";
        return names;
    };
    EXPECT_EQ(files(), "loss.svg loss_scale.svg grad_norm.svg throughput.svg ");
    m_input.runs[0].scaler = "none";
    EXPECT_EQ(files(), "loss.svg grad_norm.svg throughput.svg ");
    m_input.runs[0].scaler = "static";
    m_records[3].flags |= kFlagSkipped;
    m_records.back().skippedTotal = 1;
    EXPECT_EQ(files(), "loss.svg loss_scale.svg skipped.svg grad_norm.svg throughput.svg ");
}

TEST_F(ReportTest, EachNonFiniteValueIsOneGlyphOfItsKind) {
    m_records[5].loss = std::numeric_limits<double>::infinity();
    m_records[6].loss = -std::numeric_limits<double>::infinity();
    m_records[7].loss = std::nan("");
    m_records[9].flags |= kFlagSkipped;
    const auto plots = reportPlots(m_input);
    const auto& edges = plots[0].plot.series[0].edges;
    ASSERT_EQ(edges.size(), 3u);
    EXPECT_EQ(edges[0].step, 5);
    EXPECT_EQ(edges[0].glyph, svg::Glyph::PositiveInf);
    EXPECT_EQ(edges[1].glyph, svg::Glyph::NegativeInf);
    EXPECT_EQ(edges[2].glyph, svg::Glyph::NaN);
    EXPECT_TRUE(std::isnan(plots[0].plot.series[0].points[5].y));
    EXPECT_TRUE(std::isfinite(plots[0].plot.series[0].points[8].y)) << "smoothing must not spread what is not finite";
    ASSERT_EQ(plots[1].plot.series[0].edges.size(), 1u);
    EXPECT_EQ(plots[1].plot.series[0].edges[0].glyph, svg::Glyph::Skipped);
}

TEST_F(ReportTest, SlowStepsCountInTheThroughputByTheirTime) {
    for (std::size_t k = 0; k < m_records.size(); ++k) m_records[k].samplesPerSecond = k % 2 == 0 ? 1000 : 3000;
    const auto points = reportPlots(m_input).back().plot.series[0].points;
    EXPECT_NEAR(points.back().y, 1500, 100);  // 2 samples in 1/1000 + 1/3000 s
}

TEST_F(ReportTest, TheSameChangeOfSeveralRunsIsOneMarker) {
    addRun("bf16", "none");
    addRun("fp32", "none");
    for (ReportRun& run : m_input.runs) run.markers.push_back({30, "lr 0.1 to 0.2"});
    m_input.runs[1].markers.push_back({10, "clip 1 to off"});
    m_input.runs[2].markers.push_back({10, "clip 1 to off"});
    m_input.runs[0].markers.push_back({40, "loss scale 2^3 to 2^4"});
    const auto markers = reportPlots(m_input)[0].plot.markers;
    ASSERT_EQ(markers.size(), 3u);
    EXPECT_EQ(markers[0].label, "2 runs: clip 1 to off");
    EXPECT_EQ(markers[0].identities, (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(markers[1].label, "all runs: lr 0.1 to 0.2");
    EXPECT_EQ(markers[2].label, "fp16 scaled: loss scale 2^3 to 2^4");
}

TEST_F(ReportTest, NothingOfTheInputBecomesMarkup) {
    m_input.title = "<script>";
    m_input.experimentJson = "{\"a\": \"</pre>\"}";
    m_input.machine = m_input.runs[0].name = m_input.runs[0].policy = m_input.runs[0].health = "<script>&\"";
    m_input.runs[0].markers = {{1, "lr <0.1>"}};
    const std::string html = page();
    EXPECT_EQ(html.find("<script>"), std::string::npos);
    EXPECT_NE(html.find("&lt;script&gt;"), std::string::npos);
    EXPECT_EQ(html.find("</pre>\"}"), std::string::npos);
    EXPECT_NE(read("loss.svg").find("lr &lt;0.1&gt;"), std::string::npos);
}

TEST_F(ReportTest, ARunWithoutAStepHasARow) {
    m_records.clear();
    const std::string html = page();
    EXPECT_NE(html.find("fp16 scaled"), std::string::npos);
    EXPECT_EQ(read("run_0.csv"), std::string(kCsvHeader) + "\n");
    m_input.runs.clear();
    EXPECT_NO_THROW(writeReport(m_input, m_folder));
}

TEST_F(ReportTest, AFolderThatCannotBeWrittenIsSaid) {
    EXPECT_THROW(writeReport(m_input, "/proc/nowhere"), fs::filesystem_error);
    fs::create_directories(m_folder / "index.html");  // in the way
    EXPECT_THROW(writeReport(m_input, m_folder), fs::filesystem_error);
}

}  // namespace
}  // namespace mantissa
