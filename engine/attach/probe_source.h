// SPDX-License-Identifier: Apache-2.0
// Where messages of Python probes come from: a socket at which this program listens, or a file that may still grow.
//
// A thread of its own accepts connections, reads and decodes. It stops reading while more than kMaxWaitingBytes wait to be taken, so that a
// training that sends faster than it is read drops messages at its own end, which counts them.
//
// Threads: all functions from any thread. `onArrival` is called on the source's thread, and takes nothing itself.
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

/// A connection is over, or a file has been read to its end; `problem` says in one sentence what is wrong with what came, or is empty.
struct ConnectionEnded {
    std::string problem;
};
struct ProbeArrival {
    int connection = 0;  // from 0, in the order in which they began
    std::variant<ProbeMessage, ConnectionEnded> what;
};

struct ProbePlace {
    std::string place;          // "unix:PATH", "tcp:127.0.0.1:PORT" or FILE.mprobe; empty: see defaultProbePlace
    std::string token;          // that a probe has to send; empty: none is asked for
    bool follows = true;        // a file, while it grows; else it ends where it ends now
    bool allowsRemote = false;  // an address that other machines reach
};

/// The place that a probe takes by itself: $MANTISSA_ATTACH, which may be a file, else a Unix socket below $XDG_RUNTIME_DIR or the
/// temporary folder.
std::string defaultProbePlace();
/// Whether it names a file of a probe.
bool isProbeFile(const std::string& place);

class ProbeSource {
public:
    /// Listens, or opens the file. Throws InputError with one sentence if that cannot be.
    ProbeSource(const ProbePlace& place, std::function<void()> onArrival);
    ~ProbeSource();

    /// The address as a probe names it, or the file.
    const std::string& place() const;
    /// What has come since the last call, in order.
    std::vector<ProbeArrival> take();
    /// No new connection begins from now on; those that are there stay. When it returns, another may listen at the place.
    void stopListening();
    /// Whether nothing can arrive any more: it does not listen, each connection has ended, and all that came has been taken.
    bool isOver() const;
    /// Asks the probe of a connection; without effect on files and on connections that have ended.
    void ask(int connection, ProbeRequest request);
    /// Ends a connection; nothing of it arrives any more.
    void close(int connection);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
