// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_overlays.h"

#include <QPushButton>
#include <algorithm>
#include <cmath>

#include "gui/app/icon.h"
#include "gui/plots/canvas.h"
#include "gui/plots/overlays.h"

namespace mantissa::gui {

PlotOverlays::PlotOverlays(QWidget* board, Canvas* canvas, const SessionModel* session, const PlotPanels& panels, const PlotChoice& choice,
                           const PlotAxes& axes, GlyphLegend* legend)
    : m_board(board),
      m_canvas(canvas),
      m_session(session),
      m_panels(panels),
      m_choice(choice),
      m_axes(axes),
      m_legend(legend),
      m_followButton(new QPushButton(tr("Follow"), board)),
      m_xName(new QPushButton(board)),
      m_choose(new QPushButton(tr("Plots \u25BE"), board)),
      m_frozenTab(new FrozenTab(board)),
      m_empty(new EmptyState(board)) {
    m_followButton->setObjectName(QStringLiteral("followButton"));
    m_followButton->setAccessibleName(tr("Follow the newest steps"));
    m_followButton->setFocusPolicy(Qt::TabFocus);
    m_followButton->setProperty("kind", "accent");
    m_followButton->setIcon(themedIcon(QStringLiteral("follow"), IconInk::AccentText));
    m_followButton->hide();
    connect(m_followButton, &QPushButton::clicked, this, &PlotOverlays::followRequested);
    for (QPushButton* button : {m_xName, m_choose}) {
        button->setProperty("look", "fold");
        button->setFocusPolicy(Qt::TabFocus);
        button->setCursor(Qt::PointingHandCursor);
    }
    m_xName->setObjectName(QStringLiteral("xAxisButton"));
    connect(m_xName, &QPushButton::clicked, this, [this] { emit axisMenuRequested(m_xName->mapToGlobal(QPoint(0, 0))); });
    m_choose->setObjectName(QStringLiteral("plotsButton"));
    m_choose->setAccessibleName(tr("Choose the plots"));
    m_choose->setToolTip(tr("Which plots are shown, and in which order"));
    connect(m_choose, &QPushButton::clicked, this, [this] { emit plotsMenuRequested(m_choose->mapToGlobal(QPoint(0, 0))); });
}

void PlotOverlays::place() {
    m_followButton->adjustSize();
    placeButtons();
    const int right = m_choose->x() - 12;
    const int lift = m_choice.isCompact() ? 0 : 2;
    m_followButton->move(right - m_followButton->width(), m_canvas->geometry().bottom() - m_followButton->height() - lift);
    m_followButton->raise();
    m_frozenTab->move(right - m_frozenTab->width(), m_board->height() - kEdge - m_frozenTab->height());
    m_frozenTab->raise();
    const bool isEmpty = m_session->plottedSteps() == 0;
    if (isEmpty) placeEmptyState();
    m_empty->setVisible(isEmpty);
}

void PlotOverlays::placeButtons() {
    const QString name = axisName(m_axes.xAxis());
    m_xName->setText(tr("%1 \u25BE").arg(name));
    m_xName->setAccessibleName(tr("x axis: %1").arg(name));
    m_xName->setToolTip(quantityMeaning(m_axes.xAxis().quantity));
    m_legend->absent = m_axes.absentRuns();
    // Aligned with the legend of the glyphs. The plots may be drawn larger than their layout.
    const double zoom = m_canvas->zoom();
    const QRect last = m_panels.shown().back()->rect()->rect();
    const auto right = static_cast<int>(std::lround((last.right() + 3) * zoom));
    const auto middle = static_cast<int>(std::lround((last.bottom() + (m_legend->isCompact ? 34 : 38)) * zoom));
    m_xName->resize(m_xName->sizeHint());
    m_xName->move(m_canvas->x() + right - m_xName->width(), m_canvas->y() + middle - m_xName->height() / 2);
    m_xName->raise();
    m_choose->setVisible(!m_choice.showsAlone() && !m_board->testAttribute(Qt::WA_DontShowOnScreen));
    m_choose->resize(m_choose->sizeHint());
    m_choose->move(m_xName->x() - 4 - m_choose->width(), m_xName->y());
    m_choose->raise();
    m_legend->rightRoom = static_cast<int>((m_xName->width() + (m_choice.showsAlone() ? 0 : m_choose->width() + 4)) / zoom);
}

void PlotOverlays::placeEmptyState() {
    const auto& runs = m_session->runs();
    if (runs.empty() && !m_session->listensAt().isEmpty())
        m_empty->setTexts(tr("Listening for a training"), tr("Start the script with the probe: its lines appear here."));
    else if (runs.empty())
        m_empty->setTexts(tr("No runs yet"), tr("Open an experiment, or add a run: each one gets its own line here."));
    else if (std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run->isWatched(); }))
        m_empty->setTexts(tr("Connected"), tr("The first step appears when the script has done it."));
    else
        m_empty->setTexts(tr("Ready to train"), tr("Start training, or take a single step. Each run draws its own line, step by step."));
    const QRectF loss(m_panels.shown().front()->rect()->rect());
    const QRect place = QRectF(loss.topLeft() * m_canvas->zoom(), loss.size() * m_canvas->zoom()).toRect();
    m_empty->setGeometry(place.translated(m_canvas->geometry().topLeft()));
    m_empty->raise();
}

void PlotOverlays::setFollowing(bool following) {
    m_followButton->setVisible(!following);
    place();
}

void PlotOverlays::setFrozen(bool frozen) {
    m_frozenTab->setVisible(frozen);
    m_legend->hasHint = !frozen;
}

void PlotOverlays::setUnseen(std::int64_t frozenStep, std::int64_t unseen) {
    m_frozenTab->setCounts(frozenStep, unseen);
    place();
}

}  // namespace mantissa::gui
