// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/layout_memory.h"

#include <QSettings>
#include <algorithm>
#include <array>

namespace mantissa::gui {
namespace {

const std::array<QString, 3> kIds{QStringLiteral("explore"), QStringLiteral("diagnose"), QStringLiteral("present")};
const QString kCurrent = QStringLiteral("window/layout"), kOwn = QStringLiteral("layouts/own");

QString groupOf(const QString& id) {
    return QStringLiteral("layouts/%1").arg(id);
}

QString partOf(const QString& id, const QString& part) {
    return QStringLiteral("layouts/%1/%2").arg(id, part);
}

QString formOf(bool isSlim, const QString& part) {
    return part + (isSlim ? QStringLiteral("Slim") : QStringLiteral("Full"));
}

}  // namespace

LayoutMemory::LayoutMemory(QSettings* notes) : m_notes(notes) {}

QVariant LayoutMemory::read(const QString& key) const {
    return m_notes ? m_notes->value(key) : m_passing.value(key);
}

void LayoutMemory::write(const QString& key, const QVariant& value) {
    m_notes ? m_notes->setValue(key, value) : static_cast<void>(m_passing.insert(key, value));
}

void LayoutMemory::drop(const QString& group) {
    if (m_notes) return m_notes->remove(group);
    for (const QString& key : m_passing.keys())
        if (key.startsWith(group + u'/')) m_passing.remove(key);
}

QString LayoutMemory::idOf(WindowLayout layout) {
    return kIds[static_cast<std::size_t>(layout)];
}

bool LayoutMemory::isKnown(const QString& id) const {
    return isOwn(id) || std::ranges::find(kIds, id) != kIds.end();
}

QStringList LayoutMemory::ownIds() const {
    return read(kOwn).toStringList();
}

QString LayoutMemory::nameOf(const QString& id) const {
    return read(partOf(id, QStringLiteral("name"))).toString();
}

QString LayoutMemory::idOfName(const QString& name) const {
    for (const QString& id : ownIds())
        if (nameOf(id) == name) return id;
    return {};
}

WindowLayout LayoutMemory::baseOf(const QString& id) const {
    const QString base = isOwn(id) ? read(partOf(id, QStringLiteral("base"))).toString() : id;
    const auto it = std::ranges::find(kIds, base);
    return it == kIds.end() ? WindowLayout::Explore : static_cast<WindowLayout>(it - kIds.begin());
}

QString LayoutMemory::add(const QString& name, WindowLayout base) {
    QStringList ids = ownIds();
    int number = 1;
    while (ids.contains(QStringLiteral("own-%1").arg(number))) ++number;
    const QString id = QStringLiteral("own-%1").arg(number);
    write(kOwn, ids << id);
    write(partOf(id, QStringLiteral("name")), name);
    write(partOf(id, QStringLiteral("base")), idOf(base));
    return id;
}

void LayoutMemory::rename(const QString& id, const QString& name) {
    if (isOwn(id)) write(partOf(id, QStringLiteral("name")), name);
}

void LayoutMemory::remove(const QString& id) {
    QStringList ids = ownIds();
    if (ids.removeAll(id) == 0) return;
    write(kOwn, ids);
    drop(groupOf(id));
}

QString LayoutMemory::current() const {
    const QString id = read(kCurrent).toString();
    return isKnown(id) ? id : idOf(WindowLayout::Explore);
}

void LayoutMemory::noteCurrent(const QString& id) {
    write(kCurrent, id);
}

Arrangement LayoutMemory::arrangement(const QString& id, bool isSlim) const {
    const QVariant panels = read(partOf(id, formOf(isSlim, QStringLiteral("panels"))));
    if (!panels.isValid()) return saved(id, isSlim);
    return {panels.toByteArray(), read(partOf(id, formOf(isSlim, QStringLiteral("isLevel")))).toBool()};
}

void LayoutMemory::note(const QString& id, bool isSlim, const Arrangement& arrangement) {
    write(partOf(id, formOf(isSlim, QStringLiteral("panels"))), arrangement.panels);
    write(partOf(id, formOf(isSlim, QStringLiteral("isLevel"))), arrangement.isLevel);
}

Arrangement LayoutMemory::saved(const QString& id, bool isSlim) const {
    const QVariant panels = read(partOf(id, formOf(isSlim, QStringLiteral("savedPanels"))));
    if (!panels.isValid()) return {};
    return {panels.toByteArray(), read(partOf(id, formOf(isSlim, QStringLiteral("savedIsLevel")))).toBool()};
}

void LayoutMemory::noteSaved(const QString& id, bool isSlim, const Arrangement& arrangement) {
    write(partOf(id, formOf(isSlim, QStringLiteral("savedPanels"))), arrangement.panels);
    write(partOf(id, formOf(isSlim, QStringLiteral("savedIsLevel"))), arrangement.isLevel);
}

}  // namespace mantissa::gui
