// SPDX-License-Identifier: Apache-2.0
// The whole window connected to a real engine.
#pragma once

#include <QApplication>
#include <memory>

#include "gui/app/main_window.h"
#include "tests/gui/support/live_session.h"

namespace mantissa::gui {

struct LiveWindow : LiveSession {
    ThemeSwitch theme{qApp, nullptr};
    std::unique_ptr<MainWindow> window;

    using LiveSession::LiveSession;
    /// `dataFolder`: the folder of recordings and saved settings.
    void make(const QString& experiment = kDefaultExperiment, const QString& dataFolder = {}) {
        theme.choose(ThemeChoice::Light);
        StartOptions options;
        options.experiment = experiment;
        options.dataFolder = dataFolder;
        options.startsPaused = true;
        options.pace = 0;
        window = std::make_unique<MainWindow>(&session, &engine, &theme, options);
    }
    bool open(QSize size = {1920, 1080}) {
        make();
        window->resize(size);
        window->show();
        window->activateWindow();
        if (!QTest::qWaitForWindowActive(window.get(), kPatienceMs) || !begin()) return false;
        return showsCards();
    }
    bool showsCards() {
        // a new card is shown when its layout is next activated
        return QTest::qWaitFor([this] { return child<QWidget>(QStringLiteral("Learning rate of wide")) != nullptr; }, kPatienceMs);
    }
    template <class T>
    T* child(const QString& part) {
        for (T* widget : window->findChildren<T*>())
            if (widget->isVisible() && widget->accessibleName().contains(part)) return widget;
        return nullptr;
    }
    /// Starts the window with `experiment` on its command line, and waits until that is loaded and paused.
    bool beginsWith(const QString& experiment, const std::string& title) {
        make(experiment);
        window->show();
        window->begin();
        return QTest::qWaitFor([&] { return session.experiment().title == title && session.state().state == LabState::Paused; },
                               kPatienceMs);
    }
    Banner* shownBanner() {
        for (Banner* banner : window->findChildren<Banner*>())
            if (banner->isVisible()) return banner;
        return nullptr;
    }
};

}  // namespace mantissa::gui
