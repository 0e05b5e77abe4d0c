// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/watch/watch_dialog.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QFileInfo>
#include <QFrame>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "gui/controls/experiment_words.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

constexpr int kCodePixels = 12;  // as in the style sheet

/// A text of code with a copy button.
QWidget* makeCode(const QString& code, const QString& name, QWidget* parent) {
    auto* box = new QFrame(parent);
    box->setProperty("kind", "codebox");
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(10, 8, 6, 8);
    auto* text = makeLabel(code, "code", box);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setTextFormat(Qt::PlainText);
    text->setAccessibleName(name);
    // The style sheet's font is set after the label's size.
    constexpr double kLineHeight = 1.5;  // of the tallest substitute font
    text->setMinimumHeight(static_cast<int>(static_cast<double>(code.count(u'\n') + 1) * kLineHeight * kCodePixels));
    QPushButton* copy = makeButton(WatchDialog::tr("Copy"), {}, {}, box);
    copy->setAccessibleName(WatchDialog::tr("Copy %1").arg(name));
    copy->setAutoDefault(false);
    QObject::connect(copy, &QPushButton::clicked, box, [code] { QGuiApplication::clipboard()->setText(code); });
    row->addWidget(text, 1);
    row->addWidget(copy, 0, Qt::AlignTop);
    return box;
}

QLabel* makeSentence(const QString& text, QWidget* parent) {
    return makeWrappedLabel(text, "body2", parent);
}

}  // namespace

/// Uses the probe of the installation, or of the source tree after a build. PYTHONPATH, because pip would write into that folder,
/// which may be read-only.
QString WatchDialog::installCommand() {
    const QString here = QCoreApplication::applicationDirPath();
    QString place = QStringLiteral("engine/attach/probe");
    for (const char* each : {"/../../../engine/attach/probe", "/../share/mantissa/probe"})
        if (const QFileInfo folder(here + QLatin1String(each)); folder.isDir()) place = folder.canonicalFilePath();
    return QStringLiteral("export PYTHONPATH=\"%1${PYTHONPATH:+:$PYTHONPATH}\"").arg(place);
}

QString WatchDialog::scriptLines() {
    return QStringLiteral(
        "import mantissa_probe\n"
        "probe = mantissa_probe.watch(model, optimizer, scaler=scaler)\n"
        "...               # the loop stays as it is\n"
        "probe.step(loss)  # at the end of each step");
}

WatchDialog::WatchDialog(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QDialog(parent), m_session(session), m_engine(engine) {
    setWindowTitle(tr("Watch a PyTorch training"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFixedWidth(600);
    auto* column = makeColumn(10, {20, 16, 20, 16}, this);
    column->addWidget(makeLabel(tr("Your own training, in this window"), "headline", this));
    column->addWidget(makeSentence(tr("A probe in the script reports loss scale, skipped steps, gradient norms and the magnitudes of all "
                                      "tensors. It changes no number, and never waits for this window."),
                                   this));
    column->addWidget(makeSentence(tr("1. Let Python find the probe, in the terminal that the script runs in:"), this));
    column->addWidget(makeCode(installCommand(), tr("the command"), this));
    column->addWidget(makeSentence(tr("2. Add these lines to the script, without scaler=scaler where it has none:"), this));
    column->addWidget(makeCode(scriptLines(), tr("the lines"), this));
    column->addWidget(makeSentence(tr("3. Start watching, then start the script. It shows up here by itself."), this));
    m_isBeside = new CheckBox({}, this);
    column->addWidget(m_isBeside);
    m_status = makeSentence({}, this);
    m_status->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    column->addWidget(m_status);
    m_problem = makeWrappedLabel({}, "danger", this);
    m_problem->hide();
    column->addWidget(m_problem);
    auto* foot = makeRow(8);
    QPushButton* file = makeButton(tr("Open a probe's file…"), {}, tr("Open a probe's file"), this);
    m_stop = makeButton(tr("Stop listening"), {}, tr("Stop listening"), this);
    QPushButton* close = makeButton(tr("Close"), {}, tr("Close"), this);
    m_listen = makeButton(tr("Start watching"), {}, tr("Start watching"), this);
    m_listen->setProperty("look", "primary");
    m_listen->setDefault(true);
    for (QPushButton* each : {file, m_stop, close}) each->setAutoDefault(false);
    foot->addWidget(file);
    foot->addStretch(1);
    foot->addWidget(m_stop);
    foot->addWidget(close);
    foot->addWidget(m_listen);
    column->addLayout(foot);

    connect(file, &QPushButton::clicked, this, &WatchDialog::fileRequested);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_listen, &QPushButton::clicked, this, &WatchDialog::listen);
    connect(m_stop, &QPushButton::clicked, this, [this] { m_engine->send(StopListening{}); });
    connect(session, &SessionModel::watchingChanged, this, &WatchDialog::refresh);
    connect(session, &SessionModel::experimentLoaded, this, &WatchDialog::refresh);
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 commandId) {
        if (m_asked == 0 || commandId != m_asked) return;
        m_problem->setText(sentence);
        m_problem->show();
        fitHeight();
    });
    connect(engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (m_asked == commandId) m_asked = 0;
        refresh();
    });
    connect(engine, &EngineClient::lost, this, &QDialog::reject);
    const auto countWatched = [session] {
        return std::count_if(session->runs().begin(), session->runs().end(), [](const auto& run) { return run->isWatched(); });
    };
    connect(session, &SessionModel::experimentLoaded, this, [this, countWatched] { m_known = countWatched(); });
    connect(session, &SessionModel::runsChanged, this, [this, countWatched] {
        if (countWatched() > std::exchange(m_known, countWatched())) accept();
    });
    m_known = countWatched();
    refresh();
    m_listen->setFocus(Qt::OtherFocusReason);
}

void WatchDialog::listen() {
    if (m_asked != 0) return;
    m_problem->hide();
    m_asked = m_engine->ask(WatchTraining{.isAlone = !m_isBeside->isChecked()});
    refresh();
}

void WatchDialog::refresh() {
    const bool isListening = !m_session->listensAt().isEmpty();
    const bool hasRuns = !m_session->runs().empty();
    const QString title = m_session->experiment().title.empty() ? tr("this experiment") : shownWords(m_session->experiment()).title;
    m_isBeside->setText(tr("Added to the runs of %1").arg(title));
    m_isBeside->setVisible(hasRuns && !isListening);
    m_status->setVisible(isListening);
    m_status->setText(tr("Listening at %1. Scripts on this machine find it by themselves.").arg(m_session->listensAt()));
    m_listen->setVisible(!isListening);
    m_listen->setEnabled(m_asked == 0 && m_engine->isRunning());
    m_stop->setVisible(isListening);
    if (isVisible()) fitHeight();
}

/// A dialog of fixed width does not request the height of wrapped sentences.
void WatchDialog::fitHeight() {
    layout()->activate();
    setFixedHeight(layout()->totalHeightForWidth(width()));
}

void WatchDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    fitHeight();  // the style sheet's fonts are known now
}

}  // namespace mantissa::gui
