// SPDX-License-Identifier: Apache-2.0
// Receives messages of Python probes: from a socket on which this program listens, or from a file that may still grow.
//
// A separate thread accepts connections, reads and decodes. It stops reading while more than kMaxWaitingBytes wait for `take`; a training
// that sends faster then drops messages and counts them.
//
// Threads: all functions from any thread. `onArrival` is called on the source's thread; `take` then returns the arrivals.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/attach/probe_decode.h"

namespace mantissa {

inline constexpr std::size_t kMaxWaitingBytes = 32u << 20;

/// The end of a connection or of a file; `problem` describes an error in the data in one sentence, or is empty.
struct ConnectionEnded {
    std::string problem;
};
struct ProbeArrival {
    int connection = 0;  // numbered from 0 in the order of their begin
    std::variant<ProbeMessage, ConnectionEnded> what;
};

struct ProbePlace {
    std::string place;          // "unix:PATH", "tcp:127.0.0.1:PORT" or FILE.mprobe; empty: defaultProbePlace()
    std::string token;          // required from a probe; empty: none
    bool follows = true;        // of a file: reads on while it grows; otherwise stops at its present end
    bool allowsRemote = false;  // permits an address that other machines reach
};

/// The probe's default place: $MANTISSA_ATTACH, which may be a file, otherwise a Unix socket below $XDG_RUNTIME_DIR or the temporary
/// folder.
std::string defaultProbePlace();
/// Whether the place is a probe's file.
bool isProbeFile(const std::string& place);

class ProbeSource {
public:
    /// Listens, or opens the file. Throws InputError if it cannot.
    ProbeSource(const ProbePlace& place, std::function<void()> onArrival);
    ~ProbeSource();

    /// The address in the probe's form, or the file.
    const std::string& place() const;
    /// Returns the arrivals since the last call, in order.
    std::vector<ProbeArrival> take();
    /// Accepts no new connections; existing ones stay open. After it returns, another process may listen at the place.
    void stopListening();
    /// Whether nothing can arrive any more: it does not listen, every connection has ended, and all arrivals have been taken.
    bool isOver() const;
    /// Sends a request to the probe of a connection; no effect on files and ended connections.
    void ask(int connection, ProbeRequest request);
    /// Ends a connection; nothing more of it arrives.
    void close(int connection);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
