// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/axis_menus.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSlider>
#include <QWidgetAction>
#include <cmath>
#include <functional>

#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

constexpr int kSliderSteps = 60;  // twenty for each factor of ten of 1 - factor
constexpr double kFactors[] = {0, 0.6, 0.9, 0.97, 0.99, 0.999};

void empty(QMenu* menu) {
    menu->clear();
    qDeleteAll(menu->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
}

/// Adds a checkable choice; the current one is checked.
void addChoice(QMenu* menu, const QString& text, const QString& meaning, bool isChosen, const std::function<void()>& choose) {
    QAction* action = menu->addAction(text, menu, choose);
    action->setCheckable(true);
    action->setChecked(isChosen);
    action->setToolTip(meaning);
    menu->setToolTipsVisible(true);
}

/// Equal distances on the slider scale the weight of a new value by equal factors: 0, 0.9, 0.99, 0.999.
double factorAt(int place) {
    return place == 0 ? 0 : std::round((1 - std::pow(10, -3.0 * place / kSliderSteps)) * 1e4) / 1e4;
}

int placeOf(double factor) {
    return static_cast<int>(std::lround(-std::log10(1 - factor) / 3 * kSliderSteps));
}

QString factorText(double factor) {
    return factor == 0 ? QObject::tr("none") : numberText(factor);
}

}  // namespace

void fillXAxisMenu(QMenu* menu, PlotBoard* board) {
    empty(menu);
    const XAxis axis = board->axes().xAxis();
    for (const XQuantity quantity : kXQuantities) {
        QString name = quantityName(quantity);
        name[0] = name[0].toUpper();
        addChoice(menu, name, quantityMeaning(quantity), axis.quantity == quantity, [=] {
            board->axes().setXAxis({quantity, board->axes().xAxis().isLog});
        });
    }
    menu->addSeparator();
    addChoice(menu, QObject::tr("Logarithmic"), QObject::tr("What is 0 or less has no place on it."), axis.isLog, [=] {
        board->axes().setXAxis({board->axes().xAxis().quantity, !board->axes().xAxis().isLog});
    });
}

void fillPanelMenu(QMenu* menu, PlotBoard* board, int panel) {
    empty(menu);
    const Panel& shown = board->panels().at(panel);
    if (shown.hasChoices()) {
        struct Choice {
            AxisScale scale;
            QString name, meaning;
        };
        const Choice choices[] = {
            {AxisScale::Linear, QObject::tr("Linear"), {}},
            {AxisScale::Log10, QObject::tr("Logarithmic"), QObject::tr("Values of 0 or less are hidden, and counted.")},
            {AxisScale::Symlog, QObject::tr("Symlog"), QObject::tr("Linear about 0, logarithmic beyond on both sides.")}};
        for (const Choice& choice : choices)
            addChoice(menu, choice.name, choice.meaning, shown.scale() == choice.scale,
                      [=, scale = choice.scale] { board->axes().setScale(panel, scale); });
        menu->addSeparator();
        addChoice(menu, QObject::tr("Robust range"), QObject::tr("A few outliers that would squash the rest are left outside, and marked."),
                  !shown.fitsEverything(), [=] { board->axes().setFitsEverything(panel, false); });
        addChoice(menu, QObject::tr("Fit everything"), QObject::tr("Outliers too, however much they squash the rest."),
                  shown.fitsEverything(), [=] { board->axes().setFitsEverything(panel, true); });
        menu->addSeparator();
        if (shown.smoothing(1).factor > 0) fillSmoothingMenu(menu->addMenu(QObject::tr("Smoothing")), board);
    }
    menu->addAction(QObject::tr("Fit this plot"), menu, [=] { board->axes().fitPanel(panel); });
    if (board->axes().view().isLinked(panel))
        menu->addAction(QObject::tr("Unlink its x axis"), menu, [=] { board->axes().setLinked(panel, false); });
    else
        menu->addAction(QObject::tr("Share the x axis again"), menu, [=] { board->axes().setLinked(panel, true); });
    const std::string key = shown.key();
    if (!board->choice().isChosen(key) || board->choice().showsAlone()) return;
    menu->addSeparator();
    const std::vector<PlotPlace>& plots = board->choice().plots();
    menu->addAction(QObject::tr("Move up"), menu, [=] { board->choice().move(key, -1); })->setEnabled(plots.front().key != key);
    menu->addAction(QObject::tr("Move down"), menu, [=] { board->choice().move(key, 1); })->setEnabled(plots.back().key != key);
    menu->addAction(QObject::tr("Hide this plot"), menu, [=] { board->choice().choose(key, false); })->setEnabled(plots.size() > 1);
}

void fillChoiceMenu(QMenu* menu, PlotBoard* board) {
    empty(menu);
    PlotChoice* choice = &board->choice();
    for (const std::string& key : choice->offered()) {
        addChoice(menu, board->panels().titleOf(key), {}, choice->isChosen(key), [=] { choice->choose(key, !choice->isChosen(key)); });
        if (choice->isChosen(key) && choice->plots().size() == 1)
            menu->actions().back()->setEnabled(false);  // the last plot cannot be removed
        if (key == PlotChoice::usual().back().key) menu->addSeparator();
    }
    menu->addSeparator();
    menu->addAction(QObject::tr("The usual plots"), menu, [=] { choice->setPlots({}); })
        ->setEnabled(choice->plots() != PlotChoice::usual());
}

void fillSmoothingMenu(QMenu* menu, PlotBoard* board) {
    empty(menu);
    auto* row = new QWidget(menu);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(10, 4, 10, 4);
    auto* slider = new QSlider(Qt::Horizontal, row);
    slider->setAccessibleName(QObject::tr("Smoothing, from none to 0.999"));
    slider->setRange(0, kSliderSteps);
    slider->setPageStep(kSliderSteps / 6);
    slider->setMinimumWidth(150);
    slider->setValue(placeOf(board->traces().smoothing()));
    auto* value = makeLabel(factorText(board->traces().smoothing()), "", row);
    value->setMinimumWidth(value->fontMetrics().horizontalAdvance(QStringLiteral("0.9999")));
    layout->addWidget(slider, 1);
    layout->addWidget(value);
    QObject::connect(slider, &QSlider::valueChanged, board, [=](int place) {
        board->traces().setSmoothing(factorAt(place));
        value->setText(factorText(board->traces().smoothing()));
    });
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(row);
    menu->addAction(action);
    menu->addSeparator();
    for (const double factor : kFactors)
        addChoice(menu, factorText(factor), {}, board->traces().smoothing() == factor, [=] { board->traces().setSmoothing(factor); });
}

void fillPlotsMenu(QMenu* menu, PlotBoard* board) {
    fillChoiceMenu(menu, board);
    menu->addSeparator();
    const auto& panels = board->panels().all();
    for (std::size_t i = 0; i < panels.size(); ++i)
        if (board->choice().isChosen(panels[i]->key())) fillPanelMenu(menu->addMenu(panels[i]->title().title), board, static_cast<int>(i));
}

}  // namespace mantissa::gui
