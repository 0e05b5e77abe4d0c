// SPDX-License-Identifier: GPL-3.0-or-later
// Pages that are created when they are opened: the list of keys, the about page, symptoms, architecture.
#pragma once

class QWidget;

namespace mantissa::gui {

class EngineClient;
class KeyMap;
class SessionModel;
class SymptomsPage;

void showKeysPage(QWidget* window, KeyMap* keys);
void showAboutPage(QWidget* window);

/// Opens the page of symptoms of a failing training. Returns null if the page is open already.
SymptomsPage* showSymptomsPage(QWidget* window, const SessionModel* session);

/// Shows the selected run's model, operation by operation.
void showArchitecturePage(QWidget* window, SessionModel* session, EngineClient* engine);

}  // namespace mantissa::gui
