// SPDX-License-Identifier: GPL-3.0-or-later
// The card "Where it began": the first non-finite tensor, the operation that made it, and the magnitudes of the tensors before it. GUI
// thread only.
#pragma once

#include <QFrame>
#include <QGridLayout>

#include "gui/controls/parts.h"
#include "gui/diagnosis/chain_table.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {

class OriginCard : public QFrame {
    Q_OBJECT
public:
    explicit OriginCard(QWidget* parent);
    void show(const QString& run, const Examination& examination);
    /// Returns the card as text, as the copy button copies it.
    const QString& text() const { return m_copied; }
    /// In the narrow form the chain of magnitudes is below the texts.
    void setStacked(bool stacked);

protected:
    void changeEvent(QEvent* event) override;

private:
    class ClassChip;
    void fillLines();

    QString m_copied;
    std::vector<CardLine> m_cardLines;
    QBoxLayout* m_split;
    QLabel *m_title, *m_when, *m_headline, *m_place, *m_phase, *m_producer;
    ClassChip* m_class;
    QWidget* m_chips;
    QGridLayout* m_lines;
    QLabel* m_chainTitle;
    ChainModel* m_chain;
    QWidget* m_chainPanel;
};

}  // namespace mantissa::gui
