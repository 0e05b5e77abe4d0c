// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/help_pages.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QVBoxLayout>

#include "gui/app/keys_page.h"
#include "gui/app/symptoms_page.h"
#include "gui/controls/architecture_page.h"

namespace mantissa::gui {
namespace {

/// If the page is open already, raises it.
bool isOpen(const QWidget* window, const QString& title) {
    for (QDialog* page : window->findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (page->windowTitle() != title) continue;
        page->raise();
        page->activateWindow();
        return true;
    }
    return false;
}

/// A separate window, which does not cover the plots permanently.
QDialog* makePage(QWidget* window, const QString& title) {
    auto* page = new QDialog(window);
    page->setAttribute(Qt::WA_DeleteOnClose);
    page->setWindowTitle(title);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(24, 20, 24, 16);
    column->setSpacing(12);
    column->addWidget(makeLabel(title, "headline", page));
    return page;
}

void finish(QDialog* page) {
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, page);
    QObject::connect(buttons, &QDialogButtonBox::rejected, page, &QDialog::close);
    for (QAbstractButton* button : buttons->buttons()) {
        button->setAccessibleName(QObject::tr("Close"));
        button->setIcon(QIcon());
    }
    page->layout()->addWidget(buttons);
    page->show();
}

}  // namespace

void showKeysPage(QWidget* window, KeyMap* keys) {
    if (isOpen(window, QObject::tr("Keys"))) return;
    QDialog* page = makePage(window, QObject::tr("Keys"));
    page->layout()->addWidget(new KeysPage(keys, page));
    page->resize(620, 640);
    finish(page);
}

void showAboutPage(QWidget* window) {
    const QString title = QObject::tr("Mantissa %1").arg(QStringLiteral(MANTISSA_VERSION));
    if (isOpen(window, title)) return;
    QDialog* page = makePage(window, title);
    QLabel* text = makeLabel(
        QObject::tr(
            "A desktop precision lab: the same network trained side by side in several number formats, each with its own loss scaler, "
            "and what that does to loss, scale, skipped steps, memory and speed.\n\n"
            "The window is free software under the GPL, version 3 or later; engine and kernels are under the Apache License 2.0. "
            "Plots are drawn by QCustomPlot, the window by Qt."),
        "body2", page);
    text->setWordWrap(true);
    constexpr int kTextWidth = 420;
    text->setFixedWidth(kTextWidth);
    text->setMinimumHeight(text->heightForWidth(kTextWidth));
    page->layout()->addWidget(text);
    finish(page);
}

SymptomsPage* showSymptomsPage(QWidget* window, const SessionModel* session) {
    const QString title = QObject::tr("What is wrong with my training?");
    if (isOpen(window, title)) return nullptr;
    QDialog* page = makePage(window, title);
    auto* symptoms = new SymptomsPage(session, page);
    page->layout()->addWidget(symptoms);
    page->resize(640, 640);
    finish(page);
    return symptoms;
}

void showArchitecturePage(QWidget* window, SessionModel* session, EngineClient* engine) {
    if (isOpen(window, QObject::tr("Architecture"))) return;
    QDialog* page = makePage(window, QObject::tr("Architecture"));
    page->layout()->addWidget(new ArchitecturePage(session, engine, page));
    page->resize(760, 560);
    finish(page);
}

}  // namespace mantissa::gui
