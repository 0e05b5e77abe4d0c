// SPDX-License-Identifier: Apache-2.0
// A oneDNN primitive with its arguments, for repeated runs on one thread, while a OneThread object exists.
#pragma once

#include <initializer_list>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

namespace mantissa::cpu {

/// Attributes of every primitive.
inline dnnl::primitive_attr libraryAttributes() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(
        dnnl::scratchpad_mode::user);  // the library's default scratchpad belongs to the thread that makes the primitive
    attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);  // fp32 arithmetic, regardless of ONEDNN_DEFAULT_FPMATH_MODE
    return attributes;
}

/// Describes an operation to the library. oneDNN 2 wraps the arguments in a `desc`; oneDNN 3 takes them directly.
template <typename Primitive, typename... Arguments>
auto describe(const dnnl::engine& engine, const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
    return typename Primitive::primitive_desc(engine, arguments..., attributes);
#else
    return typename Primitive::primitive_desc({arguments...}, attributes, engine);
#endif
}
/// Describes a gradient; `forward` is the operation's own description.
template <typename Primitive, typename Forward, typename... Arguments>
auto describeGradient(const dnnl::engine& engine, const Forward& forward, const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
    return typename Primitive::primitive_desc(engine, arguments..., forward, libraryAttributes());
#else
    return typename Primitive::primitive_desc({arguments...}, libraryAttributes(), engine, forward);
#endif
}

class LibraryCall {
public:
    /// Arguments that several calls share are bound by the first call, which must run alone.
    using Arguments = std::vector<std::pair<int, dnnl::memory>>;
    LibraryCall(const dnnl::engine& engine, dnnl::primitive primitive, Arguments arguments)
        : m_primitive(std::move(primitive)), m_stream(engine) {
        for (auto& [id, memory] : arguments) {
            m_arguments.push_back({id, memory.get()});
            m_memories.push_back(std::move(memory));
        }
    }

    /// Runs with addresses in the order of the arguments; they are rebound, which is slow, only if they change.
    void run(std::initializer_list<const void*> addresses) {
        std::size_t index = 0;
        for (const void* address : addresses) {
            dnnl::memory& memory = m_memories[index++];
            if (memory.get_data_handle() != address) memory.set_data_handle(const_cast<void*>(address));
        }
        // The C call takes the arguments directly; the C++ one copies them from a map each time.
        dnnl::error::wrap_c_api(
            dnnl_primitive_execute(m_primitive.get(), m_stream.get(), static_cast<int>(m_arguments.size()), m_arguments.data()),
            "the library's product failed");
    }

private:
    dnnl::primitive m_primitive;
    dnnl::stream m_stream;
    std::vector<dnnl::memory> m_memories;
    std::vector<dnnl_exec_arg_t> m_arguments;
};

}  // namespace mantissa::cpu
