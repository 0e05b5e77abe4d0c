// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/look_for_strip.h"

#include <algorithm>

#include "gui/controls/experiment_words.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {
constexpr int kLines = 2;
}

LookForStrip::LookForStrip(SessionModel* session, QWidget* parent) : QFrame(parent), m_session(session) {
    paintAs(this, "strip");
    auto* row = makeRow(10, {16, 5, 8, 5}, this);
    auto* sign = new IconLabel(this, 16);
    sign->setIcon(QStringLiteral("eye"), IconInk::AccentText);
    row->addWidget(sign, 0, Qt::AlignTop);
    m_words = makeWrappedLabel({}, "body", this);
    m_words->setTextFormat(Qt::RichText);
    m_words->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    row->addWidget(m_words, 1);
    QToolButton* close = makeFlatButton(QStringLiteral("close"), tr("Close what to look for"), this);
    connect(close, &QToolButton::clicked, this, [this] {
        m_dismissed = m_session->experiment().name;
        refresh();
        emit dismissed();
    });
    row->addWidget(close, 0, Qt::AlignTop);
    // Queued until all receivers are done: the strip resizes the plots, which repaint at once.
    const auto afterOthers = [this](auto signal, auto slot) { connect(m_session, signal, this, slot, Qt::QueuedConnection); };
    afterOthers(&SessionModel::experimentLoaded, [this] {
        if (m_session->experiment().name != m_dismissed) m_dismissed.clear();
        refresh();
    });
    afterOthers(&SessionModel::runsChanged, &LookForStrip::refresh);  // a question opens or closes
    afterOthers(&SessionModel::stateChanged, &LookForStrip::refresh);
    afterOthers(&SessionModel::runChanged, [this] {
        if (m_session->state().state == LabState::Finished) fit();  // what is found out later belongs to the finding
    });
    refresh();
}

void LookForStrip::setRequested(bool requested) {
    m_isRequested = requested;
    if (requested) m_dismissed.clear();
    refresh();
}

void LookForStrip::setBesideLesson(bool beside) {
    m_isBesideLesson = beside;
    refresh();
}

void LookForStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

void LookForStrip::refresh() {
    const bool isDismissed = !m_dismissed.empty() && m_dismissed == m_session->experiment().name;
    const bool hasWords = !shownWords(m_session->experiment()).description.isEmpty();
    setVisible(m_isRequested && !isDismissed && !m_isBesideLesson && !m_session->isQuestionOpen() && hasWords);
    fit();
}

/// Writes as much of the text as fits into the lines; the tooltip has all of it.
void LookForStrip::fit() {
    const ShownWords words = shownWords(m_session->experiment());
    const QString found = findingText(*m_session);
    const QString first = found.isEmpty() ? words.description : found, second = found.isEmpty() ? words.lookFor : words.description;
    const auto html = [&](const QString& text) {  // emphasises the finding, or what to look for
        const auto cut = std::min(text.size(), first.size());
        const QString head = text.left(cut).toHtmlEscaped(), rest = text.mid(cut).toHtmlEscaped();
        return found.isEmpty() ? QStringLiteral("%1<b>%2</b>").arg(head, rest) : QStringLiteral("<b>%1</b>%2").arg(head, rest);
    };
    m_words->ensurePolished();
    QFont bold = m_words->font();
    bold.setBold(true);
    m_words->setFixedHeight(kLines * QFontMetrics(bold).lineSpacing());
    const QString all = second.isEmpty() ? first : first + u' ' + second;
    const QString shown = cutAtWord(all, [&](const QString& text) { return fitsRich(html(text), m_words->font(), m_words->size()); });
    m_words->setText(html(shown));
    m_words->setAccessibleName(all);
    m_words->setToolTip(!found.isEmpty() ? all + u' ' + words.lookFor : shown == all ? QString() : all);
}

}  // namespace mantissa::gui
