// SPDX-License-Identifier: Apache-2.0
// A language that every text of the catalogues has a word in: "[Ţŕåíñ~~]", two fifths longer. What it does not know was not marked for
// translation, or is looked up under another name than it is kept.
#pragma once

#include <QTranslator>
#include <set>

namespace mantissa::gui {

class PseudoLanguage : public QTranslator {
public:
    /// From a catalogue (.ts).
    explicit PseudoLanguage(const QString& catalogue);
    bool isEmpty() const override { return m_known.empty(); }
    QString translate(const char* context, const char* source, const char* comment, int n) const override;
    /// Texts of ours that were asked for and are in no catalogue: "context: text".
    const std::set<QString>& missing() const { return m_missing; }
    std::size_t size() const { return m_known.size(); }

    static QString translated(const QString& source);

private:
    std::set<std::pair<QString, QString>> m_known;  // context, source
    mutable std::set<QString> m_missing;
};

/// Where the catalogues are: MANTISSA_TRANSLATIONS/mantissa_de.ts.
QString cataloguePath(const QString& language);

}  // namespace mantissa::gui
