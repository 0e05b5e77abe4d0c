// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "engine/exchange/line_reader.h"
#include "engine/exchange/metric_names.h"
#include "engine/exchange/run_builder.h"
#include "engine/exchange/trimmed.h"

namespace mantissa {
namespace {

/// Rows as RFC 4180 has them: quoted cells may hold separators, doubled quotes and ends of lines.
class CsvRows {
public:
    CsvRows(std::istream& in, const std::string& source) : m_lines(in, source), m_source(source) {}

    /// The next row that is not blank; `cells` is only ever made longer, `count` says how many are this row's.
    bool next(std::vector<std::string>& cells, std::size_t& count) {
        std::string_view line;
        do {
            if (!m_lines.next(line)) return false;
        } while (trimmed(line).empty());
        m_place = m_lines.place();
        if (m_separator == 0) m_separator = separatorOf(line);
        count = 0;
        for (std::size_t i = 0; i <= line.size();) {
            if (count == cells.size()) cells.emplace_back();
            std::string& cell = cells[count++];
            cell.clear();
            if (i < line.size() && line[i] == '"') {
                takeQuoted(line, i, cell);
            } else {
                const std::size_t end = std::min(line.find(m_separator, i), line.size());
                cell = trimmed(line.substr(i, end - i));
                i = end;
            }
            ++i;  // over the separator, or past the end
        }
        return true;
    }
    FilePlace place() const { return m_place; }
    bool isCut() const { return m_lines.isCut(); }

private:
    LineReader m_lines;
    std::string m_source;
    FilePlace m_place;
    char m_separator = 0;

    /// The one of them that the line of names has most of.
    static char separatorOf(std::string_view line) {
        char best = ',';
        for (const char candidate : {';', '\t'}) {
            if (std::count(line.begin(), line.end(), candidate) > std::count(line.begin(), line.end(), best)) best = candidate;
        }
        return best;
    }

    /// From the quote at `i` to behind the one that closes it, into following lines if need be.
    void takeQuoted(std::string_view& line, std::size_t& i, std::string& cell) {
        constexpr std::size_t kMaxCellBytes = 1u << 20;
        for (++i;; ++i) {
            if (i >= line.size()) {
                if (cell.size() > kMaxCellBytes || !m_lines.next(line)) refuseAt(m_source, m_place, "a quote is not closed");
                cell += '\n';
                i = static_cast<std::size_t>(-1);
            } else if (line[i] != '"') {
                cell += line[i];
            } else if (i + 1 < line.size() && line[i + 1] == '"') {
                cell += line[i++];
            } else {
                break;
            }
        }
        ++i;
        if (i < line.size() && line[i] != m_separator) refuseAt(m_source, m_place, "something follows a closing quote");
    }
};

}  // namespace

ImportedRun readCsv(std::istream& in, const std::string& source) {
    CsvRows rows(in, source);
    RunBuilder builder(source, RunBuilder::StepBack::IsRefused);
    std::vector<std::string> cells;
    std::size_t width = 0;
    const std::string name = std::filesystem::path(source).stem().string();
    if (!rows.next(cells, width)) return builder.finish(name);

    const std::vector<std::string> names(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(width));
    std::optional<std::size_t> stepColumn;
    int stepRank = 0;
    for (std::size_t i = 0; i < width; ++i) {
        const std::optional<int> rank = stepNameRank(names[i]);
        if (rank && (!stepColumn || *rank < stepRank)) stepColumn = i, stepRank = *rank;
    }
    std::vector<int> columns(width, -1);
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < width; ++i) {
        if (!names[i].empty() && !seen.insert(names[i]).second) refuseAt(source, rows.place(), "two columns are named '" + names[i] + "'");
        if (i != stepColumn && !names[i].empty()) columns[i] = builder.columnOf(names[i], rows.place());
    }

    std::size_t count = 0;
    for (std::int64_t row = 0; rows.next(cells, count); ++row) {
        if (count < width && rows.isCut()) {
            builder.addRemark("the last line is cut and was left out");
            break;
        }
        if (count != width) {
            refuseAt(source, rows.place(), "has " + std::to_string(count) + " cells where the first line has " + std::to_string(width));
        }
        const std::int64_t step =
            stepColumn ? readStep(readNumber(cells[*stepColumn], source, rows.place(), names[*stepColumn]), source, rows.place()) : row;
        for (std::size_t i = 0; i < width; ++i) {
            if (columns[i] < 0 || cells[i].empty()) continue;
            builder.add(columns[i], step, std::string_view(cells[i]), rows.place());
        }
    }
    return builder.finish(name);
}

}  // namespace mantissa
