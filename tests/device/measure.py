# SPDX-License-Identifier: Apache-2.0
"""What run.sh does with a card: conformance and training beside the CPU, compute-sanitizer, products against cuBLASLt's best algorithm, fp8
over bf16, and paired times against PyTorch.

measure.py MANTISSA --plan tells from the plans alone, without a card, that the experiments are accepted, and what their activations take.
measure.py MANTISSA RESULTS.json [PART,PART,...]. A line for each figure as it comes; exit code 0 when everything was measured and reached,
3 when a number is wrong, 4 without a card, 5 when a figure was missed or not taken. A part that fails, or does not end in its time (LIMITS),
says so and the next one begins; RESULTS.json is whole after each.
"""
import contextlib
import csv
import datetime
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Of our programs; others have libraries of their own.
OWN_ENVIRONMENT = {**os.environ, **({"LD_LIBRARY_PATH": os.environ["MANTISSA_LIBRARIES"]} if "MANTISSA_LIBRARIES" in os.environ else {})}
ROUNDS = 3  # ours, theirs, ours, theirs, ...
RACE_S = 90  # of one rival's rounds; the first of them may compile for longer
# Seconds for all of it, and for each part of it at most. MANTISSA_DEVICE_LIMITS='{"all": 200, "gpt": 90}' changes some of them.
LIMITS = {"all": 470, "conformance": 240, "memory": 60, "products": 300, "gpt": 240, "resnet": 240, "mlp": 150, "formats": 150, "looks": 180,
          "switches": 180, "full": 300, "sanitizer": 180, **json.loads(os.environ.get("MANTISSA_DEVICE_LIMITS", "{}"))}
ENDS = {"all": time.monotonic() + LIMITS["all"]}  # and "part", while one runs


def left(most=math.inf):
    return min(most, *(end - time.monotonic() for end in ENDS.values()))


def sigterm(how):
    signal.pthread_sigmask(how, {signal.SIGTERM})


def finished(command, most=math.inf, codes=(0,), env=None):
    """A program that has ended with one of these codes (None: any). Its children, as compute-sanitizer's and PyTorch's, end with it."""
    seconds = left(most)
    if seconds <= 0:
        raise RuntimeError("there was no time left")
    sigterm(signal.SIG_BLOCK)  # until there is what it has to end
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", env=env, start_new_session=True,
                          preexec_fn=lambda: sigterm(signal.SIG_UNBLOCK)) as program:
        try:
            sigterm(signal.SIG_UNBLOCK)
            out, said = program.communicate(timeout=seconds)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                last = (error.stderr or b"").decode(errors="replace").strip()[-600:]
                raise RuntimeError(f"{last}\ndid not end in {seconds:.1f} s".strip()) from None
            raise
    if codes is not None and program.returncode not in codes:
        raise RuntimeError((said.strip() or out.strip())[-600:] or f"ended with code {program.returncode}")
    return subprocess.CompletedProcess(command, program.returncode, out, said)


def ours(arguments, codes=(0,)):
    return finished([MANTISSA, *arguments], codes=codes, env=OWN_ENVIRONMENT)


def peer(*arguments):
    return json.loads(finished([sys.executable, os.path.join(HERE, "peer_torch.py"), *arguments]).stdout)


def card():
    try:
        for device in json.loads(finished([MANTISSA, "devices", "--json"], 60, env=OWN_ENVIRONMENT).stdout)["devices"]:
            if device["name"].startswith("cuda"):
                return {"available": False, "reason": "", **device}
    except Exception as error:  # pylint: disable=broad-except
        return {"available": False, "reason": f"mantissa devices: {error}"}
    return {"available": False, "reason": "this build knows no cards"}


def driver():
    query = ["nvidia-smi", "--query-gpu=driver_version,clocks.max.sm,clocks.sm", "--format=csv,noheader"]
    try:
        return finished(query, 30).stdout.strip() if shutil.which("nvidia-smi") else "unknown"
    except RuntimeError as error:
        return f"unknown: {error}"


def conformance(device, extent):
    suite = json.loads(ours(["selftest", *extent, "--device", device, "--json"], codes=(0, 3)).stdout)
    failing = [f"{c['operation']} {c['format']}: {c.get('pattern', '')}" for c in suite["checks"] if not c["holds"]]
    failing += [f"training {t['run']}: {t['difference_over_limit']} of the limit" for t in suite["training"] if not t["holds"]]
    blocks = {c["format"]: c["implementations"] for c in suite["checks"] if "implementations" in c}
    return {"holds": suite["holds"], "seconds": suite["seconds"], "checks": len(suite["checks"]), "runs": suite["training"],
            "blocks": blocks, "failing": failing}


def sanitizer(device):
    """Memory errors of a few steps of an MLP, then races within blocks, of a transformer's too. The libraries' kernels are NVIDIA's to
    judge, and so are the calls by which they find out what a driver has."""
    if shutil.which("compute-sanitizer") is None:
        return {"holds": None, "reason": "compute-sanitizer is not here"}
    known = finished(["compute-sanitizer", "--help"], 30, codes=None).stdout
    own = ["--kernel-name", "kns=mantissa"] if "--kernel-name" in known else []
    memcheck, racecheck = ["memcheck", "--report-api-errors", "no"], ["racecheck", "--racecheck-detect-level", "error"]
    for tool, experiment, settings in ((memcheck, "four-formats", []), (racecheck, "four-formats", []),
                                       (racecheck, "a-small-gpt", ["--set", "/sample_tokens=0"])):
        command = ["compute-sanitizer", "--tool", *tool, *own, "--error-exitcode", "9", MANTISSA, "train", experiment, "--device", device,
                   *settings, "--steps", "3", "--quiet"]
        try:
            done = finished(command, 60, codes=(0, 9), env=OWN_ENVIRONMENT)
        except RuntimeError as error:  # it did not get that far
            return {"holds": None, "reason": f"{tool[0]} of {experiment}: {error}"}
        if done.returncode == 9:  # errors were found
            return {"holds": False, "reason": f"{tool[0]} of {experiment}: {done.stdout[-600:]}"}
    return {"holds": True, "reason": ""}


def step_ms(device, experiment, steps):
    """The median step of each run of an experiment, in milliseconds by the clock, as the rival's are (step_ms is the card's own time), the
    first half left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "experiment.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(experiment, file)
        ours(["train", path, "--device", device, "--steps", str(steps), "--csv", folder, "--quiet"])
        medians = {}
        for run in experiment["runs"]:
            with open(os.path.join(folder, run["name"] + ".csv"), encoding="utf-8", newline="") as file:
                ends = [1000 * float(row["wall_s"]) for row in csv.DictReader(file)]
            times = [after - before for before, after in zip(ends, ends[1:])]
            medians[run["name"]] = statistics.median(times[len(times) // 2:])
        return medians


def run_of(precision):
    return {"name": precision, "precision": precision}


GPT = {"data": {"name": "synthetic-tokens", "batch_size": 16, "context": 1024, "vocabulary": 50304, "length": 2000000},
       "model": {"kind": "gpt", "n_layer": 12, "n_head": 12, "n_embd": 768, "attention": "fused"}, "validation_interval": 1000000}
RESNET = {"data": {"name": "synthetic-images", "batch_size": 256, "samples": 512, "classes": 1000, "height": 224, "width": 224, "channels": 3},
          "model": {"kind": "resnet50"}, "validation_interval": 1000000}
MLP = {"data": {"name": "synthetic-images", "batch_size": 128, "samples": 4096, "height": 28, "width": 28, "channels": 1},
       "model": {"kind": "mlp", "hidden": [512, 512]}, "validation_interval": 1000000}

# part, name, experiment, the run that is compared, steps of ours, peer_torch.py's arguments, the ratio to reach
RACES = [
    ("gpt", "GPT-2 124M, T 1024, bf16", {**GPT, "runs": [run_of("bf16")]}, "bf16", 30, ["gpt", "bf16"], 1.0),
    ("resnet", "ResNet-50, batch 256, fp16", {**RESNET, "runs": [run_of("fp16")]}, "fp16", 30, ["resnet50", "fp16"], 1.0),
    ("mlp", "MLP 784-512-512-10, batch 128, fp32", {**MLP, "runs": [run_of("fp32")]}, "fp32", 2000, ["mlp", "fp32"], 10.0),
]
# of our own formats: numerator, denominator, and the ratio to reach
OWN = [("GPT-2 124M: bf16 over fp32", "fp32", "bf16", 3.6), ("GPT-2 124M: fp16 with scaler against bf16", "bf16", "fp16", 0.98)]


def race(device, name, experiment, run, steps, rival, goal):
    """As many rounds as there is time for: three at most, and no further one that might take longer than what is left."""
    pairs, stopped = [], {}
    try:
        for _ in range(ROUNDS):
            begun = time.monotonic()
            mine = step_ms(device, experiment, steps)[run]
            theirs = peer(*rival)
            pairs, who = [*pairs, (mine, theirs["step_ms"])], theirs["rival"]
            took = time.monotonic() - begun
            if took > RACE_S / ROUNDS or took > left():
                break
    except Exception as error:  # pylint: disable=broad-except
        stopped = {"stopped": str(error)}
        if not pairs:
            return {"name": name, "skipped": str(error)}
    ratio = statistics.median(theirs / mine for mine, theirs in pairs)
    return {**figure(name, pairs, ratio, goal), "rival": who, **stopped}


def plan_of(experiment):
    """What `mantissa plan` says of an experiment. Needs no card."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "experiment.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(experiment, file)
        return json.loads(ours(["plan", path, "--memory", "--json"]).stdout)


def activations():
    """Activation memory of 16 bits over fp32's, by the plans' ledgers."""
    found = []
    for name, experiment, precision in (("ResNet-50, batch 256", RESNET, "fp16"), ("GPT-2 124M, batch 16", GPT, "bf16")):
        runs = plan_of({**experiment, "runs": [run_of("fp32"), run_of(precision)]})["runs"]
        wide, narrow = (run["memory"]["activations"] for run in runs)
        found.append({"name": f"{name}: activation memory of {precision} over fp32's", "ratio": narrow / wide, "goal": 0.53,
                      "holds": narrow / wide <= 0.53})
    return found


def own_formats(device):
    # one after the other: steps of runs that train together take turns
    medians = {p: step_ms(device, {**GPT, "runs": [run_of(p)]}, 20)[p] for p in ("fp32", "bf16", "fp16")}
    return [figure(name, [(medians[over], medians[under])], medians[over] / medians[under], goal) for name, over, under, goal in OWN]


LOOK_GOALS = {"full": 1.05, "blocks": 1.01}  # of a step's time on a card; on the CPU it may be more


def bench(device, name):
    """`mantissa bench` of looks at all tensors (diagnosis), or of changes of precision (switch)."""
    results = []
    for r in json.loads(ours(["bench", name, "--device", device, "--json"]).stdout)["results"]:
        goal = next((LOOK_GOALS[word] for word in r["name"].split("-") if word in LOOK_GOALS), r["limit"])
        results.append({"name": r["what"], "pairs_ms": [(r["ours_median"] / 1000, r["rival_median"] / 1000)], "ratio": r["ratio"],
                        "goal": goal, "holds": r["ratio"] <= goal})
    return results


def figure(name, pairs, ratio, goal):
    return {"name": name, "pairs_ms": pairs, "ratio": ratio, "goal": goal, "holds": ratio >= goal}


def products():
    """Each product, fp8 over bf16, and attention against PyTorch's: figures as those of `race`."""
    own = json.loads(finished([os.path.join(os.path.dirname(MANTISSA), "mantissa_products")], env=OWN_ENVIRONMENT).stdout)
    found = [figure(f"{p['name']}: of the best of {p['candidates']} algorithms", [(p["ours_ms"], p["best_ms"])], p["ratio"], 0.97)
             for p in own["products"]]
    found.append(figure("fp8 linear layers of width 4096 over bf16", [], own["fp8_over_bf16"], 1.5))
    try:
        theirs = peer("attention", "bf16")
    except (RuntimeError, ValueError) as error:
        return found + [{"name": "attention", "skipped": str(error)}]
    return found + [{**figure(title, [(own[key], theirs[key])], theirs[key] / own[key], 1.0), "rival": theirs["rival"]}
                    for title, key in (("attention, bf16, T 1024", "attention_ms"),
                                       ("attention and its gradient, bf16, T 1024", "attention_and_gradient_ms"))]


PARTS = {
    "conformance": lambda device: conformance(device, []),
    "memory": lambda device: activations(),
    "products": lambda device: products(),
    **{each[0]: (lambda device, race_of=each[1:]: [race(device, *race_of)]) for each in RACES},
    "formats": own_formats,
    "looks": lambda device: bench(device, "diagnosis"),
    "switches": lambda device: bench(device, "switch"),
    "full": lambda device: conformance(device, ["--full"]),
    "sanitizer": sanitizer,
}
JUDGED = ("conformance", "full", "sanitizer")  # whose result is a verdict; the others' are figures


def line_of(figure_of):
    if "skipped" in figure_of:
        return f"{figure_of['name']}: skipped: {figure_of['skipped'].splitlines()[-1]}"
    missed = "" if figure_of["holds"] else ", missed"
    return f"{figure_of['name']}: {figure_of['ratio']:.3f} (goal {figure_of['goal']:.2f}){missed} {figure_of.get('pairs_ms', '')}"


def taken(part, device):
    """What a part has found, and what it says of it. Whatever goes wrong in one costs the others nothing."""
    ENDS["part"] = time.monotonic() + LIMITS[part]
    try:
        found = PARTS[part](device)
    except Exception as error:  # pylint: disable=broad-except
        reason = str(error) or repr(error)
        found = {"holds": None, "reason": reason} if part in JUDGED else [{"name": part, "skipped": reason}]
    if part in JUDGED:
        return found, [f"{part}: {'holds' if found['holds'] else found.get('reason') or found.get('failing')}"]
    return found, [line_of(each) for each in found]


def keep(results):
    """Whole at any moment: whoever waits for this may end it."""
    with open(RESULTS + ".new", "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    os.replace(RESULTS + ".new", RESULTS)


def main(parts):
    device = card()
    results = {"date": datetime.date.today().isoformat(), "driver": driver(), "device": device,
               "libraries": os.environ.get("MANTISSA_LIBRARIES", "")}
    keep(results)
    if not device["available"]:
        print(f"no card: {device['reason']}; all figures are owed")
        return 4
    for part in parts:
        begun = time.monotonic()
        results[part], lines = taken(part, device["name"])
        keep(results)
        print(*lines, f"-- {part}: {time.monotonic() - begun:.0f} s", sep="\n", flush=True)
    verdicts = [results[part]["holds"] for part in parts if part in JUDGED]
    if False in verdicts:
        return 3
    measured = [each.get("holds") for part in parts if part not in JUDGED for each in results[part]]
    return 0 if all(verdicts) and all(measured) else 5


if __name__ == "__main__":
    MANTISSA, RESULTS = sys.argv[1:3]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the program of the moment ends too
    if RESULTS == "--plan":
        plan_of({**MLP, "runs": [run_of("fp32")]})
        for each in activations():
            print(f"{each['name']}: {each['ratio']:.3f}")
        sys.exit(0)
    wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else list(PARTS)
    unknown = [part for part in wanted if part not in PARTS]
    if unknown:
        sys.exit(f"measure.py: there is no part '{unknown[0]}'; there are {', '.join(PARTS)}")
    sys.exit(main(wanted))
