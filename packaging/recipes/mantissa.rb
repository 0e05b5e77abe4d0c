# SPDX-License-Identifier: Apache-2.0
# Homebrew on Linux: brew install --build-from-source in a tap that has this file.
class Mantissa < Formula
  desc "Train the same network in several number formats, side by side"
  homepage "https://localhost" # placeholder
  url "https://localhost/mantissa-0.1.0-source.tar.gz" # placeholder, as the sum of zeros: see README.md
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["Apache-2.0", "GPL-3.0-or-later"]

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "qttools" => :build # lrelease
  depends_on :linux # sys/auxv.h, sys/eventfd.h, accept4, SO_PEERCRED and pipe2 are Linux's
  depends_on "onednn"
  depends_on "qtbase"
  depends_on "qtsvg"
  depends_on "sqlite"
  depends_on "zlib"

  # Homebrew has no QCustomPlot.
  resource "qcustomplot" do
    url "https://deb.debian.org/debian/pool/main/q/qcustomplot/qcustomplot_2.1.1+dfsg1.orig.tar.xz"
    sha256 "7d8ec48b42900cb4a1ceb33cf77d7ff714b65e1342f89338c1a5aa7ac91759aa"
  end

  def install
    static = buildpath/"static"
    resource("qcustomplot").stage do
      cp buildpath/"packaging/recipes/qcustomplot/CMakeLists.txt", "."
      system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *std_cmake_args(install_prefix: static)
      system "cmake", "--build", "build", "--target", "install"
    end
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *std_cmake_args,
           "-DQCustomPlotQt6_DIR=#{static}/lib/cmake/QCustomPlotQt6",
           "-DMANTISSA_BUILD_TESTS=OFF", "-DMANTISSA_BUILD_CUDA=OFF"
    system "cmake", "--build", "build", "--target", "install"
  end

  test do
    system bin/"mantissa", "train", "--steps", "5"
    assert_match version.to_s, shell_output("#{bin}/mantissa-lab --version")
  end
end
