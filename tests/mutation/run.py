#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks one rule of the program at a time, and checks that a test turns red.

    tests/mutation/run.py [--only ID ...] [--jobs 2] [--build-only] [--list]

mutants.py has the rules. All mutants are compiled into one build of a copy of the tree, build/mutation: each stands behind a switch that
the environment variable MANTISSA_MUTANT turns on. A mutant's own tests run first, then all the others (`FALLBACK`); the first red one ends
it. A mutant that hangs is killed by its time limit. The exit code is 1 if a mutant survives.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

from mutants import FALLBACK, KERNELS_ALONE, MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "mutation"
TREE = BUILD / "tree"
HEADER = """// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
inline const int kMantissaMutant = [] {
    const char* const text = std::getenv("MANTISSA_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
}();
inline bool mantissaMutant(int number) { return kMantissaMutant == number; }
"""
COPIED = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "LICENSE-Apache-2.0", "LICENSE-GPL-3.0", "README.md", "engine", "kernels",
          "packaging", "resources", "tests"]


def switched(number, find, replacement, original):
    """The text that stands in for `original` while mutant `number` is switched on, and `original` otherwise."""
    switch = f"mantissaMutant({number})"
    replacement = replacement.replace("$0", original)
    if "$M" in replacement:  # a text of its own, which asks for the switch itself
        return replacement.replace("$M", switch)
    if original.rstrip().endswith(";"):
        return f"if ({switch}) {{ {replacement} }} else {{ {original} }}"
    return f"({switch} ? ({replacement}) : ({original}))"


def mutated(sources):
    """Texts of files with every mutant in them; and what is wrong with the list."""
    problems, edits = [], {}
    for number, mutant in enumerate(MUTANTS, 1):
        find = mutant["find"]
        text = find.replace("@[", "").replace("]@", "")
        begin = find.find("@[") if "@[" in find else 0
        length = find.find("]@") - begin - 2 if "@[" in find else len(text)
        source = sources(mutant["file"])
        count = source.count(text)
        if count != 1:
            problems.append(f"{mutant['id']}: its text occurs {count} times in {mutant['file']}")
            continue
        first = source.index(text) + begin
        edits.setdefault(mutant["file"], {}).setdefault((first, first + length), []).append((number, mutant))
    texts = {}
    for file, regions in edits.items():
        source, out, done = sources(file), "", 0
        for (first, end), mutants in sorted(regions.items()):
            if first < done:
                problems.append(f"{mutants[0][1]['id']}: overlaps another mutant of {file}")
                continue
            original = text = source[first:end]
            for number, mutant in mutants:  # of one place: one switch in another
                if "$M" in mutant["replace"] and len(mutants) > 1:
                    problems.append(f"{mutant['id']}: a text with $M shares its place")
                if text is original:
                    text = switched(number, mutant["find"], mutant["replace"], original)
                else:
                    replacement = mutant["replace"].replace("$0", original)
                    text = (f"if (mantissaMutant({number})) {{ {replacement} }} else {{ {text} }}" if original.rstrip().endswith(";") else
                            f"(mantissaMutant({number}) ? ({replacement}) : {text})")
            out += source[done:first] + text
            done = end
        texts[file] = out + source[done:]
    return texts, problems


def write_if_changed(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def copy_tree(texts):
    """Files that are as they were keep their times, so that a second build is short."""
    kept = {TREE / "mutant.h"}
    write_if_changed(TREE / "mutant.h", HEADER.encode())
    for name in COPIED:
        base = ROOT / name
        for path in [base] if base.is_file() else sorted(p for p in base.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
            file = path.relative_to(ROOT)
            kept.add(TREE / file)
            write_if_changed(TREE / file, texts[str(file)].encode() if str(file) in texts else path.read_bytes())
            shutil.copymode(path, TREE / file)
    for path in TREE.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def build(programs, jobs):
    binary = BUILD / "build"
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    configure = ["cmake", "-S", str(TREE), "-B", str(binary), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
                 "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16", "-DMANTISSA_BUILD_GUI=OFF", "-DMANTISSA_BUILD_CUDA=OFF",
                 f"-DCMAKE_CXX_FLAGS=-include {TREE}/mutant.h", *launcher]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(binary), f"-j{jobs}", "--target", *programs], check=True)
    return binary / "tests"


def filter_of(chosen, spared):
    """A gtest filter without the spared tests."""
    positive, minus, negative = (chosen or "*").partition("-")
    left_out = ":".join([part for part in (negative, *spared) if part])
    return f"{positive or '*'}{'-' + left_out if minus or spared else ''}"


def run_tests(tests, number, limit_of, spared=()):
    """(verdict, test that says so): 'passed', 'assertion', 'crash' or 'timeout'."""
    for test in tests:
        program, _, chosen = test.partition(":")
        environment = {**os.environ, "MANTISSA_MUTANT": str(number), "OMP_NUM_THREADS": "1"}
        command = [str(BUILD / "build" / "tests" / program), "--gtest_fail_fast", "--gtest_brief=1", f"--gtest_filter={filter_of(chosen, spared)}"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=BUILD,
                                   start_new_session=True)
        try:
            output = process.communicate(timeout=limit_of(test))[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "timeout", f"`{program}`"
        if process.returncode != 0:
            failed = re.search(r"^\[  FAILED  \] ([^\s,(]+)", output, re.MULTILINE)
            if process.returncode < 0 or failed is None:
                return "crash", f"`{program}`, signal or exit code {process.returncode}"
            return "assertion", failed.group(1)
    return "passed", ""


def names_a_test(test):
    program, _, chosen = test.partition(":")
    listed = subprocess.run([str(BUILD / "build" / "tests" / program), "--gtest_list_tests", f"--gtest_filter={chosen or '*'}"],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    return any(line.startswith("  ") for line in listed.splitlines())


def tests_of(mutant):
    """Its own, then all that its file is linked into."""
    fallback = [test for test in FALLBACK if mutant["file"].startswith("kernels/") or test not in KERNELS_ALONE]
    return list(dict.fromkeys([*mutant["tests"], *fallback]))


def programs_of(tests):
    return sorted({test.partition(":")[0] for test in tests})


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--only", nargs="+", default=[], metavar="ID", help="these mutants alone")
    arguments.add_argument("--jobs", type=int, default=2, help="processes at a time")
    arguments.add_argument("--except", nargs="+", default=[], dest="spared", metavar="TEST", help="leave these out: they are red anyway")
    arguments.add_argument("--unchecked", action="store_true", help="spare the run without a mutant")
    arguments.add_argument("--build-only", action="store_true")
    arguments.add_argument("--list", action="store_true", help="print the mutants")
    options = arguments.parse_args()
    numbered = list(enumerate(MUTANTS, 1))
    if options.list:
        for number, mutant in numbered:
            print(f"{number:4} {mutant['id']}: {mutant['rule']}")
        return 0
    unknown = set(options.only) - {mutant["id"] for mutant in MUTANTS}
    if unknown or len({mutant["id"] for mutant in MUTANTS}) < len(MUTANTS):
        sys.exit(f"not in the list: {', '.join(sorted(unknown))}" if unknown else "two mutants have one id")

    texts, problems = mutated(lambda file: (ROOT / file).read_text())
    if problems:
        sys.exit("stale mutants:\n" + "\n".join(problems))
    chosen = [(n, m) for n, m in numbered if not options.only or m["id"] in options.only]
    all_tests = sorted({test for _, m in chosen for test in m["tests"]} | set(FALLBACK))
    copy_tree(texts)
    build(programs_of(all_tests), options.jobs)
    if options.build_only:
        return 0

    nameless = [test for test in all_tests if not names_a_test(test)]
    if nameless:
        sys.exit("these filters name no test:\n" + "\n".join(nameless))

    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def passes(test):
            started = time.monotonic()
            verdict, what = run_tests([test], 0, lambda _: 600, options.spared)
            return verdict, what, time.monotonic() - started

        programs = FALLBACK[::-1]  # the longest first
        sound = [] if options.unchecked else list(pool.map(passes, programs))
        red = [f"{test}: {verdict}, {what}" for test, (verdict, what, _) in zip(programs, sound) if verdict != "passed"]
        if red:
            sys.exit("without a mutant these do not pass:\n" + "\n".join(red))
        # The machine may be busy: a test program hangs when it takes ten times as long as it did, and a minute.
        seconds_of = {test.partition(":")[0]: seconds for test, (_, _, seconds) in zip(programs, sound)}
        limit_of = lambda test: 60 + 10 * seconds_of.get(test.partition(":")[0], 60)
        if sound:
            print(f"without a mutant all pass, {time.monotonic() - began:.0f} s", flush=True)

        def judge(entry):
            number, mutant = entry
            started = time.monotonic()
            verdict, what = run_tests(tests_of(mutant), number, limit_of, options.spared)
            return verdict, what, time.monotonic() - started

        rows, counts = {}, {}
        running = {pool.submit(judge, entry): entry for entry in chosen}
        for done in concurrent.futures.as_completed(running):
            number, mutant = running[done]
            verdict, what, seconds = done.result()
            counts[verdict] = counts.get(verdict, 0) + 1
            told = {"passed": "**SURVIVED**", "assertion": f"`{what}`", "crash": f"crash, {what}", "timeout": f"timeout, {what}"}[verdict]
            rows[number] = f"| {mutant['id']} | {mutant['rule']} | {told} |"
            print(f"{len(rows)} of {len(chosen)}, {seconds:.0f} s: {mutant['id']}: {told}", flush=True)
    print("\n| mutant | rule that it breaks | killed by |\n|---|---|---|")
    print("\n".join(rows[number] for number in sorted(rows)))
    print(f"\n{len(chosen)} mutants in {time.monotonic() - began:.0f} s: {counts.get('assertion', 0)} killed by an assertion, "
          f"{counts.get('crash', 0)} by a crash, {counts.get('timeout', 0)} by a timeout; {counts.get('passed', 0)} survived")
    return 1 if counts.get("passed") else 0


if __name__ == "__main__":
    sys.exit(main())
