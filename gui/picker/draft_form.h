// SPDX-License-Identifier: GPL-3.0-or-later
// A form for a draft: a cell per field, label above control, in sections. It is generated from the table of fields. GUI thread only.
#pragma once

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <map>

#include "engine/experiment/draft.h"

namespace mantissa::gui {

/// Label and control of one field. The control never overwrites text that is being edited.
class DraftCell : public QWidget {
    Q_OBJECT
public:
    DraftCell(const DraftRow& row, QWidget* parent);
    /// Updates value and choices; the kind must stay.
    void setRow(const DraftRow& row);
    const DraftRow& row() const { return m_row; }
    /// Returns whether it takes a whole row, as a path does.
    bool isWide() const { return m_row.kind == FieldKind::Path; }
    /// Returns whether it is a path that is not given: what it needs is a hint, not an error.
    bool isEmptyPath() const { return m_row.kind == FieldKind::Path && (m_row.value.is_null() || m_row.value == ""); }
    void setRefused(bool refused);
    /// Limits a choice to these values. Empty: all.
    void setOffered(const std::vector<std::string>& offered);
    QWidget* control() const { return m_choice != nullptr ? static_cast<QWidget*>(m_choice) : m_edit; }
    /// Returns the last control in the tab order of the cell.
    QWidget* lastControl() const { return m_browser != nullptr ? m_browser : control(); }

signals:
    /// Emitted when the value changes; null: not given.
    void changed(const Json& value);

private:
    DraftRow m_row;
    QLabel* m_label;
    QLineEdit* m_edit = nullptr;
    QComboBox* m_choice = nullptr;
    QWidget* m_browser = nullptr;

    void buildControl();
    void browse();
    void showValue();
};

class DraftForm : public QWidget {
    Q_OBJECT
public:
    explicit DraftForm(QWidget* parent);
    void show(const std::vector<DraftRow>& rows);
    /// Sets the widget before the first field in the tab order.
    void setTabBegin(QWidget* before) { m_tabBegin = before; }
    /// Sets a sentence below the header of a section, which describes the data or the model.
    void setSummary(DraftSection section, const QString& text) { sectionOf(section).summary->setText(text); }
    /// Shows an error below the field that `pointer` is or belongs to, and returns its cell; null if there is none. At an empty path it is
    /// a hint, in the ink of secondary text. An empty sentence removes it.
    const DraftCell* showProblem(const std::string& pointer, const QString& sentence);
    DraftCell* cell(const std::string& pointer) const;

signals:
    void changed(const std::string& pointer, const Json& value);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Section {
        QLabel* summary = nullptr;
        QGridLayout* grid = nullptr;
    };
    std::array<Section, kDraftSections.size()> m_sections;
    std::vector<DraftCell*> m_order;            // in display order
    std::map<std::string, DraftCell*> m_cells;  // by pointer
    std::map<const DraftCell*, int> m_lines;    // row in its section's grid
    QWidget* m_tabBegin = nullptr;
    QLabel* m_problem;
    DraftCell* m_concerned = nullptr;  // the cell with the error
    int m_columns = 3;

    Section& sectionOf(DraftSection section) { return m_sections[static_cast<std::size_t>(section)]; }
    void place();
    void placeProblem();
};

}  // namespace mantissa::gui
