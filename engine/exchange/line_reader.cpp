// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/line_reader.h"

namespace mantissa {

bool LineReader::next(std::string_view& line) {
    if (m_in.eof()) return false;
    ++m_number;
    m_in.getline(m_buffer.get(), static_cast<std::streamsize>(kBufferBytes));
    const auto taken = static_cast<std::size_t>(m_in.gcount());
    if (m_in.bad()) refuseAt(m_source, place(), "cannot be read");
    if (m_in.eof() && taken == 0) return false;
    if (m_in.fail() && !m_in.eof()) {
        refuseAt(m_source, place(), "longer than " + std::to_string(kMaxLineBytes) + " bytes, the most that is read of a line");
    }
    line = std::string_view(m_buffer.get(), m_in.eof() ? taken : taken - 1);  // the end of the line is taken too
    if (m_number == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\0') != std::string_view::npos) refuseAt(m_source, place(), "a byte 0, which is in no text");
    return true;
}

}  // namespace mantissa
