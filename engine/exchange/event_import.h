// SPDX-License-Identifier: Apache-2.0
// Reads event files into a run, one after the other: a program that was started again writes another one. One thread.
#pragma once

#include <iosfwd>
#include <set>
#include <string>

#include "engine/exchange/run_builder.h"

namespace mantissa {

class EventImport {
public:
    explicit EventImport(RunBuilder& builder) : m_builder(builder) {}
    /// Throws InputError.
    void read(std::istream& in, std::uint64_t bytes, const std::string& source);

private:
    RunBuilder& m_builder;
    std::set<std::string, std::less<>>
        m_otherTags;  // of other plug-ins: pictures, histograms. Metadata comes with a tag's first value alone

    void takeEvent(std::string_view event, FilePlace place, const std::string& source);
    void takeValue(std::string_view value, std::int64_t step, FilePlace place, const std::string& source);
};

}  // namespace mantissa
