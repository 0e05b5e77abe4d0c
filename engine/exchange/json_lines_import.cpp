// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "engine/exchange/exported_run.h"
#include "engine/exchange/json_numbers.h"
#include "engine/exchange/line_reader.h"
#include "engine/exchange/log_reader.h"
#include "engine/exchange/metric_names.h"
#include "engine/exchange/run_builder.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

class JsonLinesReader : public LogReader {
public:
    JsonLinesReader(RunBuilder& builder, const std::string& source) : LogReader(builder), m_lines(source), m_source(source) {}

    void read(std::istream& in, std::uint64_t, bool mayGrow) override {
        m_lines.goOn(in, mayGrow);
        std::string_view line;
        while (m_lines.next(line)) {
            if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
            Json object;
            try {
                object = readJson(quoteNonFinite(line), "");
            } catch (const InputError& error) {
                if (m_lines.isCut()) {
                    m_builder.addRemark("the last line is cut and was left out");
                    break;
                }
                const std::string at = error.pointer().empty() ? "" : "at " + error.pointer() + ": ";
                refuseAt(m_source, m_lines.place(), at + error.sentence());
            }
            if (!object.is_object()) refuseAt(m_source, m_lines.place(), "is no object, as each line has to be");
            take(object);
        }
    }
    std::uint64_t position() const override { return m_lines.mark().position; }
    std::string name() const override { return m_name; }

private:
    LineReader m_lines;
    std::string m_source, m_name;
    bool m_isOurs = false;
    std::optional<bool> m_hasSteps;  // whether the first object with a value had a step
    std::int64_t m_row = 0;

    void take(const Json& object) {
        if (const auto schema = object.find("schema"); schema != object.end() && *schema == kJsonLinesSchema) return takeHead(object);
        if (m_isOurs && object.contains("event")) return;
        std::vector<std::pair<int, double>> values;
        std::optional<int> stepRank;
        double step = 0;
        gather(object, "", values, stepRank, step);
        // An object without our metrics does not determine whether the lines have steps: it may be a configuration.
        const bool hasMetric = std::any_of(values.begin(), values.end(), [&](const auto& each) { return m_builder.isMetric(each.first); });
        if (values.empty() || (!hasMetric && !m_hasSteps && !stepRank)) return;
        if (!m_hasSteps) m_hasSteps = stepRank.has_value();
        if (*m_hasSteps && !stepRank) return;  // a summary or configuration, which has no step
        const std::int64_t at = *m_hasSteps ? readStep(step, m_source, m_lines.place()) : m_row++;
        for (const auto& [column, value] : values) m_builder.add(column, at, value, m_lines.place());
    }

    void takeHead(const Json& head) {
        const auto version = head.find("version");
        if (version == head.end() || !version->is_number_integer() || *version > kJsonLinesVersion) {
            refuseAt(m_source, m_lines.place(), "it was written by a newer version of mantissa");
        }
        m_isOurs = true;
        if (const auto run = head.find("run"); run != head.end() && run->is_string()) m_name = run->get<std::string>();
    }

    /// Collects the values and the step of an object and of nested objects.
    void gather(const Json& object, const std::string& prefix, std::vector<std::pair<int, double>>& values, std::optional<int>& stepRank,
                double& step) {
        for (const auto& [key, value] : object.items()) {
            const std::string name = prefix + key;
            if (value.is_object()) {
                gather(value, name + "/", values, stepRank, step);
                continue;
            }
            const std::optional<double> number = looseNumberOf(value);
            if (!number) continue;
            if (const std::optional<int> rank = stepNameRank(name)) {
                if (!stepRank || *rank < *stepRank) stepRank = rank, step = *number;
                continue;
            }
            if (const int column = m_builder.columnOf(name, m_lines.place()); column >= 0) values.emplace_back(column, *number);
        }
    }
};

}  // namespace

std::unique_ptr<LogReader> makeJsonLinesReader(RunBuilder& builder, const std::string& source) {
    return std::make_unique<JsonLinesReader>(builder, source);
}

}  // namespace mantissa
