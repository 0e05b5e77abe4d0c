// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog "Recordings": the engine's recordings, newest first, which can be opened, replayed to check that every value is reproduced,
// shown in their folder, or deleted after a confirmation. GUI thread only.
#pragma once

#include <QDialog>

#include "gui/link/engine_client.h"
#include "gui/recordings/replay.h"

class QLabel;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace mantissa::gui {

class RecordingsPage : public QDialog {
    Q_OBJECT
public:
    RecordingsPage(SessionModel* session, EngineClient* engine, QWidget* parent);

signals:
    void openRequested(const QString& path);

private:
    void ask() { m_asked = m_engine->ask(ListRecordings{}); }
    void showList(const RecordingsListed& list);
    void refresh();
    void listenToReplay();
    QString chosenPath() const;
    bool isBeingWritten(const QString& path) const;

    SessionModel* m_session;
    EngineClient* m_engine;
    QStandardItemModel* m_model;
    QTableView* m_table;
    Replay m_replay;
    QLabel *m_note, *m_problem, *m_result, *m_question;
    QPushButton *m_open, *m_again, *m_delete, *m_folder, *m_really, *m_keep;
    QString m_folderPath;
    QString m_doomed;    // path to be deleted after a confirmation; empty: none
    QString m_replayed;  // name of the recording that is, or was, replayed
    std::uint64_t m_asked = 0, m_deleting = 0;
};

}  // namespace mantissa::gui
