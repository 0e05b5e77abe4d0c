// SPDX-License-Identifier: Apache-2.0
// A pseudo language that translates every text of the catalogues: "[Ţŕåíñ~~]", two fifths longer. Other texts are not marked for
// translation, or are looked up in another context.
#pragma once

#include <QTranslator>
#include <set>

namespace mantissa::gui {

class PseudoLanguage : public QTranslator {
public:
    /// Reads a catalogue (.ts).
    explicit PseudoLanguage(const QString& catalogue);
    bool isEmpty() const override { return m_known.empty(); }
    QString translate(const char* context, const char* source, const char* comment, int n) const override;
    /// Returns our texts that were looked up and are in no catalogue: "context: text".
    const std::set<QString>& missing() const { return m_missing; }
    std::size_t size() const { return m_known.size(); }

    static QString translated(const QString& source);

private:
    std::set<std::pair<QString, QString>> m_known;  // context, source
    mutable std::set<QString> m_missing;
};

/// Returns the path of a catalogue, such as MANTISSA_TRANSLATIONS/mantissa_de.ts.
QString cataloguePath(const QString& language);

}  // namespace mantissa::gui
