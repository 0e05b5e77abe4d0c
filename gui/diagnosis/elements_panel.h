// SPDX-License-Identifier: GPL-3.0-or-later
// Single elements of a step's tensors as a list, and the chosen one in every format. It asks, and shows what is answered. GUI thread only.
#pragma once

#include <QBoxLayout>
#include <QButtonGroup>
#include <QFrame>
#include <optional>

#include "engine/experiment/messages.h"
#include "gui/controls/copy_table.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/elements_model.h"

namespace mantissa::gui {

/// Which elements. Bar: of one power of two. Lost: 0 here, and another number in FP32.
enum class ElementChoice { Bar, All, Overflow, Normal, Subnormal, Flushed, Zero, Lost, NonFinite };

/// What the list is about.
struct ElementSubject {
    RunId run = -1;
    std::int64_t step = -1;
    std::vector<TensorName> tensors;
    QString name;  // of the tensors: "all weight gradients"
    Dtype format = Dtype::F16;
    std::optional<int> bar;  // the power of two where there is one to choose

    bool operator==(const ElementSubject&) const = default;
};

/// Of the engine; pure.
ElementRequest elementRequest(const ElementSubject& subject, ElementChoice choice);

class ElementsPanel : public QFrame {
    Q_OBJECT
public:
    explicit ElementsPanel(QWidget* parent);
    /// Asks for them.
    void ask(const ElementSubject& subject, ElementChoice choice);
    /// The answer.
    void show(const ElementsRead& read);
    void refuse(const QString& sentence);
    const ElementSubject& subject() const { return m_subject; }
    ElementChoice choice() const { return static_cast<ElementChoice>(m_choice->currentData().toInt()); }
    /// With little width the formats stand below the list.
    void setNarrow(bool narrow);
    void chooseElement(int row);

signals:
    void requested(const ReadElements& question);
    void closed();

protected:
    void changeEvent(QEvent* event) override;

private:
    void buildHead(QVBoxLayout* column);
    void buildList();
    void buildFormats();
    void fillChoices(ElementChoice chosen);
    void send();
    void showNumber();
    QString choiceText(ElementChoice choice) const;
    QString summary(const ElementsRead& read) const;

    ElementSubject m_subject;
    ElementsModel* m_elements;
    FormatsModel* m_formats;
    QLabel *m_about, *m_sentence, *m_number;
    ComboBox* m_choice;
    QBoxLayout* m_body;
    CopyTable *m_list, *m_table;
    QWidget* m_numberPart;
    QButtonGroup* m_which;  // 0: as it was stored, 1: in FP32
    bool m_prefersWide = true;
};

}  // namespace mantissa::gui
