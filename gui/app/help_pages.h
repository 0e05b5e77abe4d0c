// SPDX-License-Identifier: GPL-3.0-or-later
// Pages that are created when they are opened: the list of keys, the about page, symptoms, architecture.
#pragma once

namespace mantissa::gui {

class EngineClient;
class SessionModel;
class MainWindow;
class SymptomsPage;

void showKeysPage(MainWindow* window);
void showAboutPage(MainWindow* window);

/// Opens the page of symptoms of a failing training. Returns null if the page is open already.
SymptomsPage* showSymptomsPage(MainWindow* window, const SessionModel* session);

/// Shows the selected run's model, operation by operation.
void showArchitecturePage(MainWindow* window, SessionModel* session, EngineClient* engine);

}  // namespace mantissa::gui
