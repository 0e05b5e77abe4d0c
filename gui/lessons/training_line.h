// SPDX-License-Identifier: GPL-3.0-or-later
// A thin line with the progress of the training that a lesson waits for. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/app/theme.h"

namespace mantissa::gui {

class TrainingLine : public QWidget {
    Q_OBJECT
public:
    explicit TrainingLine(QWidget* parent);
    void setProgress(std::int64_t done, std::int64_t until);
    QSize sizeHint() const override { return {100, 4}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_share = 0;
};

}  // namespace mantissa::gui
