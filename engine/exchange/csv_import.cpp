// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "engine/exchange/line_reader.h"
#include "engine/exchange/log_reader.h"
#include "engine/exchange/metric_names.h"
#include "engine/exchange/run_builder.h"
#include "engine/exchange/trimmed.h"

namespace mantissa {
namespace {

/// Rows as in RFC 4180: quoted cells may contain separators, doubled quotes and line ends.
class CsvRows {
public:
    explicit CsvRows(const std::string& source) : m_lines(source), m_source(source) {}

    void goOn(std::istream& in, bool mayGrow) { m_lines.goOn(in, mayGrow); }
    std::uint64_t position() const { return m_lines.mark().position; }

    /// The next row that is not blank. `cells` never shrinks; `count` is the number of cells in this row.
    bool next(std::vector<std::string>& cells, std::size_t& count) {
        std::string_view line;
        LineReader::Mark begin;
        do {
            begin = m_lines.mark();
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
                if (!takeQuoted(line, i, cell)) {
                    m_lines.goBack(begin);  // the row is incomplete
                    return false;
                }
            } else {
                const std::size_t end = std::min(line.find(m_separator, i), line.size());
                cell = trimmed(line.substr(i, end - i));
                i = end + 1;  // past the separator or the end
            }
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

    /// The separator that is most frequent in the header line.
    static char separatorOf(std::string_view line) {
        char best = ',';
        for (const char candidate : {';', '\t'}) {
            if (std::count(line.begin(), line.end(), candidate) > std::count(line.begin(), line.end(), best)) best = candidate;
        }
        return best;
    }

    /// Reads from the quote at `i` to past the separator after the closing quote, over several lines if necessary. False if a file that may
    /// grow ends before.
    bool takeQuoted(std::string_view& line, std::size_t& i, std::string& cell) {
        constexpr std::size_t kMaxCellBytes = 1u << 20;
        for (++i;; ++i) {
            if (i >= line.size()) {
                const bool isTooLong = cell.size() > kMaxCellBytes;
                if (isTooLong || !m_lines.next(line)) {
                    if (!isTooLong && m_lines.mayGrow()) return false;
                    refuseAt(m_source, m_place, "a quote is not closed");
                }
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
        ++i;
        return true;
    }
};

class CsvReader : public LogReader {
public:
    CsvReader(RunBuilder& builder, const std::string& source) : LogReader(builder), m_rows(source), m_source(source) {}

    void read(std::istream& in, std::uint64_t, bool mayGrow) override {
        m_rows.goOn(in, mayGrow);
        std::size_t count = 0;
        if (m_names.empty() && !takeNames()) return;
        while (m_rows.next(m_cells, count)) {
            if (count < m_names.size() && m_rows.isCut()) {
                m_builder.addRemark("the last line is cut and was left out");
                break;
            }
            takeRow(count);
            ++m_row;
        }
    }
    std::uint64_t position() const override { return m_rows.position(); }

private:
    CsvRows m_rows;
    std::string m_source;
    std::vector<std::string> m_cells, m_names;
    std::vector<int> m_columns;
    std::optional<std::size_t> m_stepColumn;
    std::int64_t m_row = 0;

    /// Reads the first row; false if it is incomplete.
    bool takeNames() {
        std::size_t width = 0;
        if (!m_rows.next(m_cells, width)) return false;
        m_names.assign(m_cells.begin(), m_cells.begin() + static_cast<std::ptrdiff_t>(width));
        int stepRank = 0;
        for (std::size_t i = 0; i < width; ++i) {
            const std::optional<int> rank = stepNameRank(m_names[i]);
            if (rank && (!m_stepColumn || *rank < stepRank)) m_stepColumn = i, stepRank = *rank;
        }
        m_columns.assign(width, -1);
        std::set<std::string_view> seen;
        for (std::size_t i = 0; i < width; ++i) {
            const std::string& name = m_names[i];
            if (!name.empty() && !seen.insert(name).second) refuseAt(m_source, m_rows.place(), "two columns are named '" + name + "'");
            if (i != m_stepColumn && !name.empty()) m_columns[i] = m_builder.columnOf(name, m_rows.place());
        }
        return true;
    }

    void takeRow(std::size_t count) {
        const FilePlace place = m_rows.place();
        if (count != m_names.size())
            refuseAt(m_source, place, "has " + std::to_string(count) + " cells where the first line has " + std::to_string(m_names.size()));
        const std::int64_t step =
            m_stepColumn ? readStep(readNumber(m_cells[*m_stepColumn], m_source, place, m_names[*m_stepColumn]), m_source, place) : m_row;
        for (std::size_t i = 0; i < count; ++i)
            if (m_columns[i] >= 0 && !m_cells[i].empty()) m_builder.add(m_columns[i], step, std::string_view(m_cells[i]), place);
    }
};

}  // namespace

std::unique_ptr<LogReader> makeCsvReader(RunBuilder& builder, const std::string& source) {
    return std::make_unique<CsvReader>(builder, source);
}

}  // namespace mantissa
