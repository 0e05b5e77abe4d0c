// SPDX-License-Identifier: Apache-2.0
#include "engine/attach/probe_source.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>

#include "engine/attach/descriptor.h"
#include "engine/experiment/experiment.h"
#include "engine/wire/wire.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kUnix = "unix:", kTcp = "tcp:", kFileEnding = ".mprobe";
constexpr std::size_t kMostConnections = 64;
constexpr std::chrono::seconds kMostSilence(5);  // until the first message
constexpr int kGrowthMs = 50;                    // interval of checks for growth of a file
constexpr std::size_t kBlockBytes = 1u << 16;

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
    throw InputError("", "", place + " " + why);
}
std::string systemError() {
    return std::strerror(errno);
}

sockaddr_un unixAddress(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) refuse("unix:" + path, "is no address: its path must have 1 to 107 bytes");
    path.copy(address.sun_path, path.size());
    return address;
}

/// Whether a program listens at the address, even if it is busy.
bool isAnswered(const sockaddr_un& address) {
    const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    return connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno != ECONNREFUSED;
}

/// Whether the folder belongs to this user. In a parent that all may write to, another user could have created it.
bool isOwnFolder(const fs::path& folder) {
    struct stat facts {};
    return stat(folder.c_str(), &facts) == 0 && (facts.st_uid == geteuid() || (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

Descriptor listenAtUnix(const std::string& path) {
    const sockaddr_un address = unixAddress(path);
    const std::string place = std::string(kUnix) + path;
    std::error_code error;
    if (const fs::path folder = fs::path(path).parent_path(); !folder.empty() && !fs::exists(folder, error)) {
        fs::create_directories(folder, error);
        if (error) refuse(place, "cannot be listened at: " + error.message());
        fs::permissions(folder, fs::perms::owner_all, error);
    }
    const std::string usual = defaultProbePlace();
    if (usual.starts_with(kUnix) && fs::path(path) == fs::path(usual.substr(kUnix.size())) && !isOwnFolder(fs::path(path).parent_path()))
        refuse(place, "cannot be listened at: its folder belongs to another user");
    if (fs::is_socket(path, error)) {  // left by a killed program
        if (isAnswered(address)) refuse(place, "is in use: another program listens there");
        fs::remove(path, error);
    }
    Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const bool isBound = bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    // permissions for this user only, before clients can connect
    if (!isBound || chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(listener.number(), 16) != 0)
        refuse(place, "cannot be listened at: " + systemError());
    return listener;
}

/// Also sets `place` to the address with the actual port if 0 was requested.
Descriptor listenAtTcp(const std::string& text, bool allowsRemote, std::string& place) {
    const std::size_t colon = text.rfind(':');
    const std::string host = colon == std::string::npos || colon == 0 ? "127.0.0.1" : text.substr(0, colon);
    const std::string digits = text.substr(colon == std::string::npos ? 0 : colon + 1);
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty() ||
        inet_pton(AF_INET, (host == "localhost" ? "127.0.0.1" : host).c_str(), &address.sin_addr) != 1)
        refuse(place, "is no address: write tcp:127.0.0.1:PORT");
    if ((ntohl(address.sin_addr.s_addr) >> 24) != 127 && !allowsRemote)
        refuse(place, "can be reached from other machines: listen at tcp:127.0.0.1:PORT, or allow it with --allow-remote");
    address.sin_port = htons(port);
    Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listener.number(), 16) != 0)
        refuse(place, "cannot be listened at: " + systemError());
    socklen_t length = sizeof address;
    getsockname(listener.number(), reinterpret_cast<sockaddr*>(&address), &length);
    place = std::string(kTcp) + host + ":" + std::to_string(ntohs(address.sin_port));
    return listener;
}

/// Whether the peer of a Unix socket is this user or root.
bool isOwnUser(int connection) {
    ucred peer{};
    socklen_t length = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

/// Approximate memory of a message: small frames may hold long lists.
std::size_t sizeOf(const ProbeMessage& message) {
    constexpr std::size_t kText = 64;
    if (const auto* hello = std::get_if<ProbeHello>(&message)) return hello->modules.size() * (sizeof(ProbeModule) + kText);
    if (const auto* described = std::get_if<TensorsDescribed>(&message))
        return described->tensors.size() * (sizeof(DescribedTensor) + kText);
    if (const auto* captured = std::get_if<OperationsCaptured>(&message))
        return captured->operations.size() * (sizeof(CapturedOperation) + kText);
    if (const auto* statistics = std::get_if<ProbeStatistics>(&message)) return statistics->tensors.size() * sizeof(CountedTensor);
    return 0;
}

}  // namespace

std::string defaultProbePlace() {
    if (const char* configured = std::getenv("MANTISSA_ATTACH"); configured != nullptr && *configured != '\0') {
        const std::string place = configured;
        return place.starts_with(kUnix) || place.starts_with(kTcp) || isProbeFile(place) ? place : std::string(kUnix) + place;
    }
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    const char* temporary = std::getenv("TMPDIR");
    const fs::path folder =
        runtime != nullptr && *runtime != '\0'
            ? fs::path(runtime) / "mantissa"
            : fs::path(temporary != nullptr && *temporary != '\0' ? temporary : "/tmp") / ("mantissa-" + std::to_string(geteuid()));
    return std::string(kUnix) + (folder / "attach").string();
}

bool isProbeFile(const std::string& place) {
    return !place.starts_with(kUnix) && !place.starts_with(kTcp) && place.ends_with(kFileEnding);
}

struct ProbeSource::Impl {
    struct Connection {
        int number = 0;
        Descriptor descriptor;
        FrameReader frames;
        std::uint64_t bytesRead = 0;   // of whole frames
        std::uint64_t bytesTaken = 0;  // of a file: read so far, including partial frames
        bool hasGreeted = false, hasEnded = false, isFile = false, isAtEnd = false;
        Clock::time_point began = Clock::now();
        std::vector<std::uint8_t> requests;  // guarded by `mutex`: not written yet
        bool isUnwanted = false;             // guarded by `mutex`
    };

    ProbePlace options;
    std::function<void()> onArrival;
    std::string place, socketPath;
    struct stat socketFacts {};  // of the socket's file, once it is bound
    Descriptor listener, wake{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::mutex mutex;
    std::condition_variable closed;
    std::vector<std::pair<ProbeArrival, std::size_t>> arrivals;  // guarded by `mutex`, with their bytes
    std::size_t waitingBytes = 0;                                // guarded by `mutex`
    std::vector<std::unique_ptr<Connection>> connections;        // changed by the thread alone, under `mutex`
    int nextConnection = 0;
    bool isListening = false, isClosing = false;  // guarded by `mutex`; isClosing: the listener shall end
    std::jthread thread;                          // last: it uses all the others

    void ring() {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = write(wake.number(), &one, sizeof one);
    }

    void add(Descriptor descriptor, bool isFile) {
        auto connection = std::make_unique<Connection>();
        connection->number = nextConnection++;
        connection->descriptor = std::move(descriptor);
        connection->isFile = isFile;
        const std::lock_guard lock(mutex);
        connections.push_back(std::move(connection));
    }

    void push(int connection, decltype(ProbeArrival::what)&& what, std::size_t bytes) {
        {
            const std::lock_guard lock(mutex);
            if (std::any_of(connections.begin(), connections.end(),
                            [connection](const auto& each) { return each->number == connection && each->isUnwanted; }))
                return;
            arrivals.push_back({{connection, std::move(what)}, bytes});
            waitingBytes += bytes;
        }
        onArrival();
    }

    /// Removes the socket's file, unless another program has replaced it.
    void removeSocket() const {
        struct stat now {};
        if (socketPath.empty() || stat(socketPath.c_str(), &now) != 0) return;
        if (now.st_ino == socketFacts.st_ino && now.st_dev == socketFacts.st_dev) unlink(socketPath.c_str());
    }

    void acceptAll() {
        while (true) {
            Descriptor accepted(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!accepted.isOpen()) return;
            if (connections.size() >= kMostConnections || (!socketPath.empty() && !isOwnUser(accepted.number()))) continue;
            add(std::move(accepted), false);
        }
    }

    /// Passes on the complete frames received. Throws WireError.
    void handOn(Connection& connection) {
        while (auto payload = connection.frames.next()) {
            std::optional<ProbeMessage> message = decodeProbeMessage(*payload);
            const ProbeHello* const hello = message ? std::get_if<ProbeHello>(&*message) : nullptr;
            if (!connection.hasGreeted && hello == nullptr) throw WireError("the first message is no probe_hello");
            if (!connection.hasGreeted && !options.token.empty() && hello->token != options.token && !connection.isFile)
                throw WireError("the probe has sent another token than this program asks for");
            connection.hasGreeted = true;
            connection.bytesRead += 4 + payload->size();
            connection.hasEnded = message && std::holds_alternative<ProbeEnd>(*message);
            if (message) {
                const std::size_t bytes = std::max(payload->size(), sizeOf(*message));
                push(connection.number, std::move(*message), bytes);
            }
        }
    }

    /// Returns why following a file must end; empty: it continues.
    std::string whatHasBecomeOf(const Connection& connection) const {
        struct stat opened {
        }, named{};
        if (fstat(connection.descriptor.number(), &opened) != 0) return systemError();
        if (static_cast<std::uint64_t>(opened.st_size) < connection.bytesTaken) return "it was cut off while it was followed";
        if (stat(place.c_str(), &named) != 0) return "it was removed while it was followed";
        return named.st_ino == opened.st_ino ? "" : "another file took its place while it was followed";
    }

    /// Reads one block of available bytes. False: the connection has ended.
    bool read(Connection& connection) {
        std::vector<std::uint8_t> block(kBlockBytes);
        const ssize_t count = ::read(connection.descriptor.number(), block.data(), block.size());
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        std::string problem = count < 0 ? systemError() : "";
        try {
            if (count > 0) {
                connection.isAtEnd = false;
                connection.bytesTaken += static_cast<std::uint64_t>(count);
                connection.frames.append({block.data(), static_cast<std::size_t>(count)});
                handOn(connection);
                return true;
            }
            if (count == 0 && connection.isFile && options.follows && !connection.hasEnded) {
                problem = whatHasBecomeOf(connection);
                connection.isAtEnd = problem.empty();
                if (connection.isAtEnd) return true;
            }
            if (count == 0 && problem.empty() && connection.frames.hasPartial()) problem = "it ends within a message";
        } catch (const std::exception& error) {  // WireError, or no memory for the announced size
            problem = error.what();
        }
        if (!problem.empty() && connection.isFile) problem = "byte " + std::to_string(connection.bytesRead) + ": " + problem;
        push(connection.number, ConnectionEnded{std::move(problem)}, 0);
        return false;
    }

    void writeRequests(Connection& connection) {
        const std::lock_guard lock(mutex);
        if (connection.requests.empty()) return;
        const ssize_t count =
            send(connection.descriptor.number(), connection.requests.data(), connection.requests.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) connection.requests.erase(connection.requests.begin(), connection.requests.begin() + count);
        if (count < 0 && errno != EAGAIN && errno != EINTR) connection.requests.clear();  // the next read finds the reason
    }

    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            bool isFull = false;
            {
                const std::lock_guard lock(mutex);
                isFull = waitingBytes > kMaxWaitingBytes;
                if (std::exchange(isClosing, false)) {
                    listener = Descriptor();
                    isListening = false;
                    closed.notify_all();
                }
                std::erase_if(connections, [](const auto& each) { return each->isUnwanted; });
            }
            std::vector<pollfd> waited{{wake.number(), POLLIN, 0}, {listener.number(), POLLIN, 0}};
            int timeout = -1;
            for (const auto& each : connections) {
                const bool isAsleep = isFull || each->isAtEnd;  // a file always polls as ready, also at its end
                waited.push_back({isAsleep ? -1 : each->descriptor.number(), POLLIN, 0});
                if (each->isAtEnd && !isFull) timeout = kGrowthMs;
                if (!each->hasGreeted && !each->isFile && timeout < 0) timeout = 1000;
            }
            poll(waited.data(), waited.size(), timeout);
            std::uint64_t rings = 0;
            [[maybe_unused]] const ssize_t heard = ::read(wake.number(), &rings, sizeof rings);
            std::vector<int> over;
            for (std::size_t i = 0; i + 2 < waited.size() && !isFull; ++i) {
                Connection& each = *connections[i];
                if (!each.isFile) writeRequests(each);
                const bool isDue = each.isAtEnd || waited[i + 2].revents != 0;
                if (isDue && !read(each)) over.push_back(each.number);
                if (!each.hasGreeted && !each.isFile && Clock::now() - each.began > kMostSilence) over.push_back(each.number);
            }
            {
                const std::lock_guard lock(mutex);
                std::erase_if(connections,
                              [&](const auto& each) { return std::find(over.begin(), over.end(), each->number) != over.end(); });
            }
            if (!over.empty()) onArrival();  // the whole source may have ended
            if (listener.isOpen() && (waited[1].revents & POLLIN) != 0) acceptAll();
        }
    }
};

ProbeSource::ProbeSource(const ProbePlace& place, std::function<void()> onArrival) : m_impl(std::make_unique<Impl>()) {
    Impl& t = *m_impl;
    t.options = place;
    t.onArrival = std::move(onArrival);
    t.place = place.place.empty() ? defaultProbePlace() : place.place;
    if (t.place.starts_with(kUnix)) {
        const std::string path = t.place.substr(kUnix.size());
        t.listener = listenAtUnix(path);
        t.socketPath = path;
        stat(path.c_str(), &t.socketFacts);
    } else if (t.place.starts_with(kTcp)) {
        t.listener = listenAtTcp(t.place.substr(kTcp.size()), place.allowsRemote, t.place);
    } else if (isProbeFile(t.place)) {
        Descriptor file(open(t.place.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        struct stat facts {};
        if (!file.isOpen()) refuse(t.place, "cannot be read: " + systemError());
        if (fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) refuse(t.place, "is no regular file");
        t.add(std::move(file), true);
    } else {
        refuse("'" + t.place + "'", "is no place of a probe: write unix:PATH, tcp:127.0.0.1:PORT or FILE.mprobe");
    }
    t.isListening = t.listener.isOpen();
    t.thread = std::jthread([&t](const std::stop_token& stop) { t.run(stop); });
}

ProbeSource::~ProbeSource() {
    stopListening();
    m_impl->thread.request_stop();
    m_impl->ring();
    m_impl->thread.join();
}

const std::string& ProbeSource::place() const {
    return m_impl->place;
}

std::vector<ProbeArrival> ProbeSource::take() {
    std::vector<ProbeArrival> taken;
    bool wasFull = false;
    {
        const std::lock_guard lock(m_impl->mutex);
        for (auto& [arrival, bytes] : m_impl->arrivals) taken.push_back(std::move(arrival));
        m_impl->arrivals.clear();
        wasFull = std::exchange(m_impl->waitingBytes, 0) > kMaxWaitingBytes;
    }
    if (wasFull) m_impl->ring();
    return taken;
}

void ProbeSource::stopListening() {
    std::unique_lock lock(m_impl->mutex);
    if (!m_impl->isListening) return;
    m_impl->removeSocket();  // first: a program that checks for a listener then finds no file
    m_impl->isClosing = true;
    m_impl->ring();
    m_impl->closed.wait(lock, [this] { return !m_impl->isListening; });
}

bool ProbeSource::isOver() const {
    const std::lock_guard lock(m_impl->mutex);
    return !m_impl->isListening && m_impl->connections.empty() && m_impl->arrivals.empty();
}

void ProbeSource::ask(int connection, ProbeRequest request) {
    const std::vector<std::uint8_t> frame = encode(request);
    {
        const std::lock_guard lock(m_impl->mutex);
        for (const auto& each : m_impl->connections)
            if (each->number == connection) each->requests.insert(each->requests.end(), frame.begin(), frame.end());
    }
    m_impl->ring();
}

void ProbeSource::close(int connection) {
    {
        const std::lock_guard lock(m_impl->mutex);
        for (const auto& each : m_impl->connections)
            if (each->number == connection) each->isUnwanted = true;
        std::erase_if(m_impl->arrivals, [&](const auto& each) { return each.first.connection == connection; });
    }
    m_impl->ring();
}

}  // namespace mantissa
