// SPDX-License-Identifier: GPL-3.0-or-later
// All steps of all runs that were looked at closer, newest last: which, why, at what scale; and the list of them, by verdict. GUI thread
// only.
#pragma once

#include <QAbstractListModel>
#include <QListView>
#include <QStyledItemDelegate>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "gui/link/lab.h"

namespace mantissa::gui {

struct CapturedStep {
    RunId run = -1;
    std::int64_t step = -1;
    bool operator==(const CapturedStep&) const = default;
};

class CapturedModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { ScaleRole = Qt::UserRole, VerdictRole, IdentityRole, GlyphRole, PlaceRole };  // no glyph: nothing was wrong
    /// Follows the lab; who listens to the lab's signals after the model was made finds it as they say.
    explicit CapturedModel(const Lab* lab, QObject* parent);
    const std::vector<CapturedStep>& steps() const { return m_steps; }
    QModelIndex indexOf(const CapturedStep& step) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    const Lab* m_lab;
    std::vector<CapturedStep> m_steps;
    void refresh();
};

/// The same steps under a line for each verdict, and those that are normal for a dynamic scaler under one that is folded at first.
class CapturedGroups : public QAbstractListModel {
    Q_OBJECT
public:
    /// The step that a row stands for is StepRow; a group's line has the others.
    enum Role { StepRow = Qt::UserRole + 32, CountRole, FoldedRole };
    CapturedGroups(CapturedModel* model, const Lab* lab, QObject* parent);
    /// Nothing for a group's line.
    std::optional<CapturedStep> stepAt(const QModelIndex& index) const;
    /// Of the step, or of its group's line where that is folded; invalid: there is no such step.
    QModelIndex indexOf(const CapturedStep& step) const;
    /// Folds or unfolds the group of a line.
    void toggle(const QModelIndex& line);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    /// A verdict, or all that is normal: -1.
    using Group = int;
    static constexpr Group kNormal = -1;
    struct Row {
        Group group = kNormal;
        int source = -1;  // the row in the model; -1: the group's line
        bool operator==(const Row&) const = default;
    };
    CapturedModel* m_model;
    const Lab* m_lab;
    std::set<Group> m_folded{kNormal};
    std::vector<Row> m_rows;
    std::map<Group, int> m_counts;
    Group groupOf(int source) const;
    void refresh();
};

/// What the lab knows of a captured step; null: it is no more.
const Examination* findExamination(const Lab& lab, const CapturedStep& step);

class CapturedList : public QListView {
    Q_OBJECT
public:
    CapturedList(CapturedModel* model, const Lab* lab, QWidget* parent);
    /// Marks the step that is shown; a step that is not in the list: none.
    void showChosen(const CapturedStep& step);
    static constexpr int kRowPixels = 46, kLinePixels = 26;

signals:
    void chosen(int run, qint64 step);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    class Delegate;
    CapturedGroups* m_groups;
    CapturedStep m_chosen;
    bool m_isShowing = false;  // the choice comes from elsewhere
};

}  // namespace mantissa::gui
