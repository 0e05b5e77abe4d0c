// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/run_header.h"

#include <QKeyEvent>
#include <QMenu>
#include <algorithm>
#include <cmath>

#include "gui/controls/run_style_menu.h"

namespace mantissa::gui {
namespace {
constexpr int kTextMargin = 14;  // of a line edit, both sides
constexpr int kLeastWidth = 48;
}  // namespace

NameEdit::NameEdit(QWidget* parent) : QLineEdit(parent) {
    setProperty("kind", "name");
    setReadOnly(true);
    setFocusPolicy(Qt::NoFocus);
    setContextMenuPolicy(Qt::NoContextMenu);
    setMaxLength(60);
    // As wide as its text, so that the chip is beside the name; a long name shrinks for its neighbours.
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
}

void NameEdit::setName(const QString& name) {
    m_name = name;
    updateGeometry();
    if (isReadOnly()) rest();
}

QSize NameEdit::sizeHint() const {
    // Text widths are fractions of pixels: rounded down, the name would be cut.
    const int text = static_cast<int>(std::ceil(QFontMetricsF(fontMetrics()).horizontalAdvance(m_name))) + 1 + kTextMargin;
    return {std::max(text, minimumSizeHint().width()), QLineEdit::sizeHint().height()};
}

QSize NameEdit::minimumSizeHint() const {
    return {kLeastWidth, QLineEdit::minimumSizeHint().height()};
}

void NameEdit::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    if (isReadOnly()) rest();
}

void NameEdit::changeEvent(QEvent* event) {
    QLineEdit::changeEvent(event);
    if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
    updateGeometry();
    if (isReadOnly()) rest();
}

void NameEdit::rest() {
    setText(fontMetrics().elidedText(m_name, Qt::ElideRight, std::max(width(), kLeastWidth) - kTextMargin));
    setCursorPosition(0);
}

void NameEdit::beginEditing() {
    setReadOnly(false);
    setText(m_name);
    setFocusPolicy(Qt::StrongFocus);
    setFocus(Qt::OtherFocusReason);
    selectAll();
}

void NameEdit::endEditing(bool keep) {
    if (isReadOnly()) return;
    const QString requested = text().trimmed();
    setReadOnly(true);
    setFocusPolicy(Qt::NoFocus);
    deselect();
    rest();
    if (hasFocus()) clearFocus();
    if (keep && !requested.isEmpty() && requested != m_name) emit renamed(requested);
}

void NameEdit::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            endEditing(true);
            break;
        case Qt::Key_Escape:
            endEditing(false);
            break;
        default:
            QLineEdit::keyPressEvent(event);
    }
}

void NameEdit::mousePressEvent(QMouseEvent* event) {
    // Without focus it is a label: the press reaches the card, which selects the run.
    isReadOnly() ? QWidget::mousePressEvent(event) : QLineEdit::mousePressEvent(event);
}

void NameEdit::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() != Qt::ActiveWindowFocusReason && event->reason() != Qt::PopupFocusReason) endEditing(true);
}

void fillRunMenu(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run, NameEdit* name) {
    const RunState* state = session->run(run);
    if (!state) return;
    menu->clear();
    const bool isAlive = engine->isRunning();
    if (name) menu->addAction(QObject::tr("Rename"), name, &NameEdit::beginEditing)->setEnabled(isAlive);
    if (state->isOwn())
        menu->addAction(QObject::tr("Duplicate"), engine, [engine, run] { engine->send(DuplicateRun{run}); })->setEnabled(isAlive);
    menu->addAction(state->isHidden ? QObject::tr("Show") : QObject::tr("Hide"), session,
                    [session, run, hide = !state->isHidden] { session->setHidden(run, hide); });
    menu->addSeparator();
    menu->addAction(QObject::tr("Move up"), engine, [session, engine, run] { moveRun(session, engine, run, -1); })
        ->setEnabled(isAlive && canMoveRun(*session, run, -1));
    menu->addAction(QObject::tr("Move down"), engine, [session, engine, run] { moveRun(session, engine, run, 1); })
        ->setEnabled(isAlive && canMoveRun(*session, run, 1));
    if (!state->isWhatIf()) fillStyleMenu(menu->addMenu(QObject::tr("Colour")), session, engine, run);
    menu->addSeparator();
    // The last run cannot be removed: an experiment without runs shows nothing.
    menu->addAction(QObject::tr("Remove"), engine, [engine, run] { engine->send(RemoveRun{run}); })
        ->setEnabled(isAlive && session->runs().size() > 1);
}

RunHeader::RunHeader(SessionModel* session, EngineClient* engine, RunId run, QWidget* parent)
    : QWidget(parent), m_session(session), m_engine(engine), m_run(run) {
    auto* row = makeRow(6, {}, this);
    m_sample = new RunSample(this);
    m_name = new NameEdit(this);
    m_chip = makeLabel({}, "chip", this);
    m_eye = makeFlatButton(QStringLiteral("eye"), {}, this);
    m_more = makeFlatButton(QStringLiteral("more"), {}, this);
    auto* menu = new QMenu(m_more);
    m_more->setMenu(menu);
    m_more->setPopupMode(QToolButton::InstantPopup);
    row->addWidget(m_sample);
    row->addWidget(m_name, 0);
    row->addWidget(m_chip, 0, Qt::AlignVCenter);
    row->addStretch(1);
    addWidgets(row, {m_eye, m_more});

    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillRunMenu(menu, m_session, m_engine, m_run, m_name); });
    connect(m_eye, &QToolButton::clicked, this, [this] {
        if (const RunState* state = m_session->run(m_run)) m_session->setHidden(m_run, !state->isHidden);
    });
    connect(m_name, &NameEdit::renamed, this, [this](const QString& name) { m_engine->send(RenameRun{m_run, name.toStdString()}); });
    refresh();
}

void RunHeader::refresh() {
    const RunState* state = m_session->run(m_run);
    if (!state) return;
    m_sample->setIdentity(state->identity);
    m_name->setName(state->name());
    m_name->setAccessibleName(tr("Name of run %1").arg(state->name()));
    m_name->setToolTip(state->name());
    if (state->isLive()) {
        m_chip->setText(state->info.isEmulated ? tr("emulated") : tr("native"));
        m_chip->setToolTip(state->info.isEmulated ? tr("This format is emulated: results are those of the format, speed is not.")
                                                  : tr("The CPU computes in this format itself."));
    } else if (state->isWatched()) {
        m_chip->setText(tr("PyTorch"));
        m_chip->setToolTip(tr("A training in another process, which a probe reports."));
    } else if (state->info.watch.link != WatchLink::None) {
        m_chip->setText(tr("log"));
        m_chip->setToolTip(tr("Another program's log, read while it grows."));
    } else {
        m_chip->setText(state->isWhatIf() ? tr("what if") : tr("recorded"));
        m_chip->setToolTip(state->isWhatIf() ? tr("A short trial run. Its parent run does not change.")
                                             : tr("Read-only: its weights are not available, so it cannot be trained further."));
    }
    m_eye->setIcon(themedIcon(state->isHidden ? QStringLiteral("eye-off") : QStringLiteral("eye"), IconInk::Ink2));
    const QString eyeName = state->isHidden ? tr("Show run %1").arg(state->name()) : tr("Hide run %1").arg(state->name());
    m_eye->setAccessibleName(eyeName);
    m_eye->setToolTip(eyeName);
    m_more->setAccessibleName(tr("More about run %1").arg(state->name()));
    m_more->setToolTip(m_more->accessibleName());
}

}  // namespace mantissa::gui
