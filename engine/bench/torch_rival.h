// SPDX-License-Identifier: Apache-2.0
// PyTorch as a rival: a separate process with one thread that runs blocks of steps on request.
#pragma once

#include <string>
#include <vector>

namespace mantissa {

class TorchRival {
public:
    /// Starts a Python that has torch, if there is one: MANTISSA_PYTHON, or python3. `model`: Python code (torch_models.h). `isCompiled`:
    /// with torch.compile; the first steps then take a minute. Python without torch.compile is not ready.
    explicit TorchRival(const std::string& model, bool isCompiled = false);
    ~TorchRival();
    TorchRival(const TorchRival&) = delete;
    TorchRival& operator=(const TorchRival&) = delete;

    bool isReady() const { return !m_version.empty(); }
    const std::string& version() const { return m_version; }
    const std::string& reason() const { return m_reason; }  // why it is not ready
    /// Runs `count` training steps with AdamW in fp32, fused where PyTorch has that, and returns the seconds of each; fewer or none if
    /// PyTorch has failed.
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
