// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/file_guard.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engine/experiment/experiment.h"

namespace mantissa {

struct FileGuard::OpenFile {
    std::vector<int> descriptors;  // the first one holds the lock
    int guards = 0;
    bool isWritten = false;  // by this process
};

struct FileGuard::Registry {
    std::mutex mutex;
    std::map<std::pair<dev_t, ino_t>, OpenFile> files;
};

FileGuard::Registry& FileGuard::registry() {
    static Registry s_registry;
    return s_registry;
}

FileGuard::FileGuard(const std::string& path) {
    const auto refuse = [&](const std::string& sentence) { throw InputError(path, "", sentence); };
    if (path.empty() || path.find('\0') != std::string::npos) refuse("is no name of a file");
    std::lock_guard lock(registry().mutex);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) refuse(errno == ENOENT ? "no such file" : std::strerror(errno));
    if (!S_ISREG(status.st_mode)) refuse(S_ISDIR(status.st_mode) ? "is a folder, not a recording" : "is no regular file");
    auto found = registry().files.find({status.st_dev, status.st_ino});
    if (found == registry().files.end()) {
        const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
        fstat(descriptor, &status);  // the path may have another file by now
        found = registry().files.try_emplace({status.st_dev, status.st_ino}).first;
        found->second.descriptors.push_back(descriptor);
    }
    m_file = &found->second;
    ++m_file->guards;
}

FileGuard::~FileGuard() {
    std::lock_guard lock(registry().mutex);
    if (m_isWriter) {
        flock(m_file->descriptors[0], LOCK_UN);
        m_file->isWritten = false;
    }
    if (--m_file->guards > 0) return;
    for (const int descriptor : m_file->descriptors) close(descriptor);
    std::erase_if(registry().files, [&](const auto& file) { return &file.second == m_file; });
}

bool FileGuard::lockForWriting() {
    std::lock_guard lock(registry().mutex);
    if (m_file->isWritten) return m_isWriter;
    // A query, below, holds a shared lock for a moment.
    for (int attempt = 0; attempt < 5; ++attempt) {
        if (flock(m_file->descriptors[0], LOCK_EX | LOCK_NB) == 0) return m_isWriter = m_file->isWritten = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

bool FileGuard::isWritten() const {
    std::lock_guard lock(registry().mutex);
    if (m_file->isWritten) return !m_isWriter;
    if (flock(m_file->descriptors[0], LOCK_SH | LOCK_NB) != 0) return true;
    flock(m_file->descriptors[0], LOCK_UN);
    return false;
}

std::size_t FileGuard::readFirst(std::span<unsigned char> bytes) const {
    const ssize_t count = pread(m_file->descriptors[0], bytes.data(), bytes.size(), 0);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
}

}  // namespace mantissa
