// SPDX-License-Identifier: GPL-3.0-or-later
// First start, gallery, guide, tour and the other pages of the menu Help, and the choice of a language. GUI thread only.
#pragma once

#include <QObject>
#include <QPointer>

#include "gui/app/window_parts.h"
#include "gui/gallery/gallery_page.h"

namespace mantissa::gui {

class DiagnoseController;
class FileController;

class HelpController : public QObject, WindowParts {
    Q_OBJECT
public:
    HelpController(const WindowParts& parts, FileController* files, DiagnoseController* diagnosis);

private:
    void connectPages();
    void fillLanguages();
    void showSymptoms();
    void showGallery();
    void showTour();
    void greet();  // once, with the gallery and the tour

    FileController* m_files;
    DiagnoseController* m_diagnosis;
    QPointer<GalleryPage> m_gallery;  // null while it is closed
};

}  // namespace mantissa::gui
