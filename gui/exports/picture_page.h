// SPDX-License-Identifier: GPL-3.0-or-later
// The export dialog's page for pictures: plot, file format, size and theme, with a preview.
#pragma once

#include <QWidget>

#include "gui/controls/delay.h"
#include "gui/controls/parts.h"
#include "gui/exports/plot_clipboard.h"
#include "gui/plots/board_picture.h"

namespace mantissa::gui {

class PlotBox;

class PicturePage : public QWidget {
    Q_OBJECT
public:
    PicturePage(SessionModel* session, const PlotBoard* board, QWidget* parent);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    BoardPicture picture() const;
    PictureFormat format() const;
    ThemeKind theme() const;
    void refresh();
    void copy(CopyAs as);
    void save();
    void say(const QString& text, bool isProblem) { showStyled(m_said, text, isProblem ? "danger" : "secondary"); }

    SessionModel* m_session;
    const PlotBoard* m_board;
    PlotBox* m_plot;
    ComboBox *m_format, *m_scale, *m_theme;
    QLabel *m_preview, *m_note, *m_said;
    Delay m_timer;
};

}  // namespace mantissa::gui
