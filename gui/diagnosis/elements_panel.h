// SPDX-License-Identifier: GPL-3.0-or-later
// Lists single elements of a step's tensors, and shows the selected one in every format. It emits requests and shows the answers. GUI
// thread only.
#pragma once

#include <QButtonGroup>
#include <QFrame>
#include <optional>

#include "engine/experiment/messages.h"
#include "gui/controls/copy_table.h"
#include "gui/controls/parts.h"
#include "gui/diagnosis/elements_model.h"

namespace mantissa::gui {

/// The elements to list. Bar: of one power of two. Lost: 0 in the format, but not in FP32.
enum class ElementChoice { Bar, All, Overflow, Normal, Subnormal, Flushed, Zero, Lost, NonFinite };

/// The subject of the list.
struct ElementSubject {
    RunId run = -1;
    std::int64_t step = -1;
    std::vector<TensorName> tensors;
    QString name;  // the tensors' name: "all weight gradients"
    Dtype format = Dtype::F16;
    std::optional<int> bar;  // the power of two, if one can be chosen

    bool operator==(const ElementSubject&) const = default;
};

class ElementsPanel : public QFrame {
    Q_OBJECT
public:
    explicit ElementsPanel(QWidget* parent);
    /// Requests the elements.
    void ask(const ElementSubject& subject, ElementChoice choice);
    /// Shows the answer.
    void show(const ElementsRead& read);
    void refuse(const QString& sentence);
    const ElementSubject& subject() const { return m_subject; }
    ElementChoice choice() const { return static_cast<ElementChoice>(m_choice->currentData().toInt()); }
    /// In the narrow form the formats are below the list.
    void setNarrow(bool narrow);
    void chooseElement(int row);

signals:
    void requested(const ReadElements& question);
    void closed();

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
