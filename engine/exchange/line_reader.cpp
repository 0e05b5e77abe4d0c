// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/line_reader.h"

#include <algorithm>

namespace mantissa {

bool LineReader::next(std::string_view& line) {
    if (m_in->eof()) return false;
    ++m_mark.number;
    std::size_t taken = 0;
    while (true) {
        m_in->getline(m_buffer.data() + taken, static_cast<std::streamsize>(m_buffer.size() - taken));
        taken += static_cast<std::size_t>(m_in->gcount());
        if (m_in->bad()) refuseAt(m_source, place(), "cannot be read");
        if (m_in->eof() && (taken == 0 || m_mayGrow)) {
            --m_mark.number;
            return false;
        }
        if (!m_in->fail() || m_in->eof()) break;
        if (taken > kMaxLineBytes)  // one more may be a carriage return
            refuseAt(m_source, place(), "longer than " + std::to_string(kMaxLineBytes) + " bytes, the most that is read of a line");
        m_in->clear();
        m_buffer.resize(std::min(2 * m_buffer.size(), kMaxLineBytes + 2));
    }
    m_mark.position += taken;
    line = std::string_view(m_buffer.data(), m_in->eof() ? taken : taken - 1);  // `taken` includes the line end
    if (m_mark.number == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\0') != std::string_view::npos) refuseAt(m_source, place(), "a byte 0, which is in no text");
    return true;
}

}  // namespace mantissa
