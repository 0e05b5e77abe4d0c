// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/origin_card.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QPainter>

#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"

namespace mantissa::gui {
namespace {

/// HTML of the bits with no-break spaces; an exponent of all ones is red.
QString bitsHtml(const BitGroups& bits) {
    const Theme& theme = Theme::current();
    const QString exponent =
        bits.isExponentFull ? QStringLiteral("<span style='color:%1;font-weight:600'>%2</span>").arg(theme.danger.name(), bits.exponent)
                            : bits.exponent;
    return QStringLiteral(
               "<span style='font-family:\"Noto Sans Mono\",\"DejaVu Sans Mono\",monospace'>%1&nbsp;%2&nbsp;"
               "<span style='color:%3'>%4</span></span>")
        .arg(bits.sign, exponent, theme.ink3.name(), bits.mantissa);
}

}  // namespace

/// A chip with the class of a non-finite value: ▲ +Inf, ▼ −Inf, ✕ NaN.
class OriginCard::ClassChip : public QWidget {
public:
    explicit ClassChip(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); }
    void setClass(const std::string& cls) {
        m_cls = cls;
        setAccessibleName(classText(cls));
        updateGeometry();
        update();
    }
    QSize sizeHint() const override { return {QFontMetrics(pixelFont(font(), 13, true)).horizontalAdvance(classText(m_cls)) + 38, 24}; }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = Theme::current();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.dangerFill);
        painter.drawRoundedRect(rect(), 4, 4);
        drawGlyph(painter, classGlyph(m_cls), {15, height() / 2.0}, 11, theme.danger, theme.dangerFill);
        painter.setFont(pixelFont(font(), 13, true));
        painter.setPen(theme.danger);
        painter.drawText(rect().adjusted(28, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, classText(m_cls));
    }

private:
    std::string m_cls;
};

OriginCard::OriginCard(QWidget* parent) : QFrame(parent) {
    const auto [split, head, words, title, headline, sentence] = makeSplitCard(this, tr("Where it began"));
    m_split = split;
    m_title = title;
    m_headline = headline;
    m_place = sentence;
    m_when = makeLabel({}, "secondary", this);
    head->addWidget(m_when, 1);
    QToolButton* copy = makeFlatButton(QStringLiteral("copy"), tr("Copy this card and the verdict as text"), this);
    head->addWidget(copy);
    m_chips = new QWidget(this);
    auto* chips = makeRow(6, {0, 4, 0, 4}, m_chips);
    m_class = new ClassChip(m_chips);
    m_phase = makeLabel({}, "tagbox", m_chips);
    m_producer = makeLabel({}, "tagbox", m_chips);
    chips->addWidget(m_class);
    chips->addWidget(m_phase);
    chips->addWidget(m_producer);
    chips->addStretch(1);
    words->addWidget(m_chips);
    m_lines = new QGridLayout;
    m_lines->setHorizontalSpacing(12);
    m_lines->setVerticalSpacing(6);
    m_lines->setColumnMinimumWidth(0, 62);
    m_lines->setColumnStretch(1, 1);
    words->addLayout(m_lines);
    words->addStretch(1);
    m_split->addLayout(words, 5);

    m_chainPanel = new QWidget(this);
    auto* bars = makeColumn(2, {}, m_chainPanel);
    auto* chainHead = makeRow(8);
    chainHead->addWidget(makeLabel(tr("Largest magnitude"), "title", m_chainPanel));
    m_chainTitle = makeLabel(tr("in order of execution, log2"), "secondary", m_chainPanel);
    chainHead->addWidget(m_chainTitle, 1);
    bars->addLayout(chainHead);
    m_chain = new ChainModel(this);
    auto* table = new ChainTable(m_chain, m_chainPanel);
    table->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Expanding);
    bars->addWidget(table, 1000);  // above the stretch
    bars->addWidget(new ChainAxis(m_chain, table, m_chainPanel));
    bars->addStretch(1);
    m_split->addWidget(m_chainPanel, 6);
    connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_copied); });
}

void OriginCard::show(const QString& run, const Examination& examination) {
    const ProvenanceCard& card = examination.card;
    const bool isBad = hasOrigin(examination);
    m_copied = examinationText(run, examination);
    m_title->setText(isBad ? tr("Where it began") : tr("What was examined"));
    m_when->setText(examination.cardMs > 0
                        ? tr("step %1, found in %2 ms").arg(groupedText(examination.step), numberText(examination.cardMs, 2))
                        : tr("step %1").arg(groupedText(examination.step)));
    // For a silent failure, the loss of information is the headline here too, not that all values are finite.
    const bool isSilent = !isBad && examination.verdict.kind == StepVerdict::SilentFailure;
    m_headline->setText(isBad      ? tensorTitle(card.tensor)
                        : isSilent ? engineText(examination.verdict.headline)
                                   : tr("All values and gradients of this step are finite"));
    m_place->setText(isSilent ? tr("All values and gradients of this step are finite") : placeText(card));
    m_place->setVisible(isBad || isSilent);
    m_chips->setVisible(isBad);
    if (isBad) {
        m_class->setClass(card.cls);
        m_phase->setText(QString::fromStdString(card.phase));
        m_producer->setText(producerText(card));
        m_producer->setVisible(!m_producer->text().isEmpty());
    }
    m_cardLines = cardLines(examination);
    fillLines();
    m_chain->show(examination);
    m_chainPanel->setVisible(m_chain->rowCount() > 0);
}

void OriginCard::fillLines() {
    emptyLayout(m_lines);
    int row = 0;
    for (const CardLine& line : m_cardLines) {
        QLabel* label = makeLabel(line.label, "body2", this);
        QLabel* text = makeWrappedLabel(line.text, "body", this);
        if (!line.bits.isEmpty()) {
            text->setTextFormat(Qt::RichText);
            text->setText(line.text.toHtmlEscaped() + QStringLiteral("&nbsp; ") + bitsHtml(line.bits));
            text->setToolTip(tr("sign, exponent, mantissa"));
            text->setAccessibleName(tr("%1, bits %2").arg(line.text, line.bits.text()));
        }
        m_lines->addWidget(label, row, 0, Qt::AlignTop);
        m_lines->addWidget(text, row, 1);
        ++row;
    }
}

void OriginCard::setStacked(bool stacked) {
    m_split->setDirection(stacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void OriginCard::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    // The HTML of the bits contains the theme's colours.
    if (event->type() == QEvent::PaletteChange) fillLines();
}

}  // namespace mantissa::gui
