// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/data_page.h"

#include <QFileDialog>
#include <QVBoxLayout>

#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

struct DataFormat {
    const char *key, *name, *note;
};
constexpr DataFormat kFormats[] = {
    {"csv", "CSV, a table a run",
     "One file a run, one row a step. Numbers read back to the same value; NaN and infinities are nan, inf and -inf."},
    {"jsonl", "JSON lines", "One file a run, one object a step, after a line that says what wrote it. NaN and infinities are strings."},
    {"tensorboard", "TensorBoard events",
     "One folder a run. TensorBoard keeps values as 32-bit floats: seven digits of what was recorded."},
    {"html", "Report, one HTML file", "Plots, settings, verdicts and numbers on one page that needs nothing beside it."},
    {"safetensors", "Weights, safetensors", "The weights of each run as they are now, for other programs to load."}};

}  // namespace

DataPage::DataPage(Lab* lab, EngineClient* engine, QWidget* parent) : QWidget(parent), m_engine(engine) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    column->setAlignment(Qt::AlignTop);
    m_format = new ComboBox(tr("Format of the files"), this);
    m_format->setMaximumWidth(288);
    for (const DataFormat& format : kFormats) m_format->addItem(tr(format.name), QString::fromLatin1(format.key));
    column->addWidget(m_format);
    m_note = makeLabel({}, "secondary", this);
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    column->addSpacing(6);
    m_export = makeButton(tr("Export to a folder…"), {}, tr("Export to a folder"), this);
    m_export->setProperty("look", "primary");
    m_export->setMaximumWidth(288);
    column->addWidget(m_export);
    m_said = makeLabel({}, "secondary", this);
    m_said->setObjectName(QStringLiteral("dataSaid"));
    m_said->setWordWrap(true);
    column->addWidget(m_said);

    connect(m_format, &QComboBox::currentIndexChanged, this, &DataPage::refresh);
    connect(m_export, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for the files"));
        if (!folder.isEmpty()) exportTo(folder);
    });
    connect(lab, &Lab::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (commandId != m_asked || m_asked == 0) return;
        m_isRefused = true;
        say(sentence, true);
    });
    connect(engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (commandId != m_asked || m_asked == 0) return;
        m_asked = 0;
        if (!m_isRefused) say(tr("Exported to %1").arg(m_folder), false);
        refresh();
    });
    connect(engine, &EngineClient::started, this, &DataPage::refresh);
    connect(engine, &EngineClient::lost, this, [this] {
        m_asked = 0;
        refresh();
    });
    refresh();
}

void DataPage::exportTo(const QString& folder) {
    m_folder = folder;
    m_isRefused = false;
    m_asked = m_engine->ask(ExportRuns{m_format->currentData().toString().toStdString(), folder.toStdString()});
    say(tr("The engine is writing…"), false);
    refresh();
}

void DataPage::refresh() {
    m_note->setText(tr(kFormats[m_format->currentIndex()].note));
    m_export->setEnabled(m_engine->isRunning() && m_asked == 0);
    if (!m_engine->isRunning()) say(tr("The engine has stopped: restart it to export data."), true);
}

void DataPage::say(const QString& text, bool isProblem) {
    setStyleProperty(m_said, "kind", isProblem ? "danger" : "secondary");
    m_said->setText(text);
}

}  // namespace mantissa::gui
