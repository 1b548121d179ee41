"""The runner against scripts that behave badly: they end, nothing survives them, and the reason is named."""

import os
import textwrap
import time
from pathlib import Path

import pytest

from faultbook.repro.runner import Limits, run


@pytest.fixture
def script(tmp_path):
    def write(body: str) -> Path:
        path = tmp_path / "case.py"
        path.write_text(textwrap.dedent(body))
        return path

    return write


def run_plain(path: Path, **limits):
    return run(path, path.parent, fixed=False, limits=Limits(**limits))


def test_exit_code_and_both_streams_are_kept_in_order(script):
    result = run_plain(
        script("""
        import sys
        print("one")
        print("two", file=sys.stderr)
        sys.exit(3)
    """)
    )
    assert (result.exit_code, result.output, result.overrun) == (3, "one\ntwo\n", None)


def test_fixed_is_passed_as_a_flag(script):
    path = script("import sys; print(sys.argv[1:])")
    assert run(path, path.parent, fixed=True, limits=Limits()).output == "['--fixed']\n"


def test_a_signal_is_a_negative_exit_code(script):
    assert run_plain(script("import os; os.kill(os.getpid(), 9)")).exit_code == -9


def alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def test_a_hanging_script_and_its_children_are_killed(script):
    result = run_plain(
        script("""
        import subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(child.pid, flush=True)
        time.sleep(600)
    """),
        seconds=1.5,
    )
    assert result.overrun == "time limit of 1.5 s"
    assert result.seconds < 30
    deadline = time.monotonic() + 10
    while alive(int(result.output)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(int(result.output))


def test_a_child_left_behind_by_a_finished_script_is_killed(script):
    result = run_plain(
        script("""
        import subprocess, sys
        print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid)
    """)
    )
    assert result.exit_code == 0
    deadline = time.monotonic() + 10
    while alive(int(result.output)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(int(result.output))


def test_resident_memory_is_limited(script):
    result = run_plain(
        script("""
        import time
        held = b"x" * (400 << 20)
        time.sleep(600)
    """),
        memory_mib=200,
    )
    assert result.overrun == "memory limit of 200 MiB"


def test_output_is_limited_and_what_was_printed_is_kept(script):
    result = run_plain(
        script("""
        while True:
            print("y" * 1000)
    """)
    )
    assert result.overrun == "output limit of 4 MiB"
    assert len(result.output) == 4 << 20


def test_a_script_that_cannot_run_here_says_why(script):
    assert run_plain(script("print('skip: no CUDA device'); raise SystemExit(77)")).skip_reason == "no CUDA device"
    assert "without a reason" in run_plain(script("raise SystemExit(77)")).skip_reason
    assert run_plain(script("print('skip: not really')")).skip_reason is None


def test_a_script_sees_no_credentials_of_the_caller(script, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    output = run_plain(script("import os; print(dict(os.environ), os.listdir('.'))")).output
    assert "hunter2" not in output


def test_machine_paths_are_shortened(script):
    output = run_plain(script("import os, torch; print(__file__, os.getcwd(), torch.__file__)")).output
    assert output.split() == ["case.py", "/tmp/run", "site-packages/torch/__init__.py"]


def test_standard_input_is_closed(script):
    assert run_plain(script("import sys; print(repr(sys.stdin.read()))")).output == "''\n"


def test_bytes_that_are_no_text_do_not_end_the_run(script):
    output = run_plain(script("import os; os.write(1, b'a\\xff\\xfeb\\n')")).output
    assert output == "a\ufffd\ufffdb\n"


def test_the_pid_of_the_caller_is_not_in_the_scripts_group(script):
    assert run_plain(script("import os; print(os.getpgid(0) == os.getpid())")).output == "True\n"
    assert os.getpgid(0) != 0


@pytest.mark.parametrize(
    "escape",
    ["subprocess.Popen(sleep, start_new_session=True)", "subprocess.Popen(sleep, process_group=0)"],
)
def test_a_process_that_left_the_group_is_killed_too(script, escape):
    result = run_plain(
        script(f"""
        import subprocess, sys
        sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
        print({escape}.pid)
    """)
    )
    assert result.exit_code == 0
    assert not alive(int(result.output))


def test_memory_of_a_process_that_left_the_group_counts(script):
    result = run_plain(
        script("""
        import subprocess, sys, time
        hold = "held = b'x' * (400 << 20); import time; time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", hold], start_new_session=True)
        time.sleep(600)
    """),
        memory_mib=200,
    )
    assert result.overrun == "memory limit of 200 MiB"


def test_a_script_may_remove_its_own_folder(script):
    result = run_plain(script("import os, shutil; shutil.rmtree(os.getcwd()); print('gone')"))
    assert (result.exit_code, result.output) == (0, "gone\n")


def test_a_flood_that_ends_by_itself_is_an_overrun_too(script):
    result = run_plain(script("import os; os.write(1, b'y' * (8 << 20))"))
    assert result.overrun == "output limit of 4 MiB"
