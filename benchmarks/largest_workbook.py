"""Time, memory and size of the largest workbook: built, recalculated in IronCalc, converted by LibreOffice.

    python benchmarks/largest_workbook.py [--enforce]

The configuration is DeepSeek-V3 on 32 pipeline stages: 61 layers with experts and latent attention, 13 scenarios side
by side. `--enforce` exits 1 where a limit is missed. Times are those of the processor, each step in a process of its
own: what else the machine does meanwhile does not count. LibreOffice is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workbook.recalculation.in_libreoffice import find

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = {
    "pipeline_model_parallel_size": 32,
    "virtual_pipeline_model_parallel_size": 1,
    "world_size": 4096,
}
"""On the shipped preset, whose layout has 32 parts."""

LIMITS = {
    "build_s": 5.0,
    "build_mb": 300.0,
    "file_mb": 3.0,
    "ironcalc_s": 10.0,
    "libreoffice_s": 10.0,
}

IRONCALC = """
import sys
from pathlib import Path
from workbook.recalculation.in_ironcalc import IronCalc
print(IronCalc(Path(sys.argv[1])).value("Plan", 1, 1))
"""


def measure(command: list[str]) -> tuple[float, float]:
    """Runs a command to its end.

    Returns:
        Its processor seconds and its largest resident memory in MB.

    Raises:
        RuntimeError: it failed.
    """
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {said}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def building(path: Path) -> list[str]:
    """Returns the command line that builds the workbook."""
    settings = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
    preset = ROOT / "presets" / "deepseek-v3.yaml"
    return [
        sys.executable, "-m", "engine", "workbook", "build", str(ROOT / "rules"), str(preset), *settings,
        "-o", str(path),
    ]  # fmt: skip


def figures(folder: Path) -> dict[str, float]:
    """Builds, recalculates and converts the workbook in a folder.

    Returns:
        Processor seconds, MB of memory and MB of the file, by name.
    """
    path = folder / "plan.xlsx"
    build_s, build_mb = measure(building(path))
    found = {"build_s": build_s, "build_mb": build_mb, "file_mb": path.stat().st_size / 1e6}
    found["ironcalc_s"], _ = measure([sys.executable, "-c", IRONCALC, str(path)])
    if program := find():
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        out = folder / "converted"
        convert = [program, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(out), str(path)]
        found["libreoffice_s"], _ = measure(convert)
        if not (out / path.name).is_file():
            raise RuntimeError("LibreOffice made no file")
    return found


def main() -> int:
    """Prints the figures as JSON; see the module's text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--enforce", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = figures(Path(folder))
    missed = [name for name, value in found.items() if value > LIMITS[name]]
    report = {"figures": {name: round(value, 2) for name, value in found.items()}, "at most": LIMITS, "missed": missed}
    print(json.dumps(report, indent=2))
    return 1 if options.enforce and missed else 0


if __name__ == "__main__":
    sys.exit(main())
