// SPDX-License-Identifier: GPL-3.0-or-later
// The questions of a draft as a form: a cell a row, label above control, in sections. It appears from the table of fields by itself: what
// has been added there is asked here. GUI thread only.
#pragma once

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>
#include <map>
#include <memory>

#include "engine/experiment/draft.h"

namespace mantissa::gui {

/// Label and control of one row. The control never overwrites what is being typed.
class DraftCell : public QWidget {
    Q_OBJECT
public:
    DraftCell(const DraftRow& row, QWidget* parent);
    /// Another value, other choices; the kind stays.
    void setRow(const DraftRow& row);
    const DraftRow& row() const { return m_row; }
    /// A path takes a whole line of the form.
    bool isWide() const { return m_row.kind == FieldKind::Path; }
    void setRefused(bool refused);
    /// Of a choice: only these can be chosen. Empty: all.
    void setOffered(const std::vector<std::string>& offered);
    QWidget* control() const;
    /// The last that Tab reaches here.
    QWidget* lastControl() const { return m_browser != nullptr ? m_browser : control(); }

signals:
    /// Null: not given.
    void changed(const Json& value);

private:
    DraftRow m_row;
    QLabel* m_label;
    QLineEdit* m_edit = nullptr;
    QComboBox* m_choice = nullptr;
    QWidget* m_browser = nullptr;

    void buildControl();
    void addBrowser(QLayout* line);
    void browse();
    void showValue();
};

class DraftForm : public QWidget {
    Q_OBJECT
public:
    explicit DraftForm(QWidget* parent);
    void show(const std::vector<DraftRow>& rows);
    /// Tab goes from there to the first field.
    void setTabBegin(QWidget* before) { m_tabBegin = before; }
    /// A sentence under the head of a section: what the data are, what the model is.
    void setSummary(DraftSection section, const QString& text);
    /// Shows what is wrong under the row that `pointer` is or lies in, and returns that; null when there is none. An empty sentence takes
    /// it away.
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
    std::vector<DraftCell*> m_order;            // as shown
    std::map<std::string, DraftCell*> m_cells;  // by pointer
    std::map<const DraftCell*, int> m_lines;    // of its section's grid
    QWidget* m_tabBegin = nullptr;
    QLabel* m_problem;
    DraftCell* m_concerned = nullptr;  // by the problem
    int m_columns = 3;

    Section& sectionOf(DraftSection section) { return m_sections[static_cast<std::size_t>(section)]; }
    void place();
    void placeProblem();
};

}  // namespace mantissa::gui
