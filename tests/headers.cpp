// SPDX-License-Identifier: Apache-2.0
// Does nothing: the headers that tests share are compiled for this program (tests/CMakeLists.txt).
int main() {
    return 0;
}
