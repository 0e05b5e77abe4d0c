// SPDX-License-Identifier: Apache-2.0
// A session that watches, and a probe that is played by the test.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "engine/attach/descriptor.h"
#include "tests/engine/attach/probe_script.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa::test {

class Watching : public ::testing::Test {
protected:
    std::filesystem::path folder = std::filesystem::temp_directory_path() / ("mantissa_watching_" + std::to_string(getpid()));
    std::string file = (folder / "watched.mantissa").string();
    std::string place = "unix:" + (folder / "attach").string();
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    /// Goes on until `isThere`. Not for ever.
    static void waitUntil(SessionFixture& lab, const std::function<bool()>& isThere) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!isThere() && std::chrono::steady_clock::now() < deadline) lab.session.advance(1, 20);
        ASSERT_TRUE(isThere());
    }
    static std::size_t countOf(const SessionFixture& lab, RunId run) {
        const auto found = lab.records.find(run);
        return found == lab.records.end() ? 0 : found->second.size();
    }
    static bool hasEnded(const SessionFixture& lab) {
        const auto runs = lab.runs();
        return !runs.empty() && runs.back().watch.link == WatchLink::Ended;
    }
    void watchFile(SessionFixture& lab, bool isAlone = false) {
        ASSERT_EQ(lab.command(WatchTraining{.place = kWatchedFile, .isAlone = isAlone}), "");
        waitUntil(lab, [&] { return hasEnded(lab) && countOf(lab, lab.runs().back().id) == 30; });
    }
};

/// A probe's file of these messages.
inline std::string fileOf(const std::filesystem::path& path, const std::vector<std::pair<std::string, Json>>& messages) {
    std::ofstream out(path, std::ios::binary);
    for (const auto& [type, body] : messages) {
        const std::vector<std::uint8_t> frame = messageFrame(type, body);
        out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
    }
    return path.string();
}

/// A probe that is played by the test.
class Probe {
public:
    explicit Probe(const std::string& place, const std::string& run = "a", const std::string& name = "script")
        : m_socket(socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        place.substr(5).copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(connect(m_socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        send("probe_hello", helloBody(run, name));
        send("tensors_described", tensorsBody());
    }
    void send(const std::string& type, const Json& body) const {
        const std::vector<std::uint8_t> frame = messageFrame(type, body);
        (void)::send(m_socket.number(), frame.data(), frame.size(), MSG_NOSIGNAL);  // the lab may have closed the connection already
    }
    void step(std::int64_t number, const ScriptStep& script = {}) const { send("probe_step", stepBody(number, script)); }
    std::string asked() const {
        timeval patience{20, 0};
        setsockopt(m_socket.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        FrameReader reader;
        std::uint8_t block[256];
        while (true) {
            if (const auto payload = reader.next()) return Json::from_cbor(*payload)["type"];
            const ssize_t count = recv(m_socket.number(), block, sizeof block, 0);
            if (count <= 0) return "";
            reader.append({block, static_cast<std::size_t>(count)});
        }
    }

private:
    Descriptor m_socket;
};

}  // namespace mantissa::test
