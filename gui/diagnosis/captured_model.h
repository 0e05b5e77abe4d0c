// SPDX-License-Identifier: GPL-3.0-or-later
// Item model of the examined (captured) steps of all runs, newest last, with cause and loss scale, and the list of them grouped by verdict.
// GUI thread only.
#pragma once

#include <QAbstractListModel>
#include <QListView>
#include <QStyledItemDelegate>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "gui/link/session_model.h"

namespace mantissa::gui {

struct CapturedStep {
    RunId run = -1;
    std::int64_t step = -1;
    bool operator==(const CapturedStep&) const = default;
};

class CapturedModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        ScaleRole = Qt::UserRole,
        VerdictRole,
        IdentityRole,
        GlyphRole,
        PlaceRole,
        SilentRole
    };  // no glyph: all numbers were finite
    /// Updates with the lab's signals; slots connected to them after the model's creation see the updated model.
    explicit CapturedModel(const SessionModel* session, QObject* parent);
    const std::vector<CapturedStep>& steps() const { return m_steps; }
    QModelIndex indexOf(const CapturedStep& step) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    const SessionModel* m_session;
    std::vector<CapturedStep> m_steps;
    void refresh();
};

/// Groups the captured steps under a header for each verdict; steps that are normal for a dynamic scaler share one group, folded at first.
class CapturedGroups : public QAbstractListModel {
    Q_OBJECT
public:
    /// Rows with a step have StepRow; group headers have the other roles.
    enum Role { StepRow = Qt::UserRole + 32, CountRole, FoldedRole };
    CapturedGroups(CapturedModel* model, const SessionModel* session, QObject* parent);
    /// Returns the step of a row; nothing for a group's header.
    std::optional<CapturedStep> stepAt(const QModelIndex& index) const;
    /// Returns the row of a step, or of its group's header if that is folded; invalid: there is no such step.
    QModelIndex indexOf(const CapturedStep& step) const;
    /// Folds or unfolds the group of a header.
    void toggle(const QModelIndex& line);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    /// A verdict, or -1 for all normal steps.
    using Group = int;
    static constexpr Group kNormal = -1;
    struct Row {
        Group group = kNormal;
        int source = -1;  // the row in the model; -1: the group's header
        bool operator==(const Row&) const = default;
    };
    CapturedModel* m_model;
    const SessionModel* m_session;
    std::set<Group> m_folded{kNormal};
    std::vector<Row> m_rows;
    std::map<Group, int> m_counts;
    Group groupOf(int source) const;
    void refresh();
};

/// Whether a lesson withholds how the run is doing: the run is hidden, or a question is open.
bool isWithheld(const SessionModel& session, const RunState& run);

/// Returns the examination of a captured step; null: it no longer exists, or a lesson withholds it.
const Examination* findExamination(const SessionModel& session, const CapturedStep& step);

class CapturedList : public QListView {
    Q_OBJECT
public:
    CapturedList(CapturedModel* model, const SessionModel* session, QWidget* parent);
    /// Selects the shown step; clears the selection if it is not in the list.
    void showChosen(const CapturedStep& step);
    static constexpr int kRowPixels = 46, kLinePixels = 26;

signals:
    void chosen(int run, qint64 step);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    CapturedGroups* m_groups;
    CapturedStep m_chosen;
    bool m_isShowing = false;  // the selection is set by the program
};

}  // namespace mantissa::gui
