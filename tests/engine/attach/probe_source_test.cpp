// SPDX-License-Identifier: Apache-2.0
#include "engine/attach/probe_source.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "engine/attach/descriptor.h"
#include "tests/engine/attach/probe_script.h"

namespace mantissa {
namespace {

using namespace test;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A source with what has arrived.
class Heard {
public:
    std::vector<ProbeArrival> arrivals;

    explicit Heard(const ProbePlace& place)
        : m_source(std::make_unique<ProbeSource>(place, [this] {
              const std::lock_guard lock(m_mutex);
              m_hasNews = true;
              m_wake.notify_one();
          })) {}
    ProbeSource& source() { return *m_source; }
    /// Waits until so many have arrived. Not for ever.
    bool waitFor(std::size_t count) {
        const auto deadline = std::chrono::steady_clock::now() + 20s;
        while (arrivals.size() < count && std::chrono::steady_clock::now() < deadline) {
            std::unique_lock lock(m_mutex);
            m_wake.wait_for(lock, 50ms, [this] { return m_hasNews; });
            m_hasNews = false;
            lock.unlock();
            for (ProbeArrival& each : m_source->take()) arrivals.push_back(std::move(each));
        }
        return arrivals.size() >= count;
    }
    /// What ended the last connection.
    std::string problem() const {
        for (auto each = arrivals.rbegin(); each != arrivals.rend(); ++each)
            if (const auto* ended = std::get_if<ConnectionEnded>(&each->what)) return ended->problem;
        return "nothing ended";
    }
    template <class T>
    int count() const {
        int number = 0;
        for (const ProbeArrival& each : arrivals) {
            const auto* message = std::get_if<ProbeMessage>(&each.what);
            number += message != nullptr && std::holds_alternative<T>(*message) ? 1 : 0;
        }
        return number;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_hasNews = false;
    std::unique_ptr<ProbeSource> m_source;  // last: its thread uses the others
};

/// A probe's end of a connection.
class Client {
public:
    explicit Client(const std::string& place) {
        if (place.starts_with("unix:")) {
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            place.substr(5).copy(address.sun_path, sizeof address.sun_path - 1);
            open(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
        } else {
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(place.substr(place.rfind(':') + 1))));
            open(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
        }
    }
    bool isConnected() const { return m_isConnected; }
    void send(const std::vector<std::uint8_t>& bytes) const {
        ASSERT_EQ(::send(m_socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }
    std::vector<std::uint8_t> receive(std::size_t count) const {
        std::vector<std::uint8_t> bytes(count);
        EXPECT_EQ(recv(m_socket.number(), bytes.data(), count, MSG_WAITALL), static_cast<ssize_t>(count));
        return bytes;
    }
    /// Whether the other side has closed the connection, waiting for it.
    bool isClosed() const {
        std::uint8_t byte = 0;
        return recv(m_socket.number(), &byte, 1, 0) <= 0;
    }
    int number() const { return m_socket.number(); }

private:
    Descriptor m_socket;
    bool m_isConnected = false;
    void open(int family, const sockaddr* address, socklen_t length) {
        m_socket = Descriptor(socket(family, SOCK_STREAM, 0));
        timeval patience{20, 0};
        setsockopt(m_socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        m_isConnected = connect(m_socket.number(), address, length) == 0;
    }
};

class Source : public ::testing::Test {
protected:
    fs::path folder = fs::temp_directory_path() / ("mantissa_source_" + std::to_string(getpid()));
    std::string place = "unix:" + (folder / "attach").string();
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }

    std::string fileOf(const std::vector<std::uint8_t>& bytes) const {
        const fs::path path = folder / "run.mprobe";
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return path.string();
    }
    static std::string refusalOf(const ProbePlace& place) {
        try {
            const ProbeSource source(place, [] {});
        } catch (const InputError& error) {
            return error.sentence();
        }
        return "";
    }
};

TEST_F(Source, HearsSeveralProbesAtOneSocket) {
    Heard heard({.place = place});
    EXPECT_EQ(heard.source().place(), place);
    const Client first(place), second(place);
    first.send(messageFrame("probe_hello", helloBody("a")));
    second.send(messageFrame("probe_hello", helloBody("b")));
    first.send(messageFrame("probe_step", stepBody(0)));
    ASSERT_TRUE(heard.waitFor(3));
    EXPECT_EQ(heard.count<ProbeHello>(), 2);
    EXPECT_EQ(heard.count<ProbeStep>(), 1);
}

TEST_F(Source, ASocketIsItsUsersAlone) {
    const Heard heard({.place = place});
    struct stat facts {};
    ASSERT_EQ(stat((folder / "attach").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(Source, TakesOverASocketThatAKilledProgramLeftAndNoOther) {
    {
        const Descriptor left(socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        (folder / "attach").string().copy(address.sun_path, sizeof address.sun_path - 1);
        ASSERT_EQ(bind(left.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    }
    ASSERT_TRUE(fs::is_socket(folder / "attach"));
    const Heard heard({.place = place});
    EXPECT_NE(refusalOf({.place = place}).find("another program listens there"), std::string::npos);
    EXPECT_TRUE(Client(place).isConnected());
}

TEST_F(Source, LeavesNoSocketBehind) {
    { const Heard heard({.place = place}); }
    EXPECT_FALSE(fs::exists(folder / "attach"));
}

TEST_F(Source, APlaceIsFreeAtOnceWhereListeningHasStopped) {
    Heard first({.place = place});
    for (int i = 0; i < 20; ++i) {
        const Client there(place);
        first.source().stopListening();
        EXPECT_FALSE(fs::exists(folder / "attach"));
        Heard second({.place = place});
        ASSERT_TRUE(Client(place).isConnected());
        second.source().stopListening();
        const ProbeSource third({.place = place}, [] {});
        first.source().stopListening();
        EXPECT_TRUE(Client(place).isConnected());
    }
}

TEST_F(Source, LeavesASocketThatAnotherProgramHasBoundThere) {
    auto first = std::make_unique<ProbeSource>(ProbePlace{.place = place}, [] {});
    fs::remove(folder / "attach");
    const ProbeSource second({.place = place}, [] {});
    first.reset();
    EXPECT_TRUE(Client(place).isConnected());
}

TEST_F(Source, IsOverOnceAllOfAFileHasBeenTaken) {
    ProbeSource source({.place = kWatchedFile, .follows = false}, [] {});
    EXPECT_FALSE(source.isOver());
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    std::size_t count = 0;
    while (!source.isOver() && std::chrono::steady_clock::now() < deadline) {
        count += source.take().size();
        std::this_thread::sleep_for(5ms);
    }
    EXPECT_TRUE(source.isOver());
    EXPECT_GT(count, 30u);
}

TEST_F(Source, RefusesPlacesInOneSentence) {
    EXPECT_NE(refusalOf({.place = "here"}).find("is no place of a probe"), std::string::npos);
    EXPECT_NE(refusalOf({.place = "tcp:127.0.0.1:x"}).find("is no address"), std::string::npos);
    EXPECT_NE(refusalOf({.place = "tcp:0.0.0.0:0"}).find("can be reached from other machines"), std::string::npos);
    EXPECT_NE(refusalOf({.place = "unix:" + std::string(200, 'x')}).find("1 to 107 bytes"), std::string::npos);
    EXPECT_NE(refusalOf({.place = (folder / "none.mprobe").string()}).find("cannot be read"), std::string::npos);
    fs::create_directory(folder / "folder.mprobe");
    EXPECT_NE(refusalOf({.place = (folder / "folder.mprobe").string()}).find("is no regular file"), std::string::npos);
    ASSERT_EQ(mkfifo((folder / "pipe.mprobe").c_str(), 0600), 0);
    EXPECT_NE(refusalOf({.place = (folder / "pipe.mprobe").string()}).find("is no regular file"), std::string::npos);
}

TEST_F(Source, ATcpPortAsksForItsToken) {
    Heard heard({.place = "tcp:127.0.0.1:0", .token = "secret"});
    const Client stranger(heard.source().place());
    stranger.send(messageFrame("probe_hello", helloBody()));
    ASSERT_TRUE(heard.waitFor(1));
    EXPECT_NE(heard.problem().find("another token"), std::string::npos);
    EXPECT_TRUE(stranger.isClosed());
    const Client friendly(heard.source().place());
    Json hello = helloBody();
    hello["token"] = "secret";
    friendly.send(messageFrame("probe_hello", hello));
    ASSERT_TRUE(heard.waitFor(2));
    EXPECT_EQ(heard.count<ProbeHello>(), 1);
}

TEST_F(Source, EndsAConnectionThatSpeaksGarbageAndKeepsTheOthers) {
    Heard heard({.place = place});
    const Client good(place), bad(place);
    good.send(messageFrame("probe_hello", helloBody()));
    bad.send({0xff, 0xff, 0xff, 0x7f, 1, 2, 3});
    ASSERT_TRUE(heard.waitFor(2));
    EXPECT_NE(heard.problem().find("over the limit of 16 MiB"), std::string::npos);
    EXPECT_TRUE(bad.isClosed());
    const Client early(place);
    early.send(messageFrame("probe_step", stepBody(0)));
    ASSERT_TRUE(heard.waitFor(3));
    EXPECT_EQ(heard.problem(), "the first message is no probe_hello");
    good.send(messageFrame("probe_step", stepBody(0)));
    ASSERT_TRUE(heard.waitFor(4));
    EXPECT_EQ(heard.count<ProbeStep>(), 1);
}

TEST_F(Source, NoticesAProcessThatIsGone) {
    Heard heard({.place = place});
    {
        const Client probe(place);
        probe.send(messageFrame("probe_hello", helloBody()));
        ASSERT_TRUE(heard.waitFor(1));
    }
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(heard.waitFor(2));
    EXPECT_EQ(heard.problem(), "");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
}

TEST_F(Source, AsksAProbe) {
    Heard heard({.place = place});
    const Client probe(place);
    probe.send(messageFrame("probe_hello", helloBody()));
    ASSERT_TRUE(heard.waitFor(1));
    heard.source().ask(heard.arrivals[0].connection, ProbeRequest::MeasureNow);
    const std::vector<std::uint8_t> expected = encode(ProbeRequest::MeasureNow);
    EXPECT_EQ(probe.receive(expected.size()), expected);
    heard.source().close(heard.arrivals[0].connection);
    EXPECT_TRUE(probe.isClosed());
}

TEST_F(Source, StopsReadingWhileNobodyTakesWhatCame) {
    Heard heard({.place = place});
    const Client probe(place);
    probe.send(messageFrame("probe_hello", helloBody()));
    Json step = stepBody(0);
    step["bad_weights"] = Json::array({std::string(1 << 20, 'w')});
    const std::vector<std::uint8_t> frame = messageFrame("probe_step", step);
    std::size_t sent = 0;
    auto latest = std::chrono::steady_clock::now();  // at which something was taken
    for (std::size_t at = 0; std::chrono::steady_clock::now() - latest < 2s;) {
        const ssize_t count = ::send(probe.number(), frame.data() + at, frame.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0) {
            std::this_thread::sleep_for(10ms);
            continue;
        }
        latest = std::chrono::steady_clock::now();
        sent += static_cast<std::size_t>(count);
        at = (at + static_cast<std::size_t>(count)) % frame.size();
        ASSERT_LT(sent, 3 * kMaxWaitingBytes) << "all is read though nothing is taken";
    }
    EXPECT_GT(sent, kMaxWaitingBytes / 2);
}

TEST_F(Source, ReadsAFileToItsEnd) {
    Heard heard({.place = kWatchedFile, .follows = false});
    ASSERT_TRUE(heard.waitFor(32));
    while (heard.problem() == "nothing ended") ASSERT_TRUE(heard.waitFor(heard.arrivals.size() + 1));
    EXPECT_EQ(heard.problem(), "");
    EXPECT_EQ(heard.count<ProbeStep>(), 30);
}

TEST_F(Source, FollowsAFileWhileItGrows) {
    const std::vector<std::uint8_t> whole = bytesOfFile(kWatchedFile);
    const std::string path = fileOf({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.size() / 2)});
    Heard heard({.place = path});
    ASSERT_TRUE(heard.waitFor(5));
    std::ofstream(path, std::ios::binary | std::ios::app)
        .write(reinterpret_cast<const char*>(whole.data() + whole.size() / 2),
               static_cast<std::streamsize>(whole.size() - whole.size() / 2));
    while (heard.problem() == "nothing ended") ASSERT_TRUE(heard.waitFor(heard.arrivals.size() + 1));
    EXPECT_EQ(heard.count<ProbeStep>(), 30);
    EXPECT_EQ(heard.count<ProbeEnd>(), 1) << "with which a file that is followed ends";
}

TEST_F(Source, AFileThatIsCutAnywhereGivesWhatIsWhole) {
    const std::vector<std::uint8_t> whole = bytesOfFile(kWatchedFile);
    std::vector<std::size_t> ends{0};
    for (std::size_t at = 0; at + 4 <= whole.size();) {
        at += 4 + (whole[at] | whole[at + 1] << 8 | whole[at + 2] << 16 | static_cast<std::size_t>(whole[at + 3]) << 24);
        ends.push_back(at);
    }
    ASSERT_EQ(ends.back(), whole.size());
    for (std::size_t cut = 1; cut < whole.size(); cut += cut < 3000 ? 37 : 4999) {
        const auto frames = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin() - 1);
        Heard heard({.place = fileOf({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)}), .follows = false});
        ASSERT_TRUE(heard.waitFor(frames + 1)) << cut;
        EXPECT_EQ(heard.arrivals.size(), frames + 1);
        EXPECT_EQ(heard.problem(), ends[frames] == cut ? "" : "byte " + std::to_string(ends[frames]) + ": it ends within a message") << cut;
    }
}

TEST_F(Source, TheUsualPlaceIsWhereProbesLook) {
    setenv("MANTISSA_ATTACH", "/somewhere/else", 1);
    EXPECT_EQ(defaultProbePlace(), "unix:/somewhere/else");
    setenv("MANTISSA_ATTACH", "tcp:127.0.0.1:4000", 1);
    EXPECT_EQ(defaultProbePlace(), "tcp:127.0.0.1:4000");
    setenv("MANTISSA_ATTACH", "/runs/one.mprobe", 1);
    EXPECT_EQ(defaultProbePlace(), "/runs/one.mprobe");
    unsetenv("MANTISSA_ATTACH");
    setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
    EXPECT_EQ(defaultProbePlace(), "unix:/run/user/1/mantissa/attach");
    unsetenv("XDG_RUNTIME_DIR");
    unsetenv("TMPDIR");
    EXPECT_EQ(defaultProbePlace(), "unix:/tmp/mantissa-" + std::to_string(geteuid()) + "/attach");
}

}  // namespace
}  // namespace mantissa
