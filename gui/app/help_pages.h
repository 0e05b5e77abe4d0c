// SPDX-License-Identifier: GPL-3.0-or-later
// Pages that open when asked for, and only then: the list of keys, and what this program is.
#pragma once

namespace mantissa::gui {

class EngineClient;
class Lab;
class MainWindow;
class SymptomsPage;

void showKeysPage(MainWindow* window);
void showAboutPage(MainWindow* window);

/// The symptoms of a training that goes wrong; null where the page is open already.
SymptomsPage* showSymptomsPage(MainWindow* window, const Lab* lab);

/// The selected run's model, operation by operation.
void showArchitecturePage(MainWindow* window, Lab* lab, EngineClient* engine);

}  // namespace mantissa::gui
