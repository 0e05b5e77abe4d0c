// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recordings/recordings_page.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QHeaderView>
#include <QStandardItemModel>
#include <QUrl>

#include "gui/controls/copy_table.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/recordings/recording_words.h"

namespace mantissa::gui {
namespace {

enum RecordingColumn { TitleColumn, StartedColumn, FormatsColumn, LossColumn, StepsColumn, SizeColumn, ColumnCount };
constexpr int kPathRole = Qt::UserRole;
constexpr int kStartedPixels = 156, kFormatsPixels = 200, kLossPixels = 112, kNumberPixels = 86;

}  // namespace

RecordingsPage::RecordingsPage(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QDialog(parent), m_session(session), m_engine(engine), m_replay(engine->commandLine()) {
    setWindowTitle(tr("Recordings"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = makeColumn(10, {20, 16, 20, 16}, this);
    column->addWidget(makeLabel(tr("Recordings"), "headline", this));
    m_note = makeWrappedLabel({}, "secondary", this);
    column->addWidget(m_note);

    m_model = new QStandardItemModel(0, ColumnCount, this);
    m_model->setHorizontalHeaderLabels({tr("experiment"), tr("begun"), tr("formats"), tr("final loss"), tr("steps"), tr("size")});
    m_model->horizontalHeaderItem(LossColumn)->setToolTip(tr("The least final loss of its runs"));
    m_table = new QTableView(this);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Recordings, newest first"));
    makePlain(m_table, 28);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setMinimumSectionSize(72);
    m_table->horizontalHeader()->setSectionResizeMode(TitleColumn, QHeaderView::Stretch);
    m_table->setColumnWidth(StartedColumn, kStartedPixels);
    m_table->setColumnWidth(FormatsColumn, kFormatsPixels);
    m_table->setColumnWidth(LossColumn, kLossPixels);
    for (const int each : {StepsColumn, SizeColumn}) m_table->setColumnWidth(each, kNumberPixels);
    m_table->setStyleSheet(QStringLiteral("QTableView { outline: none; } QTableView::item, QHeaderView::section { padding: 0 8px; }"));
    for (int i = 0; i < ColumnCount; ++i)
        m_model->horizontalHeaderItem(i)->setTextAlignment(Qt::AlignVCenter | (i >= LossColumn ? Qt::AlignRight : Qt::AlignLeft));
    column->addWidget(m_table, 1);

    m_problem = makeWrappedLabel({}, "danger", this);
    column->addWidget(m_problem);
    m_result = makeWrappedLabel({}, "body2", this);
    m_result->setAccessibleName(tr("Output of the replay"));
    column->addWidget(m_result);
    auto* foot = makeRow(8);
    m_folder = makeButton(tr("Show folder"), {}, tr("Show the folder of recordings"), this);
    m_question = makeLabel({}, "body2", this);
    m_really = makeButton(tr("Delete"), {}, tr("Really delete"), this);
    m_keep = makeButton(tr("Keep it"), {}, tr("Keep it"), this);
    m_delete = makeButton(tr("Delete…"), {}, tr("Delete the chosen recording"), this);
    m_again = makeButton(tr("Replay"), {}, tr("Train the chosen recording once more and compare every value, bit by bit"), this);
    m_open = makeButton(tr("Open"), {}, tr("Open the chosen recording"), this);
    m_open->setProperty("look", "primary");
    m_open->setDefault(true);
    foot->addWidget(m_folder);
    foot->addWidget(m_question, 1);
    for (QPushButton* button : {m_really, m_keep, m_delete, m_again, m_open}) foot->addWidget(button);
    column->addLayout(foot);

    const auto open = [this] {
        // Enter triggers this through the table and again through the button.
        if (!m_open->isEnabled() || !m_doomed.isEmpty() || !isVisible()) return;
        emit openRequested(chosenPath());
        accept();
    };
    connect(m_open, &QPushButton::clicked, this, open);
    connect(m_table, &QTableView::activated, this, open);
    const auto keep = [this] {
        m_doomed.clear();
        refresh();
    };
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, keep);
    connect(m_folder, &QPushButton::clicked, this, [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_folderPath)); });
    connect(m_delete, &QPushButton::clicked, this, [this] {
        m_doomed = chosenPath();
        refresh();
        m_keep->setFocus(Qt::OtherFocusReason);
    });
    connect(m_keep, &QPushButton::clicked, this, keep);
    connect(m_really, &QPushButton::clicked, this, [this] {
        m_problem->clear();
        m_deleting = m_engine->ask(DeleteRecording{m_doomed.toStdString()});
    });
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if ((m_deleting != 0 && commandId == m_deleting) || (m_asked != 0 && commandId == m_asked)) m_problem->setText(sentence);
    });
    connect(engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (m_deleting == 0 || commandId != m_deleting) return;
        m_deleting = 0;
        m_doomed.clear();
        ask();
    });
    connect(engine, &EngineClient::started, this, &RecordingsPage::ask);
    connect(engine, &EngineClient::lost, this, [this, keep] {
        m_deleting = 0;
        keep();
    });
    connect(session, &SessionModel::recordingsListed, this, [this](const RecordingsListed& list) {
        if (list.commandId == m_asked) showList(list);
    });
    listenToReplay();
    resize(980, 480);
    ask();
    refresh();
}

void RecordingsPage::listenToReplay() {
    connect(m_again, &QPushButton::clicked, this, [this] {
        if (m_replay.isRunning()) {
            m_replay.stop();
            m_result->setText(tr("%1: the replay was stopped.").arg(m_replayed));
        } else {
            m_replayed = QFileInfo(chosenPath()).completeBaseName();
            showStyled(m_result, tr("%1: trained once more…").arg(m_replayed), "body2");
            m_replay.start(chosenPath());
        }
        refresh();
    });
    connect(&m_replay, &Replay::progressed, this, [this](qint64 steps, qint64 all) {
        m_result->setText(
            tr("%1: trained once more, step %2 of %3, identical so far.").arg(m_replayed, groupedText(steps), groupedText(all)));
    });
    connect(&m_replay, &Replay::ended, this, [this](const QString& sentence, bool isIdentical) {
        showStyled(m_result, m_replayed + QStringLiteral(": ") + sentence, isIdentical ? "title" : "danger");
        refresh();
    });
    connect(&m_replay, &Replay::stopped, this, &RecordingsPage::refresh);
}

void RecordingsPage::showList(const RecordingsListed& list) {
    m_folderPath = QString::fromStdString(list.folder);
    const QString chosen = chosenPath();
    const std::vector<ListedRecording> recordings = latestFirst(list.recordings);
    m_model->removeRows(0, m_model->rowCount());
    std::int64_t bytes = 0;
    for (const ListedRecording& each : recordings) {
        const QString path = QString::fromStdString(each.path);
        const QString title = titleText(each);
        const auto loss = leastFinalLoss(each);
        const QString texts[] = {isBeingWritten(path) ? tr("%1 (being recorded)").arg(title) : title,
                                 startedText(each),
                                 formatsText(each),
                                 loss ? numberText(*loss, 3) : QString(),
                                 groupedText(each.steps),
                                 bytesText(each.bytes)};
        QList<QStandardItem*> row;
        for (int i = 0; i < ColumnCount; ++i) {
            row << new QStandardItem(texts[i]);
            row.back()->setTextAlignment(Qt::AlignVCenter | (i >= LossColumn ? Qt::AlignRight : Qt::AlignLeft));
            row.back()->setToolTip(i == FormatsColumn || i == LossColumn ? lossesText(each) : path);
        }
        row.front()->setData(path, kPathRole);
        m_model->appendRow(row);
        if (path == chosen) m_table->setCurrentIndex(m_model->index(m_model->rowCount() - 1, 0));
        bytes += each.bytes;
    }
    if (!m_table->currentIndex().isValid() && m_model->rowCount() > 0) m_table->setCurrentIndex(m_model->index(0, 0));
    m_note->setText(
        m_folderPath.isEmpty() ? tr("This engine keeps no recordings.")
        : recordings.empty()
            ? tr("There are none yet in %1.").arg(m_folderPath)
            : tr("%1 in %2, %3 in all.").arg(groupedText(static_cast<std::int64_t>(recordings.size())), m_folderPath, bytesText(bytes)));
    refresh();
}

QString RecordingsPage::chosenPath() const {
    const QModelIndex index = m_table->currentIndex();
    return index.isValid() ? m_model->index(index.row(), 0).data(kPathRole).toString() : QString();
}

bool RecordingsPage::isBeingWritten(const QString& path) const {
    return m_session->recording().isRecording && QString::fromStdString(m_session->recording().path) == path;
}

void RecordingsPage::refresh() {
    const QString path = chosenPath();
    const bool isAsking = !m_doomed.isEmpty(), isAlive = m_engine->isRunning();
    m_question->setText(isAsking ? tr("Delete %1? It cannot be brought back.").arg(QFileInfo(m_doomed).fileName()) : QString());
    m_really->setVisible(isAsking);
    m_keep->setVisible(isAsking);
    m_delete->setVisible(!isAsking);
    m_open->setVisible(!isAsking);
    m_again->setVisible(!isAsking && m_replay.isPossible());
    m_again->setText(m_replay.isRunning() ? tr("Stop replay") : tr("Replay"));
    m_again->setEnabled(m_replay.isRunning() || !path.isEmpty());
    m_folder->setVisible(!m_folderPath.isEmpty() && QFileInfo(m_folderPath).isDir());  // the engine's folder may be on another machine
    m_open->setEnabled(isAlive && !path.isEmpty() && !isBeingWritten(path));
    m_delete->setEnabled(isAlive && !path.isEmpty() && !isBeingWritten(path));
}

}  // namespace mantissa::gui
