// SPDX-License-Identifier: GPL-3.0-or-later
// All steps of all runs that were looked at closer, newest last: which, why, at what scale. GUI thread only.
#pragma once

#include <QAbstractListModel>
#include <QListView>
#include <QStyledItemDelegate>

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
    enum Role { ScaleRole = Qt::UserRole, VerdictRole, IdentityRole, GlyphRole };  // no glyph: nothing was wrong
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

/// What the lab knows of a captured step; null: it is no more.
const Examination* findExamination(const Lab& lab, const CapturedStep& step);

class CapturedList : public QListView {
    Q_OBJECT
public:
    CapturedList(CapturedModel* model, QWidget* parent);
    /// Marks the step that is shown; a step that is not in the list: none.
    void showChosen(const CapturedStep& step);
    static constexpr int kRowPixels = 46;

signals:
    void chosen(int run, qint64 step);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    class Delegate;
    CapturedModel* m_model;
    CapturedStep m_chosen;
    bool m_isShowing = false;  // the choice comes from elsewhere
};

}  // namespace mantissa::gui
