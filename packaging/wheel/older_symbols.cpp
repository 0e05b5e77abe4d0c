// SPDX-License-Identifier: Apache-2.0
// Linked into both programs by MANTISSA_OLDER_LIBSTDCXX: libstdc++ of GCC 12 has given std::condition_variable::wait the version
// GLIBCXX_3.4.30, and keeps the one of GCC 11 and before beside it. Programs that ask for the older one start with either library: GCC 11's
// is that of RHEL 9 and its kin. The linker's --wrap sends each call here.
extern "C" {

void olderWait(void* condition, void* lock);
__asm__(".symver olderWait,_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");

void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void* condition, void* lock) {
    olderWait(condition, lock);
}
}
