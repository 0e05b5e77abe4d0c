// SPDX-License-Identifier: Apache-2.0
// PyTorch as a rival in a process of its own, one thread, which runs a block of steps whenever asked.
#pragma once

#include <string>
#include <vector>

namespace mantissa {

class TorchRival {
public:
    /// Starts a Python that has torch, where there is one. `model`: Python that defines loss_of(batch) and parameters (torch_models.h).
    explicit TorchRival(const std::string& model);
    ~TorchRival();
    TorchRival(const TorchRival&) = delete;
    TorchRival& operator=(const TorchRival&) = delete;

    bool isReady() const { return !m_version.empty(); }
    const std::string& version() const { return m_version; }
    const std::string& reason() const { return m_reason; }  // why not
    /// Seconds of each of `count` training steps with AdamW, fp32.
    std::vector<double> steps(int count);

private:
    int m_toChild = -1;
    int m_fromChild = -1;
    int m_pid = -1;
    std::string m_script, m_version, m_reason;
    bool start(const std::string& python);
    void stop();
    std::string readLine();
};

}  // namespace mantissa
