# SPDX-License-Identifier: Apache-2.0
"""Viewers that are absent, slow, hung or killed, hostile commands, files that break off: the training goes on with the same losses."""
import contextlib
import io
import os
import random
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest.mock

from support import *
from mantissa_probe import cbor, frames, sender, transports

VIEWER = """
import socket, sys, time
place, delay = sys.argv[1], float(sys.argv[2])
server = socket.socket(socket.AF_UNIX); server.bind(place); server.listen(1); print("ready", flush=True)
while True:
    connection, _ = server.accept()
    while connection.recv(int(sys.argv[3])): time.sleep(delay)
"""


def losses_of(probe_of, steps=25, pause=0.0, between=lambda step: None):
    torch.manual_seed(0)
    model = Gpt()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    probe = probe_of(model, optimizer)
    if probe:
        probe.kept = model  # the watch ends with it
    losses = []
    for step in range(steps):
        loss = model(*tokens())[1]
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
        between(step)
        time.sleep(pause)
        if probe:
            probe.step(loss)
    return losses, probe


def wait_for(condition):
    """Waits until it holds; the deadline is for a machine that others keep busy. Returns whether it holds."""
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    return condition()


class Transports(ProbeTest):
    def setUp(self):
        super().setUp()
        self.plain, _ = losses_of(lambda m, o: None)
        self.viewers = []

    def tearDown(self):
        for viewer in self.viewers:
            viewer.kill()
            viewer.wait()
            viewer.stdout.close()
        super().tearDown()

    def viewer(self, delay=0.0, size=65536):
        place = str(self.folder / f"socket{len(self.viewers)}")
        viewer = subprocess.Popen([sys.executable, "-c", VIEWER, place, str(delay), str(size)], stdout=subprocess.PIPE)
        self.viewers.append(viewer)
        viewer.stdout.readline()
        return place, viewer

    def test_absent(self):
        losses, probe = losses_of(lambda m, o: self.watch(m, o, to=f"unix:{self.folder}/nobody", every=1, sketches=True))
        self.assertEqual(losses, self.plain)
        began = time.monotonic()
        probe.close()
        self.assertLess(time.monotonic() - began, 3)
        self.assertEqual(probe.problems, [])

    def test_absence_is_said_once(self):
        model, said = nn.Linear(2, 2), io.StringIO()
        with contextlib.redirect_stderr(said):
            probe = mantissa_probe.watch(model, None, to=f"unix:{self.folder}/nobody")
            latest = time.monotonic() + 10
            while "cannot be reached" not in said.getvalue() and time.monotonic() < latest:
                time.sleep(0.05)
            time.sleep(1.5)  # time for another try
            probe.close()
        place = f"unix:{self.folder}/nobody"
        lines = sorted(said.getvalue().splitlines())
        self.assertEqual(lines[0], f"mantissa_probe: sends to {place}")
        self.assertRegex(lines[1], f"^mantissa_probe: {place} cannot be reached yet [(].+[)]; it is tried again each second$")
        self.assertEqual(len(lines), 2)

    def test_a_file_that_cannot_be_written_is_no_absence(self):
        model, said = nn.Linear(2, 2), io.StringIO()
        with contextlib.redirect_stderr(said), unittest.mock.patch.object(transports.FileTransport, "write", side_effect=OSError("disk full")):
            probe = mantissa_probe.watch(model, None, to=self.path())
            time.sleep(1.0)
            probe.close()
        self.assertEqual(said.getvalue(), f"mantissa_probe: sends to {self.path()}\n")

    def test_a_closed_standard_error_does_not_end_the_sender(self):
        model, said = nn.Linear(2, 2), io.StringIO()
        with contextlib.redirect_stderr(said):
            probe = mantissa_probe.watch(model, None, to=f"unix:{self.folder}/nobody")
            said.close()
            time.sleep(1.5)
            self.assertTrue(probe._sender._thread.is_alive())
            probe.close()

    def test_without_a_lab_the_file_and_the_place_are_said(self):
        said, model = io.StringIO(), nn.Linear(2, 2)
        with contextlib.redirect_stderr(said), unittest.mock.patch.dict(os.environ, {"MANTISSA_ATTACH": f"unix:{self.folder}/nobody"}):
            before = os.getcwd()
            os.chdir(self.folder)
            try:
                mantissa_probe.watch(model, None).close()
            finally:
                os.chdir(before)
        self.assertRegex(said.getvalue(), r"^mantissa_probe: no lab listens at unix:.*/nobody: writes mantissa-.*\.mprobe, which mantissa-lab opens\n$")

    def test_the_ring_is_bounded_and_counts(self):
        old, sender.RING_MESSAGES = sender.RING_MESSAGES, 10
        try:
            losses, probe = losses_of(lambda m, o: self.watch(m, o, to=f"unix:{self.folder}/nobody", every=1))
        finally:
            sender.RING_MESSAGES = old
        self.assertEqual(losses, self.plain)
        self.assertEqual(probe.dropped, 2 * 25 - 10)

    def test_slow(self):
        place, _ = self.viewer(delay=0.05, size=100)
        losses, probe = losses_of(lambda m, o: self.watch(m, o, to="unix:" + place, every=1))
        self.assertEqual(losses, self.plain)
        probe.close()

    def test_hung(self):
        old, sender.RING_BYTES = sender.RING_BYTES, 200000
        place, viewer = self.viewer()
        try:
            def between(step):
                if step == 3:
                    os.kill(viewer.pid, signal.SIGSTOP)

            losses, probe = losses_of(lambda m, o: self.watch(m, o, to="unix:" + place, every=1), between=between)
        finally:
            sender.RING_BYTES = old
            os.kill(viewer.pid, signal.SIGCONT)
        self.assertEqual(losses, self.plain)
        self.assertGreater(probe.dropped, 0)

    def test_killed_and_back_at_random_moments(self):
        chance = random.Random(1)
        for _ in range(20):
            place, viewer = self.viewer()
            moment = chance.uniform(0, 0.15)
            killer = threading.Timer(moment, viewer.kill)
            killer.start()
            losses, probe = losses_of(lambda m, o: self.watch(m, o, to="unix:" + place, every=1), steps=25)
            killer.join()
            self.assertEqual(losses, self.plain)
            self.assertEqual(probe.problems, [])
            probe.close()

    def serve(self, talk):
        server = socket.socket()
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        def run():
            with contextlib.suppress(OSError):  # the test closes the server
                talk(server)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return server.getsockname()[1], thread, server

    def test_a_viewer_that_comes_later_gets_hello_and_the_tensors(self):
        received, accepted = [], []

        def talk(server):
            for _ in range(2):
                connection, _ = server.accept()
                accepted.append(connection)
                connection.settimeout(60)
                data = b""
                try:
                    while not reading.run_of(data).steps:  # the message that was lost with the connection may have been a step
                        some = connection.recv(65536)
                        if not some:
                            break
                        data += some
                except OSError:
                    pass
                connection.close()
                received.append(data)

        port, thread, server = self.serve(talk)
        losses, probe = losses_of(
            lambda m, o: self.watch(m, o, to=f"tcp:127.0.0.1:{port}", every=1, token="secret"),
            between=lambda step: self.assertTrue(wait_for(lambda: len(accepted) >= {3: 1, 15: 2}.get(step, 0))),
        )
        probe.close()
        thread.join(60)
        server.close()
        self.assertEqual(losses, self.plain)
        self.assertEqual(len(received), 2)
        for data in received:
            run = reading.run_of(data)
            self.assertEqual((run.hello["token"], run.hello["world"], run.hello["torch"]), ("secret", 1, str(torch.__version__)))
            self.assertGreater(len(run.tensors), 50)
            self.assertGreater(len(run.steps), 0)

    def test_commands(self):
        def talk(server):
            connection, _ = server.accept()
            for kind, body in (("look_now", {}), ("capture_step", {}), ("delete_everything", {"path": "/"}), ("look_now", {"x": [1, 2]})):
                connection.sendall(frames.frame(kind, body))
            while connection.recv(65536):
                pass

        port, thread, server = self.serve(talk)
        seen = []
        losses, probe = losses_of(
            lambda m, o: seen.append(self.watch(m, o, to=f"tcp:127.0.0.1:{port}", every=0)) or seen[0],
            between=lambda step: self.assertTrue(step != 2 or wait_for(lambda: seen[0]._schedule._wanted or len(seen[0]._tensors.descriptions) > 100)),
        )
        self.assertEqual(losses, self.plain)
        self.assertGreater(probe.period + len(probe._tensors.descriptions), 100)  # gradients and weights are described in steps with statistics alone
        probe.close()
        server.close()

    def test_hostile_commands(self):
        chance = random.Random(2)
        attacks = [b"\xff" * 64, struct.pack("<I", 1 << 31), struct.pack("<I", 3) + b"\xa1\x61", frames.frame("look_now", {})[:-1]]
        attacks += [struct.pack("<I", 40) + bytes(chance.randrange(256) for _ in range(40)) for _ in range(20)]
        attacks += [struct.pack("<I", 60000) + b"\x81" * 60000, struct.pack("<I", 9) + b"\x9b" + b"\xff" * 8]

        made = []

        def talk(server):
            for attack in attacks:
                connection, _ = server.accept()
                with contextlib.suppress(ConnectionError):  # the probe has hung up
                    connection.sendall(attack)
                    time.sleep(0.01)
                connection.close()
                made.append(attack)

        old, sender._RETRY_SECONDS = sender._RETRY_SECONDS, 0.01
        port, thread, server = self.serve(talk)
        try:
            losses, probe = losses_of(
                lambda m, o: self.watch(m, o, to=f"tcp:127.0.0.1:{port}"),
                between=lambda step: self.assertTrue(wait_for(lambda: len(made) >= min(step, len(attacks)))),
            )
        finally:
            sender._RETRY_SECONDS = old
        self.assertEqual(losses, self.plain)
        self.assertTrue(probe._sender._thread.is_alive())
        server.close()

    def test_places(self):
        model = nn.Linear(2, 2)
        for place in ("here", "tcp:127.0.0.1", "tcp:127.0.0.1:x", "unix:", "tcp:8.8.8.8:80", "tcp:example.org:80"):
            with self.assertRaisesRegex(ValueError, "."):
                self.watch(model, None, to=place)
        self.assertEqual(len(model._forward_hooks), 0)

    def test_the_environment_may_name_a_tcp_port(self):
        with socket.create_server(("127.0.0.1", 0)) as server, unittest.mock.patch.dict(os.environ):
            os.environ["MANTISSA_ATTACH"] = f"tcp:127.0.0.1:{server.getsockname()[1]}"
            transport = transports.transport_to(None)
            self.assertEqual((transport.name, transport.is_live), (os.environ["MANTISSA_ATTACH"], True))
            transport.close()

    def test_the_environment_may_name_a_file(self):
        with unittest.mock.patch.dict(os.environ, {"MANTISSA_ATTACH": f"{self.folder}/job.mprobe"}):
            for rank, name in enumerate(("job.mprobe", "job.rank1.mprobe")):
                transport = transports.transport_to(None, rank=rank)
                self.assertEqual((transport.name, transport.is_live), (f"{self.folder}/{name}", False))
                transport.close()

    def test_a_file_that_exists_is_kept(self):
        pathlib.Path(self.path()).write_text("mine")
        _, probe = losses_of(lambda m, o: self.watch(m, o), steps=1)
        probe.close()
        self.assertEqual(pathlib.Path(self.path()).read_text(), "mine")
        self.assertEqual(len(self.read("run-2.mprobe").steps), 1)

    def test_a_disk_that_is_full(self):
        losses, probe = losses_of(lambda m, o: self.watch(m, o, every=1), between=lambda step: None, steps=1)
        probe.close()

        def full(*arguments):
            raise OSError(28, "No space left on device")

        def broken(m, o):
            probe = self.watch(m, o, to=self.path("full.mprobe"), every=1)
            probe._sender._transport.write = full
            return probe

        losses, probe = losses_of(broken)
        self.assertEqual(losses, self.plain)
        self.assertIn("No space", probe._sender.problem)

    def test_a_file_cut_at_every_byte(self):
        model = nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        probe = self.watch(model, optimizer, every=2)
        for _ in range(3):
            loss = model(torch.randn(4, 3)).square().sum()
            loss.backward()
            optimizer.step()
            probe.step(loss)
        probe.close()
        data = pathlib.Path(self.path()).read_bytes()
        whole = self.read()
        ends = [0] + [end for end, _ in reading.frames_of(data)]
        self.assertIsNotNone(whole.end)
        steps = -1
        for cut in range(len(data)):
            run = reading.run_of(data[:cut])
            self.assertEqual(run.bytes_read, max(end for end in ends if end <= cut))
            self.assertEqual(run.problem == "", cut in ends)
            self.assertGreaterEqual(len(run.steps), steps)
            steps = len(run.steps)
        for _ in range(300):  # and with bytes changed
            place = random.randrange(len(data))
            reading.summary(run) if (run := reading.run_of(data[:place] + bytes([random.randrange(256)]) + data[place + 1 :])).hello else None

    def test_followed_while_it_grows(self):
        lengths = []

        def length():
            return len(reading.run_of(pathlib.Path(self.path()).read_bytes()).steps)

        def between(step):
            wait_for(lambda: length() >= step)  # each step that has ended
            lengths.append(length())

        _, probe = losses_of(lambda m, o: self.watch(m, o), between=between)
        probe.close()
        self.assertEqual(lengths, list(range(25)))

    def test_the_end_of_a_file_is_written_though_the_machine_is_busy(self):
        """What a file still lacks when the probe is closed is written, as long as that goes on."""
        delay = 0.0

        def slow(m, o):
            probe = self.watch(m, o, every=0)
            write = probe._sender._transport.write
            probe._sender._transport.write = lambda *arguments: (time.sleep(delay), write(*arguments))
            return probe

        delay = 0.15
        _, probe = losses_of(slow)
        probe.close()
        run = self.read()
        self.assertEqual(len(run.steps), 25)
        self.assertEqual(run.end["steps"], 25)

    def test_shown_in_a_terminal(self):
        _, probe = losses_of(lambda m, o: self.watch(m, o, every=2), steps=5)
        probe.close()
        base = [sys.executable, "-m", "mantissa_probe"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "engine/attach/probe"), os.environ.get("PYTHONPATH", "")])}
        shown = subprocess.run([*base, "show", self.path()], capture_output=True, text=True, env=environment)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("5 steps, 0 skipped", shown.stdout)
        missing = subprocess.run([*base, "show", self.path("none.mprobe")], capture_output=True, text=True, env=environment)
        self.assertEqual((missing.returncode, missing.stderr.count("\n")), (2, 1))
        pathlib.Path(self.path("text.mprobe")).write_text("not frames at all")
        wrong = subprocess.run([*base, "show", self.path("text.mprobe")], capture_output=True, text=True, env=environment)
        self.assertEqual((wrong.returncode, wrong.stderr.count("\n")), (2, 1))
        self.assertIn("--selftest", subprocess.run([*base, "--help"], capture_output=True, text=True, env=environment).stdout)


if __name__ == "__main__":
    main()
