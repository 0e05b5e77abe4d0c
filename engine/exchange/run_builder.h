// SPDX-License-Identifier: Apache-2.0
// Builds an imported run, point by point, by the file's names. One thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/exchange/imported_run.h"

namespace mantissa {

/// A place in a file: "line 12", "byte 340".
struct FilePlace {
    const char* unit = "line";
    std::uint64_t number = 0;
};

/// Throws InputError: "FILE: line 12: `sentence`".
[[noreturn]] void refuseAt(const std::string& source, FilePlace place, const std::string& sentence);

/// Parses "3.5", "+1e-3", "nan", "Inf", "-Infinity". Throws InputError for other text, or beyond a double's range.
double readNumber(std::string_view text, const std::string& source, FilePlace place, std::string_view name);

/// Converts a number to a step. Throws InputError if it is not a valid count.
std::int64_t readStep(double number, const std::string& source, FilePlace place);

/// Makes a valid run name: not empty, and within the length limit.
std::string fitRunName(std::string_view name);

/// Changes of a run since the last report.
struct RunChange {
    std::int64_t backTo = -1;            // all steps from this one on were removed first; -1: none
    std::vector<ImportedSeries> series;  // values to add
    std::string remark;                  // of the whole run
};

class RunBuilder {
public:
    /// The meaning of a step that does not follow the last one.
    enum class StepBack { IsRefused, Replaces };
    RunBuilder(std::string source, StepBack stepBack) : m_source(std::move(source)), m_stepBack(stepBack) {}

    /// Whether a name is a scalar's or one of a histogram's several names. Histograms get at most half of the plots, and half of a file's
    /// names; further ones are ignored, to leave room for scalars.
    enum class NameKind { Scalar, OfHistogram };
    /// The column of a name, for `add`; -1 for a name that is not plotted, which the remark lists. The result for a name never changes.
    int columnOf(std::string_view name, FilePlace place, NameKind kind = NameKind::Scalar);
    /// Whether the column is one of our metrics, not a quantity of the file only.
    bool isMetric(int column) const { return m_columns[static_cast<std::size_t>(column)].series.metric != Metric::Other; }
    void add(int column, std::int64_t step, double value, FilePlace place);
    /// Adds a value from a cell's text. A column that is not one of our metrics and has other text than numbers is left out.
    void add(int column, std::int64_t step, std::string_view cell, FilePlace place);
    /// Declares that the file's format is a training log: it is shown even without one of our metrics.
    void expectTraining() { m_isTraining = true; }
    /// Adds a sentence to the remark.
    void addRemark(const std::string& remark);

    ImportedRun finish(std::string_view name);

    /// The step of the last plotted value; -1: none.
    std::int64_t lastStep() const;
    /// Returns the changes since the last call.
    RunChange takeChange();
    /// Continues from `before`, an earlier reading of the file: only differences are reported.
    void goOnFrom(const RunBuilder& before);

private:
    struct Column {
        ImportedSeries series;
        int rank = 0;
        std::size_t order = 0;     // in which the names were found
        bool isLeftOut = false;    // it has more than numbers
        std::size_t reported = 0;  // number of its steps reported by takeChange
        std::string title;         // reported title
    };
    /// The shown columns in order, each with its title, and the remark on the others.
    struct Shown {
        struct Place {
            std::size_t column = 0;
            std::string title;  // of Metric::Other
        };
        std::vector<Place> places;
        std::string remark;
    };
    std::string m_source;
    StepBack m_stepBack;
    std::map<std::string, int, std::less<>> m_names;  // to its column, or -1
    std::vector<Column> m_columns;
    std::size_t m_others = 0;                                    // of them
    std::size_t m_ofHistograms = 0;                              // of the others
    std::vector<std::pair<std::size_t, std::string>> m_unknown;  // with the order in which they came
    std::string m_remarks;
    std::int64_t m_backTo = -1;  // the first reported step that has been removed since
    bool m_isReplaced = false;   // everything is reported again
    bool m_isTraining = false;

    Shown shown() const;
    void goBackTo(std::int64_t step);
    bool isPlotted(const Column& column) const;
};

}  // namespace mantissa
