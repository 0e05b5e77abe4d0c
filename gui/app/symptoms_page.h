// SPDX-License-Identifier: GPL-3.0-or-later
// The page of symptoms of a failing training, each with the runs that show it, its section of the guide and an example experiment. Links
// only emit signals. GUI thread only.
#pragma once

#include <QWidget>
#include <array>
#include <vector>

#include "gui/app/symptoms.h"
#include "gui/controls/delay.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {

class SymptomsPage : public QWidget {
    Q_OBJECT
public:
    SymptomsPage(const SessionModel* session, QWidget* parent);
    /// Returns the runs listed at a symptom now.
    const std::vector<SymptomSign>& signs(Symptom symptom) const { return m_rows[static_cast<std::size_t>(symptom)].signs; }

signals:
    void runRequested(int run, qint64 step);  // -1: no step in particular
    void sectionRequested(const QString& place);
    void experimentRequested(const QString& name);

private:
    struct Row {
        IconLabel* icon = nullptr;
        QLabel* title = nullptr;
        QVBoxLayout* lines = nullptr;
        std::vector<SymptomSign> signs;
    };
    void addRow(QVBoxLayout* column, Symptom symptom);
    void refresh();
    void fill(Row& row, const SymptomEntry& entry);

    const SessionModel* m_session;
    std::array<Row, kSymptoms> m_rows;
    QLabel* m_summary;
    Delay m_delay{500};
    bool m_isFilled = false;
};

}  // namespace mantissa::gui
