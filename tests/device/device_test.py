# SPDX-License-Identifier: Apache-2.0
"""device_test.py BUILD: run.sh where there is no GPU. Packs the programs of BUILD, unpacks and starts them in a bare environment; then makes the
calls that a GPU gets, with shell scripts in the programs' place, which fail, hang or answer nonsense where a test says so. Exits with 77, which
means skipped, without xz."""
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PARTS = ["conformance", "memory", "products", "gpt", "resnet", "mlp", "formats", "looks", "switches", "full", "sanitizer"]
PROGRAMS = ("bin/mantissa", "bin/mantissa_products", "lib/mantissa/mantissa_cuda.so")
JUDGED = ("conformance", "full", "sanitizer")
# Each program of the emulated GPU, by the name it is called by. FAULTS: "what:call;what:call", a call by a piece of its command line or experiment.
STUB = r"""#!/bin/sh
said="${0##*/} $*"
case $2 in *.json) said="$said $(tr -d ' \n' <"$2")" ;; esac
echo "$said" >>"$CALLS"
case $said$LD_LIBRARY_PATH in mantissa*/lib/other* | [!m]*) ;; *) echo "without its libraries" >&2; exit 1 ;; esac
right=true ratio=1
IFS=';'
for fault in $FAULTS; do
    case $said in *"${fault#*:}"*) ;; *) continue ;; esac
    case ${fault%%:*} in
        fail) echo "it broke" >&2; exit 1 ;;
        later) [ "$(grep -c "${fault#*:}" "$CALLS")" = 1 ] || exit 1 ;; # the first time it works
        garbage) printf '\377 no JSON'; exit 0 ;;
        killed) kill -9 $$ ;;
        hang) sleep 50 & echo $! >"$CALLS.new"; mv "$CALLS.new" "$CALLS.asleep"; wait ;;
        wrong) right=false ratio=2 ;;
    esac
done
case $said in
    "mantissa devices --json") echo '{"devices":[{"name":"cpu","available":true},{"name":"cuda:0","available":true,"description":"Emulated"}]}' ;;
    "mantissa selftest "*) echo '{"holds":'$right',"seconds":1,"checks":[{"operation":"matmul","format":"fp16","holds":'$right'}],"training":[]}'; $right || exit 3 ;;
    "mantissa plan "*) echo '{"runs":[{"memory":{"activations":100}},{"memory":{"activations":50}}]}' ;;
    "mantissa bench "*) echo '{"results":[{"name":"switch","what":"it","ours_median":1,"rival_median":1,"ratio":'$ratio',"limit":1}]}' ;;
    "mantissa train "*) # 1 ms a step, 10 of fp32
        run=$(expr "$said" : '.*"runs":.{"name":"\([a-z0-9]*\)"')
        [ "$run" = fp32 ] && zeros=0 || zeros=00
        printf "step,wall_s\n0,0.${zeros}1\n1,0.${zeros}2\n2,0.${zeros}3\n" >"$8/$run.csv" ;;
    mantissa_products*) echo '{"products":[{"name":"p","candidates":1,"ours_ms":1,"best_ms":1,"ratio":1}],"fp8_over_bf16":2,"attention_ms":1,"attention_and_gradient_ms":1}' ;;
    compute-sanitizer*) $right || exit 9 ;;
    nvidia-smi*) cp -al "$TMPDIR"/tmp.* "$OUT/unpacked"; echo "999.1, 1980 MHz" ;; # what is unpacked at this moment stays for the tests
    ldd*) printf 'libcudnn.so.9 => not found\nlibcublasLt.so.13 => not found\n' ;;
    ldconfig*) echo "libcublasLt.so.13 (libc6,x86-64) => /toolkit/libcublasLt.so.13" ;;
    find*) echo "/python/libcudnn.so.9" ;;
    xz*) exec cat ;; # of programs of 70 MB, which would take seconds; the small ones are packed as they should be
esac
"""
PEER = """import json, os, sys
assert "LD_LIBRARY_PATH" not in os.environ, "PyTorch has its own libraries"
if "peer:" + sys.argv[1] in os.environ["FAULTS"]:
    import no_torch
print(json.dumps({"step_ms": 200, "attention_ms": 1, "attention_and_gradient_ms": 1, "rival": "PyTorch, emulated"}))
"""


def tree(name, programs):
    """A tree with nothing but tests/device, and a folder of stubs for PATH."""
    shutil.copytree(HERE, ROOT / name / "tests/device")
    stubs = ROOT / name / "stubs"
    stubs.mkdir()
    (stubs / "python3").symlink_to(sys.executable)
    for program in programs:
        (stubs / program).write_text(STUB)
        (stubs / program).chmod(0o755)
    return ROOT / name


def start(of, *arguments, faults="", limits=None):
    """run.sh in an environment with nothing in it but what it is told here, and the folder of what it writes."""
    out = pathlib.Path(tempfile.mkdtemp(dir=ROOT))
    (out / "tmp").mkdir()
    env = {"PATH": f"{of}/stubs:/usr/bin:/bin", "HOME": str(out), "OUT": str(out), "TMPDIR": f"{out}/tmp", "CALLS": f"{out}/calls", "FAULTS": faults,
           "MANTISSA_DEVICE_LIMITS": json.dumps(limits or {}), "CUDA_VISIBLE_DEVICES": "-1"}
    command = ["bash", of / "tests/device/run.sh", *arguments]
    return subprocess.Popen(command, env=env, cwd=out, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True), out


def soon(condition):
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False


def sleeps(out):
    """Whether the program that hung is still there; a zombie is not."""
    try:
        return pathlib.Path(f"/proc/{(out / 'calls.asleep').read_text().strip()}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def missing(results):
    return [part for part in PARTS if part in results and ("skipped" in str(results[part]) or (part in JUDGED and results[part]["holds"] is None))]


class Device(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.emulated = tree("emulated", ["nvidia-smi", "compute-sanitizer", "ldd", "ldconfig", "find"])
        (cls.emulated / "tests/device/peer_torch.py").write_text(PEER)
        for file in PROGRAMS:
            (cls.emulated / "built" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(cls.emulated / "stubs/ldd", cls.emulated / "built" / file)
        said = start(cls.emulated, "--pack", "../emulated/built")[0].communicate()[0]
        assert "packed" in said and (cls.emulated / "build/device.tar.xz").read_bytes().startswith(b"\xfd7zXZ"), said
        cls.whole = start(cls.emulated)  # during the next tests

    @classmethod
    def tearDownClass(cls):
        cls.whole[0].wait()

    def call(self, code, *parts, driver="999.1, 1980 MHz", started=None, **how):
        """What a call that ends with this code has printed and kept. It leaves nothing behind, and no exception says more than its line."""
        call, self.out = started or start(self.emulated, *parts, **how)
        said = call.communicate()[0]
        self.assertEqual(call.returncode, code, said)
        self.assertEqual(os.listdir(self.out / "tmp"), [])
        self.assertTrue(soon(lambda: not sleeps(self.out)))
        self.assertNotIn("Traceback", said)
        results = json.loads((self.out / "device-results.json").read_text())
        self.assertEqual([results["date"], results["driver"]], [datetime.date.today().isoformat(), driver])
        self.assertEqual(re.findall("-- (.*):", said), list(results)[4:])
        return said, results

    def testEachPartInOrder(self):
        results = self.call(0, started=self.whole)[1]
        self.assertEqual(list(results), ["date", "driver", "device", "libraries", *PARTS])
        self.assertEqual(results["device"]["description"], "Emulated")
        self.assertTrue(all((self.out / "unpacked" / file).exists() for file in PROGRAMS))
        self.assertEqual(results["libraries"].split(":")[1:], ["/python", "/toolkit"])
        self.assertEqual([len(results["gpt"][0]["pairs_ms"]), results["gpt"][0]["rival"]], [3, "PyTorch, emulated"])
        self.assertAlmostEqual(results["formats"][0]["ratio"], 10)

    def testChosenParts(self):
        results = self.call(0, "switches,mlp", faults='later:"kind":"mlp"')[1]
        self.assertEqual([*results][4:], ["switches", "mlp"])
        self.assertEqual([len(results["mlp"][0]["pairs_ms"]), results["mlp"][0]["stopped"]], [1, "ended with code 1"])
        call, out = start(self.emulated, "memory,speed")
        self.assertIn("there is no part 'speed'; there are " + ", ".join(PARTS), call.communicate()[0])
        self.assertEqual([call.returncode, (out / "device-results.json").exists()], [1, False])

    def testWrongNumbersAndMissedFigures(self):
        said, results = self.call(3, "conformance,memory,sanitizer", faults="wrong:selftest;wrong:compute-sanitizer")
        self.assertEqual([results["conformance"]["holds"], results["sanitizer"]["holds"], missing(results)], [False, False, []])
        self.assertIn("conformance: ['matmul fp16: ']", said)
        self.assertIn("2.000 (goal 1.00), missed", self.call(5, "conformance,switches", faults="wrong:bench")[0])

    def testEveryPartFails(self):
        calls = ("mantissa selftest", "mantissa plan", "mantissa_products", "mantissa train", "mantissa bench", "racecheck")
        started = {fault: start(self.emulated, faults=";".join(f"{fault}:{each}" for each in calls)) for fault in ("fail", "killed", "garbage")}
        for fault, reason in (("fail", "it broke"), ("killed", "code -9"), ("garbage", "")):
            said, results = self.call(5, started=started[fault])
            self.assertEqual(missing(results), PARTS[:-1] if fault == "garbage" else PARTS, said)  # the sanitizer judges by its exit code
            self.assertTrue(all(reason in str(results[part]) for part in PARTS), said)

    def testPartsThatHang(self):
        ended = start(self.emulated, "memory,looks,switches,full", faults="hang:bench diagnosis", limits={"all": 2})
        said, results = self.call(5, "memory,resnet,mlp,looks,switches,full,sanitizer", faults='garbage:--full;peer:resnet50;killed:"kind":"mlp";hang:bench diagnosis', limits={"looks": 0.4})
        self.assertEqual(missing(results), ["resnet", "mlp", "looks", "full"], said)
        self.assertIn("No module named 'no_torch'", said)
        self.assertIn("looks: skipped: did not end in 0.4 s", said)
        said, results = self.call(5, started=ended)  # all time went to the one that hung
        self.assertEqual(missing(results), ["looks", "switches", "full"], said)
        self.assertIn("full: there was no time left", said)

    def testAKilledCallKeepsWhatItHas(self):
        call, out = start(self.emulated, "conformance,memory,switches,looks", faults="hang:bench switch")
        self.assertTrue(soon((out / "calls.asleep").exists))
        self.assertEqual([*json.loads((out / "device-results.json").read_text())][3:], ["libraries", "conformance", "memory"])
        call.terminate()
        call.communicate(timeout=10)
        self.assertIn(call.returncode, (-15, 143))
        self.assertTrue(soon(lambda: not sleeps(out)), "the program goes on")
        self.assertTrue(soon(lambda: not os.listdir(out / "tmp")), "temporary files stay")

    def testSickDriver(self):
        said, results = self.call(4, faults="killed:mantissa devices;fail:--query-gpu", driver="unknown: it broke")
        self.assertIn("no card: mantissa devices: ended with code -9; all figures are owed", said)
        self.assertFalse(results["device"]["available"])

    def testPackedPrograms(self):
        real = tree("real", ["nvidia-smi", "find", "xz"])
        packed = start(real, "--pack", BUILD)[0].communicate()[0]
        self.assertIn(" into build/device.tar.xz", packed)
        said, results = self.call(4, started=start(real))
        self.assertIn("\nno card: ", said)
        self.assertEqual([*results, results["device"]["available"]], ["date", "driver", "device", "libraries", False])

        root, own = self.out / "unpacked", re.compile(r"(ld-linux.*|lib(c|m|gcc_s|stdc\+\+|pthread|dl|rt))\.so\.\d+")
        listed = subprocess.check_output(["ldd", root / "bin/mantissa"], env={**os.environ, "LD_LIBRARY_PATH": f"{root}/lib/other"}, text=True)
        self.assertNotIn("not found", listed)
        for path in re.findall(r"/\S+", listed):  # those that do not come with it are of every machine
            if not path.startswith(str(root)):
                self.assertRegex(path.rsplit("/", 1)[-1], own)
                (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, root / path[1:])
        if os.geteuid() == 0:  # where there is nothing else
            done = subprocess.run(["chroot", root, "/bin/mantissa", "devices", "--json"], capture_output=True, text=True, check=False,
                                  env={"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": "/lib/other"})
            self.assertTrue(done.returncode == 125 or json.loads(done.stdout)["devices"][0]["available"], done.stderr)  # 125: not even for root

        sys.path.insert(0, str(real / "tests/device"))
        import measure  # what the stubs answer has the real programs' form
        measure.MANTISSA = str(root / "bin/mantissa")
        self.assertGreater(measure.conformance("cpu", ["--only", "fp16 add"])["checks"], 0)
        self.assertGreater(measure.step_ms("cpu", {**measure.MLP, "runs": [measure.run_of("fp32")]}, 5)["fp32"], 0)


if __name__ == "__main__":
    if not shutil.which("xz"):
        print("left out: xz is not installed")
        sys.exit(77)
    BUILD = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as folder:
        ROOT = pathlib.Path(folder)
        unittest.main()
