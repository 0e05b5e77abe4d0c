// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/program_page.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QSignalBlocker>

#include "engine/experiment/experiment.h"
#include "gui/exports/destination.h"
#include "gui/exports/export_preview.h"

namespace mantissa::gui {
namespace {

struct FrameworkItem {
    const char *key, *name, *ending;  // product names, not translated
};
constexpr FrameworkItem kFrameworks[] = {{"pytorch", "PyTorch", "py"},
                                         {"keras", "Keras", "py"},
                                         {"huggingface", "Hugging Face TrainingArguments", "huggingface.json"},
                                         {"accelerate", "Accelerate", "accelerate.json"},
                                         {"deepspeed", "DeepSpeed", "deepspeed.json"}};

}  // namespace

ProgramPage::ProgramPage(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine) {
    auto* column = makeColumn(10, {}, this);
    auto* row = makeRow(8);
    m_run = new ComboBox(tr("Run"), this);
    m_run->setMinimumContentsLength(18);
    m_framework = new ComboBox(tr("Framework"), this);
    for (const FrameworkItem& each : kFrameworks) m_framework->addItem(QString::fromLatin1(each.name), QString::fromLatin1(each.key));
    m_copy = makeButton(tr("Copy"), QStringLiteral("copy"), tr("Copy the program"), this);
    m_save = makeButton(tr("Save…"), {}, tr("Save the program"), this);
    row->addWidget(makeLabel(tr("The settings of"), "body2", this));
    row->addWidget(m_run);
    row->addWidget(makeLabel(tr("in"), "body2", this));
    row->addWidget(m_framework);
    row->addStretch(1);
    row->addWidget(m_copy);
    row->addWidget(m_save);
    column->addLayout(row);
    m_text = makeFileView(tr("The program"), this);
    column->addWidget(m_text, 1);
    m_said = makeWrappedLabel({}, "secondary", this);
    m_said->setObjectName(QStringLiteral("programSaid"));
    column->addWidget(m_said);

    connect(m_run, &QComboBox::currentIndexChanged, this, &ProgramPage::ask);
    connect(m_framework, &QComboBox::currentIndexChanged, this, &ProgramPage::ask);
    connect(session, &SessionModel::runsChanged, this, &ProgramPage::listRuns);
    connect(session, &SessionModel::experimentLoaded, this, &ProgramPage::listRuns);
    connect(engine, &EngineClient::started, this, &ProgramPage::ask);
    connect(engine, &EngineClient::lost, this, [this] {
        finishSaving(tr("the engine has stopped"));
        ask();
    });
    connect(session, &SessionModel::runChanged, this, [this](int run) {
        if (run == m_run->currentData().toInt()) ask();
    });
    connect(session, &SessionModel::snippetWritten, this, [this](const SnippetWritten& snippet) {
        if (snippet.commandId == m_asked) {
            showText(QString::fromStdString(snippet.text), true);
            QStringList leftOut;
            for (const std::string& each : snippet.leftOut) leftOut << QString::fromStdString(each);
            if (!leftOut.isEmpty() && m_said->text().isEmpty()) say(tr("Left out: %1").arg(leftOut.join(u'\n')), false);
        }
        if (snippet.commandId == m_saving) finishSaving({});
    });
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (commandId == m_asked && m_asked != 0) showText(sentence, false);
        if (commandId == m_saving) finishSaving(sentence);
    });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_text->toPlainText());
        say(tr("Copied."), false);
    });
    connect(m_save, &QPushButton::clicked, this, &ProgramPage::save);
    listRuns();
}

void ProgramPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    ask();
}

void ProgramPage::listRuns() {
    const QSignalBlocker blocker(m_run);
    const QVariant before = m_run->count() > 0 ? m_run->currentData() : QVariant(m_session->selected());
    m_run->clear();
    for (const auto& run : m_session->runs())
        if (run->isOwn()) m_run->addItem(run->name(), run->id);
    m_run->setCurrentIndex(std::max(0, m_run->findData(before)));
    ask();
}

void ProgramPage::ask() {
    if (!isVisible()) return;
    if (m_run->currentIndex() < 0) return showText(tr("There is no run to write down."), false);
    m_asked = m_engine->ask(WriteSnippet{m_run->currentData().toInt(), m_framework->currentData().toString().toStdString()});
    if (m_asked == 0) showText(tr("The engine has stopped: restart it to see the program."), false);
}

void ProgramPage::showText(const QString& text, bool isProgram) {
    if (m_text->toPlainText() != text) {
        m_text->setPlainText(text);
        m_said->clear();  // it concerned another program
    }
    m_copy->setEnabled(isProgram);
    m_save->setEnabled(isProgram);
}

void ProgramPage::save() {
    const QString ending = QString::fromLatin1(kFrameworks[std::max(0, m_framework->currentIndex())].ending);
    const QString suggested = QString::fromStdString(fileStem(m_run->currentText().toStdString())) + u'.' + ending;
    const QString path = askSavePath(this, tr("Save the program"), suggested, {ending.section(u'.', -1)});
    if (!path.isEmpty()) saveTo(path);
}

void ProgramPage::saveTo(const QString& path) {
    m_path = path;
    m_saving =
        m_engine->ask(WriteSnippet{m_run->currentData().toInt(), m_framework->currentData().toString().toStdString(), path.toStdString()});
    if (m_saving == 0) say(tr("%1 was not saved: %2.").arg(path, tr("the engine has stopped")), true);
}

void ProgramPage::finishSaving(const QString& problem) {
    if (m_saving == 0) return;
    m_saving = 0;
    const bool isProgram = m_path.endsWith(QStringLiteral(".py"));
    const QString saved = isProgram ? tr("Saved %1 and the files that it reads.") : tr("Saved %1");
    if (problem.isEmpty()) return say(saved.arg(m_path), false);
    say(tr("%1 was not saved: %2.").arg(m_path, problem), true);
}

}  // namespace mantissa::gui
