// SPDX-License-Identifier: Apache-2.0
// A text file line by line, none of them longer than a bound. One thread.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "engine/exchange/run_builder.h"

namespace mantissa {

class LineReader {
public:
    LineReader(std::istream& in, const std::string& source) : m_in(in), m_source(source) {}

    /// The next line without its end, "\n" or "\r\n", and without a byte order mark. It holds until the next call. Throws InputError.
    bool next(std::string_view& line);
    FilePlace place() const { return {"line", m_number}; }
    /// Whether the file ended in the line, before its end.
    bool isCut() const { return m_in.eof(); }

private:
    static constexpr std::size_t kMaxLineBytes = 1u << 20;  // far above what a step takes
    std::istream& m_in;
    std::string m_source;
    std::string m_buffer = std::string(4096, '\0');  // grows to the longest line
    std::uint64_t m_number = 0;
};

}  // namespace mantissa
