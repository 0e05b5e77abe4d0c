// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/export_preview.h"

#include <QDirIterator>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/controls/delay.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"
#include "gui/exports/report_picture.h"

namespace mantissa::gui {
namespace {

constexpr std::int64_t kMostSteps = 200'000;  // of all runs: more take too long to write for a preview
constexpr int kShownLines = 60, kShownFiles = 8;
constexpr int kRedrawMs = 120;  // after the last change of size: drawing a page of plots takes longer than a step of resizing

/// Paths relative to the folder, sorted by name.
QStringList filesIn(const QString& folder) {
    QStringList paths;
    for (QDirIterator each(folder, QDir::Files, QDirIterator::Subdirectories); each.hasNext();)
        paths << QDir(folder).relativeFilePath(each.next());
    paths.sort();
    return paths;
}

/// Keeps a folder until a command is answered, refused or lost, even if its sender is deleted.
void keepUntilDone(const std::shared_ptr<QTemporaryDir>& folder, quint64 command, EngineClient* engine, const SessionModel* session) {
    auto* keeper = new QObject(engine);
    const auto release = [folder, keeper, command](quint64 done) {
        if (done == command) keeper->deleteLater();
    };
    QObject::connect(engine, &EngineClient::answered, keeper, release);
    QObject::connect(session, &SessionModel::refused, keeper,
                     [release](int, const QString&, const QString&, quint64 done) { release(done); });
    QObject::connect(engine, &EngineClient::lost, keeper, [keeper] { keeper->deleteLater(); });
}

QString headOf(const QString& path) {
    QFile file(path);
    QString head;
    if (!file.open(QIODevice::ReadOnly)) return head;
    for (int line = 0; line < kShownLines && !file.atEnd(); ++line) head += QString::fromUtf8(file.readLine());
    return head;
}

}  // namespace

QPlainTextEdit* makeFileView(const QString& accessibleName, QWidget* parent) {
    auto* view = new QPlainTextEdit(parent);
    view->setReadOnly(true);
    view->setAccessibleName(accessibleName);
    view->setLineWrapMode(QPlainTextEdit::NoWrap);
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(12);
    view->setFont(font);
    return view;
}

ExportPreview::ExportPreview(SessionModel* session, EngineClient* engine, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine), m_pages(new QStackedWidget(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_pages);
    m_said = makeWrappedLabel({}, "secondary", m_pages);
    m_said->setAlignment(Qt::AlignCenter);
    m_page = makeLabel({}, "", nullptr);
    m_page->setAccessibleName(tr("Preview of the report"));
    m_page->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_pageArea = makeScroll(m_page, m_pages);
    m_pageArea->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // the page's width does not depend on its height
    m_pageArea->setFocusPolicy(Qt::TabFocus);
    m_pageArea->setAccessibleName(tr("Preview of the report"));
    m_text = makeFileView(tr("The first lines of the first file"), m_pages);
    for (QWidget* page : {static_cast<QWidget*>(m_said), static_cast<QWidget*>(m_pageArea), static_cast<QWidget*>(m_text)})
        m_pages->addWidget(page);

    m_redraw = new Delay(kRedrawMs, this);
    connect(m_redraw, &QTimer::timeout, this, [this] {
        if (m_pageArea->viewport()->width() != m_drawnWidth || devicePixelRatioF() != m_drawnRatio) draw();
    });

    connect(engine, &EngineClient::answered, this, [this](quint64 command) {
        if (command == m_asked && m_asked != 0) finish();
    });
    connect(session, &SessionModel::refused, this, [this](int, const QString&, const QString& sentence, quint64 command) {
        if (command != m_asked || m_asked == 0) return;
        m_asked = 0;
        say(sentence);
    });
    connect(engine, &EngineClient::lost, this, [this] { showFormat({}); });
}

void ExportPreview::showFormat(const QString& format) {
    m_format = format;
    m_asked = 0;
    m_files.clear();
    m_folder.reset();
    emit filesChanged();
    if (format.isEmpty()) return say({});
    std::int64_t steps = 0;
    for (const auto& run : m_session->runs()) steps += run->stepCount();
    if (steps > kMostSteps) return say(tr("No preview: these are more than %1 steps.").arg(groupedText(kMostSteps)));
    m_folder = std::make_shared<QTemporaryDir>();
    if (!m_folder->isValid()) return say(tr("No preview: there is no room for the files."));
    m_asked = m_engine->ask(ExportRuns{format.toStdString(), m_folder->filePath(QStringLiteral("files")).toStdString(), true});
    if (m_asked == 0) return;
    keepUntilDone(m_folder, m_asked, m_engine, m_session);
    say(tr("The engine is writing…"));
}

void ExportPreview::finish() {
    m_asked = 0;
    const QDir folder(m_folder->filePath(QStringLiteral("files")));
    const QStringList paths = filesIn(folder.path());
    QStringList lines;
    for (const QString& path : paths.first(std::min<qsizetype>(paths.size(), kShownFiles)))
        lines << tr("%1, %2", "file, size").arg(path, bytesText(QFileInfo(folder.filePath(path)).size()));
    if (paths.size() > kShownFiles) lines << tr("and %1 more").arg(paths.size() - kShownFiles);
    m_files = lines.join(u'\n');
    emit filesChanged();
    if (paths.isEmpty()) return say(tr("There is nothing to write."));
    if (m_format == QStringLiteral("html")) {
        m_pages->setCurrentWidget(m_pageArea);
        return draw();
    }
    if (m_format != QStringLiteral("csv") && m_format != QStringLiteral("jsonl"))
        return say(tr("These files are for programs: there is no text to show."));
    m_text->setPlainText(headOf(folder.filePath(paths.first())));
    m_pages->setCurrentWidget(m_text);
}

void ExportPreview::draw() {
    if (!m_folder || m_pages->currentWidget() != m_pageArea) return;
    const int width = m_pageArea->viewport()->width();
    m_drawnWidth = width;
    m_drawnRatio = devicePixelRatioF();
    const QImage page = reportPicture(m_folder->filePath(QStringLiteral("files")), width, devicePixelRatioF());
    if (page.isNull()) return say(tr("The report cannot be shown here."));
    m_page->setPixmap(QPixmap::fromImage(page));
    m_page->setMinimumHeight(qRound(page.deviceIndependentSize().height()));
}

void ExportPreview::say(const QString& sentence) {
    m_said->setText(sentence);
    m_pages->setCurrentWidget(m_said);
}

void ExportPreview::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_pages->currentWidget() == m_pageArea) m_redraw->start();
}

}  // namespace mantissa::gui
