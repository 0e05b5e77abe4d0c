// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/data_page.h"

#include <QFileDialog>
#include <algorithm>

#include "gui/controls/parts.h"
#include "gui/exports/destination.h"

namespace mantissa::gui {
namespace {

constexpr int kFormPixels = 288, kPreviewWaitMs = 80;

struct DataFormat {
    const char *key, *name, *note;
};
constexpr DataFormat kDataFormats[] = {
    {"csv", QT_TRANSLATE_NOOP("mantissa::gui::DataPage", "CSV, a table a run"),
     QT_TRANSLATE_NOOP("mantissa::gui::DataPage",
                       "One file a run, one row a step. Numbers read back to the same value; NaN and infinities are nan, inf and -inf.")},
    {"jsonl", QT_TRANSLATE_NOOP("mantissa::gui::DataPage", "JSON lines"),
     QT_TRANSLATE_NOOP(
         "mantissa::gui::DataPage",
         "One file per run with one JSON object per step; the first line names the program. NaN and infinities are strings.")},
    {"tensorboard", QT_TRANSLATE_NOOP("mantissa::gui::DataPage", "TensorBoard events"),
     QT_TRANSLATE_NOOP("mantissa::gui::DataPage",
                       "One folder a run. TensorBoard keeps values as 32-bit floats: seven digits of what was recorded.")},
    {"html", QT_TRANSLATE_NOOP("mantissa::gui::DataPage", "Report, an HTML page"),
     QT_TRANSLATE_NOOP("mantissa::gui::DataPage",
                       "A page with runs, verdicts, plots, memory and settings, and in the same folder the plots as drawings, the steps as "
                       "CSV and the experiment.")},
    {"safetensors", QT_TRANSLATE_NOOP("mantissa::gui::DataPage", "Weights, safetensors"),
     QT_TRANSLATE_NOOP("mantissa::gui::DataPage", "The weights of each run as they are now, for other programs to load.")}};

}  // namespace

DataPage::DataPage(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine), m_timer(kPreviewWaitMs) {
    auto* row = makeRow(20, {}, this);
    auto* form = new QWidget(this);
    form->setFixedWidth(kFormPixels);
    row->addWidget(form);
    m_preview = new ExportPreview(session, engine, this);
    row->addWidget(m_preview, 1);
    auto* column = makeColumn(10, {}, form);
    m_format = new ComboBox(tr("Format of the files"), form);
    for (const DataFormat& format : kDataFormats) m_format->addItem(tr(format.name), QString::fromLatin1(format.key));
    column->addWidget(m_format);
    m_note = makeWrappedLabel({}, "secondary", form);
    column->addWidget(m_note);
    m_filesTitle = makeLabel(tr("In the folder"), "title", form);
    column->addWidget(m_filesTitle);
    m_files = makeWrappedLabel({}, "secondary", form);
    m_files->setAlignment(Qt::AlignTop);
    column->addWidget(m_files);
    column->addStretch(1);
    m_said = makeWrappedLabel({}, "secondary", form);
    m_said->setObjectName(QStringLiteral("dataSaid"));
    column->addWidget(m_said);
    m_export = makeButton(tr("Export to a folder…"), {}, tr("Export to a folder"), form);
    m_export->setProperty("look", "primary");
    column->addWidget(m_export);

    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (isVisible()) m_preview->showFormat(whyNot().isEmpty() ? m_format->currentData().toString() : QString());
    });
    connect(m_preview, &ExportPreview::filesChanged, this, &DataPage::refresh);
    connect(m_format, &QComboBox::currentIndexChanged, this, [this] {
        refresh();
        m_timer.start();
    });
    connect(m_export, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Where a folder with the files is made"));
        if (!folder.isEmpty()) exportInto(folder);
    });
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (commandId == m_asked && m_asked != 0) say(sentence, true);
    });
    connect(engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (commandId != m_asked || m_asked == 0) return;
        m_asked = 0;
        if (!m_isProblem) sayExported();
        refresh();
    });
    connect(engine, &EngineClient::lost, this, [this] {
        if (m_asked != 0) say(tr("The engine stopped before it was done."), true);
        m_asked = 0;
        refresh();
    });
    const auto readAgain = [this] {
        refresh();
        m_timer.start();
    };
    connect(session, &SessionModel::recordingOpened, this, readAgain);
    for (const auto change : {&SessionModel::experimentLoaded, &SessionModel::runsChanged}) connect(session, change, this, readAgain);
    // A growing recording changes all the time: the preview is made again only while it is empty.
    const auto readFirst = [this, readAgain] { m_preview->files().isEmpty() ? readAgain() : refresh(); };
    connect(session, &SessionModel::recordingChanged, this, readFirst);
    connect(engine, &EngineClient::started, this, readAgain);
    refresh();
}

void DataPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_timer.start();
}

void DataPage::exportInto(const QString& parent) {
    m_folder = freshFolder(parent, experimentStem(m_session->experiment()));
    m_asked = m_engine->ask(ExportRuns{m_format->currentData().toString().toStdString(), m_folder.toStdString()});
    say({}, false);
    refresh();
}

void DataPage::sayExported() {
    const RecordingChanged& recording = m_session->recording();
    if (!wantsRecording() || (recording.isRecording && recording.problem.empty())) return say(tr("Exported to %1").arg(m_folder), false);
    if (recording.problem.empty() && m_session->opened())
        return say(tr("Exported the data of %1 to %2").arg(QString::fromStdString(m_session->opened()->path), m_folder), false);
    say(tr("Exported to %1, without what could not be recorded: %2").arg(m_folder, QString::fromStdString(recording.problem)), true);
}

bool DataPage::wantsRecording() const {
    return m_format->currentData().toString() != QStringLiteral("safetensors");
}

QString DataPage::whyNot() const {
    if (!m_engine->isRunning()) return tr("The engine has stopped: restart it to export data.");
    const RecordingChanged& recording = m_session->recording();
    const bool hasRecording = recording.isRecording || recording.steps > 0 || m_session->opened();
    if (wantsRecording() && !hasRecording)
        return tr(
            "Nothing is being recorded, so there is nothing to export but weights. File > Keep a recording changes that for the next "
            "start of the engine.");
    return {};
}

void DataPage::refresh() {
    QString note = tr(kDataFormats[m_format->currentIndex()].note);
    const auto& runs = m_session->runs();
    if (std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run->isRecorded(); }))
        note += u' ' + tr("Read-only runs are not included.");
    m_note->setText(note);
    m_files->setText(m_preview->files());
    for (QLabel* label : {m_filesTitle, m_files}) label->setVisible(!m_files->text().isEmpty());
    const QString why = whyNot();
    m_export->setEnabled(why.isEmpty() && m_asked == 0);
    setStyleProperty(m_said, "kind", why.isEmpty() && m_isProblem ? "danger" : "secondary");
    m_said->setText(m_asked != 0 ? tr("The engine is writing…") : why.isEmpty() ? m_outcome : why);
    // A form of fixed width does not request the height of several lines.
    for (QLabel* label : {m_note, m_files, m_said}) label->setMinimumHeight(std::max(0, label->heightForWidth(kFormPixels)));
}

void DataPage::say(const QString& outcome, bool isProblem) {
    m_outcome = outcome;
    m_isProblem = isProblem;
}

}  // namespace mantissa::gui
