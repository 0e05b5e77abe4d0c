// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/run_style_menu.h"

#include <QMenu>
#include <QPainter>
#include <algorithm>

#include "gui/controls/run_sample.h"
#include "gui/link/run_order.h"

namespace mantissa::gui {
namespace {

constexpr int kSignPixels = 16;

QIcon styleIcon(int identity) {
    constexpr int kRatio = 2;  // for high-resolution screens
    QPixmap picture(kSignPixels * kRatio, kSignPixels * kRatio);
    picture.setDevicePixelRatio(kRatio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    const Theme& theme = Theme::current();
    drawRunSample(painter, QRectF(0, 0, kSignPixels, kSignPixels), theme.run(identity), theme.raised);
    QIcon icon(picture);
    icon.addPixmap(picture, QIcon::Disabled);  // the run's own entry is disabled and keeps its colour
    return icon;
}

/// An identity's (0..5) colour and marker.
QString identityName(int identity) {
    const QString names[] = {QObject::tr("Blue, disc"),   QObject::tr("Vermilion, square"),  QObject::tr("Green, plus"),
                             QObject::tr("Purple, ring"), QObject::tr("Amber, open square"), QObject::tr("Sky blue, star")};
    static_assert(std::size(names) == kWhatIfIdentity);
    return names[identity % kWhatIfIdentity];
}

}  // namespace

void fillStyleMenu(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run) {
    menu->clear();
    const RunState* state = session->run(run);
    if (!state || state->isWhatIf()) return;
    const std::vector<RunStyle> requested = stylesOf(*session);
    for (int identity = 0; identity < kWhatIfIdentity; ++identity) {
        const auto worn = std::ranges::find(requested, identity, &RunStyle::identity);
        const RunState* wearer = worn == requested.end() ? nullptr : session->run(worn->run);
        const bool isOwn = wearer == state;
        const QString name = identityName(identity);
        QAction* action = menu->addAction(styleIcon(identity), isOwn    ? QObject::tr("%1, as now").arg(name)
                                                               : wearer ? QObject::tr("%1, swapped with %2").arg(name, wearer->name())
                                                                        : name);
        action->setEnabled(engine->isRunning() && !isOwn);
        QObject::connect(action, &QAction::triggered, engine, [session, engine, run, identity] {
            if (auto styles = stylesRecoloured(*session, run, identity); !styles.empty()) engine->send(ArrangeRuns{std::move(styles)});
        });
    }
}

void moveRun(SessionModel* session, EngineClient* engine, RunId run, int by) {
    if (auto styles = stylesMoved(*session, run, by); !styles.empty()) engine->send(ArrangeRuns{std::move(styles)});
}

bool canMoveRun(const SessionModel& session, RunId run, int by) {
    return !stylesMoved(session, run, by).empty();
}

}  // namespace mantissa::gui
