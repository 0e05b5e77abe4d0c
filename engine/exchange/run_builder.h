// SPDX-License-Identifier: Apache-2.0
// Puts an imported run together, point by point, by the names that the file has. One thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/exchange/imported_run.h"

namespace mantissa {

/// Where in a file: "line 12", "byte 340".
struct FilePlace {
    const char* unit = "line";
    std::uint64_t number = 0;
};

/// Throws InputError: "FILE: line 12: `sentence`".
[[noreturn]] void refuseAt(const std::string& source, FilePlace place, const std::string& sentence);

/// "3.5", "+1e-3", "nan", "Inf", "-Infinity". Throws InputError for what is none, or beyond a double.
double readNumber(std::string_view text, const std::string& source, FilePlace place, std::string_view name);

/// A step from its number. Throws InputError for what counts nothing.
std::int64_t readStep(double number, const std::string& source, FilePlace place);

/// A run's name as a run of ours may be called: never empty, and no longer than names are.
std::string fitRunName(std::string_view name);

/// What has come of a run since it was asked last.
struct RunChange {
    std::int64_t backTo = -1;            // all steps from this one on have gone before; -1: none has
    std::vector<ImportedSeries> series;  // what to add
    std::string remark;                  // of the whole run
};

class RunBuilder {
public:
    /// What a step means that is not behind the last one.
    enum class StepBack { IsRefused, Replaces };
    RunBuilder(std::string source, StepBack stepBack) : m_source(std::move(source)), m_stepBack(stepBack) {}

    /// A histogram brings several names. At most half of the plots are theirs, and names beyond half of those that a file may have are
    /// passed over, so that they leave room for scalars.
    enum class NameKind { Scalar, OfHistogram };
    /// The column of a name, for `add`; -1 for one that is nothing to plot, which the remark will list. A name means the same one always.
    int columnOf(std::string_view name, FilePlace place, NameKind kind = NameKind::Scalar);
    /// Whether the column is one of ours, and not a quantity that only the file knows.
    bool isMetric(int column) const { return m_columns[static_cast<std::size_t>(column)].series.metric != Metric::Other; }
    void add(int column, std::int64_t step, double value, FilePlace place);
    /// The same from a cell. A column that only the file knows and that holds anything but numbers is left out.
    void add(int column, std::int64_t step, std::string_view cell, FilePlace place);
    /// The file's format says that it is of a training: it is shown without any of our metrics too.
    void expectTraining() { m_isTraining = true; }
    /// Another sentence for people.
    void addRemark(const std::string& remark);

    ImportedRun finish(std::string_view name);

    /// The step of the last value that a plot shows; -1: there is none.
    std::int64_t lastStep() const;
    /// What has come since the last call.
    RunChange takeChange();
    /// Goes on from `before`, the same file as it was: only what is different from it is reported.
    void goOnFrom(const RunBuilder& before);

private:
    struct Column {
        ImportedSeries series;
        int rank = 0;
        std::size_t order = 0;     // in which the names came
        bool isLeftOut = false;    // it holds more than numbers
        std::size_t reported = 0;  // of its steps, by takeChange
        std::string title;         // under which they were reported
    };
    /// The columns that are shown, in order, each with its title; and what of the others is said.
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
    std::int64_t m_backTo = -1;  // the first step that was reported and has gone since
    bool m_isReplaced = false;   // all of it is reported again
    bool m_isTraining = false;

    Shown shown() const;
    void goBackTo(std::int64_t step);
    bool isPlotted(const Column& column) const;
};

}  // namespace mantissa
