// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/help_pages.h"

#include <QDialog>
#include <QDialogButtonBox>

#include "gui/app/keys_page.h"
#include "gui/app/symptoms_page.h"
#include "gui/controls/architecture_page.h"

namespace mantissa::gui {
namespace {

/// Shows a separate window, which does not cover the plots permanently, and returns the content that `make` creates for it. If the window
/// is open already, raises it and returns null.
template <class Make>
auto showPage(QWidget* window, const QString& title, QSize size, const Make& make) -> decltype(make(window)) {
    for (QDialog* page : window->findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (page->windowTitle() != title) continue;
        bringToFront(page);
        return nullptr;
    }
    auto* page = new QDialog(window);
    page->setAttribute(Qt::WA_DeleteOnClose);
    page->setWindowTitle(title);
    const auto content = make(page);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, page);
    QObject::connect(buttons, &QDialogButtonBox::rejected, page, &QDialog::close);
    for (QAbstractButton* button : buttons->buttons()) {
        button->setAccessibleName(QObject::tr("Close"));
        button->setIcon(QIcon());
    }
    addWidgets(makeColumn(12, {24, 20, 24, 16}, page), {makeLabel(title, "headline", page), content, buttons});
    if (size.isValid()) page->resize(size);
    page->show();
    return content;
}

QLabel* makeAboutText(QWidget* page) {
    QLabel* text = makeWrappedLabel(
        QObject::tr(
            "A desktop precision lab: the same network trained side by side in several number formats, each with its own loss scaler, "
            "and what that does to loss, scale, skipped steps, memory and speed.\n\n"
            "The window is free software under the GPL, version 3 or later; engine and kernels are under the Apache License 2.0. "
            "Plots are drawn by QCustomPlot, the window by Qt."),
        "body2", page);
    constexpr int kTextWidth = 420;
    text->setFixedWidth(kTextWidth);
    text->setMinimumHeight(text->heightForWidth(kTextWidth));
    return text;
}

}  // namespace

void showKeysPage(QWidget* window, KeyMap* keys) {
    showPage(window, QObject::tr("Keys"), {620, 640}, [keys](QWidget* page) { return new KeysPage(keys, page); });
}

void showAboutPage(QWidget* window) {
    showPage(window, QObject::tr("Mantissa %1").arg(QStringLiteral(MANTISSA_VERSION)), {}, makeAboutText);
}

SymptomsPage* showSymptomsPage(QWidget* window, const SessionModel* session) {
    return showPage(window, QObject::tr("What is wrong with my training?"), {640, 640},
                    [session](QWidget* page) { return new SymptomsPage(session, page); });
}

void showArchitecturePage(QWidget* window, SessionModel* session, EngineClient* engine) {
    showPage(window, QObject::tr("Architecture"), {760, 560}, [=](QWidget* page) { return new ArchitecturePage(session, engine, page); });
}

}  // namespace mantissa::gui
