"""The machine that a benchmark runs on: its processor, and the versions of packages."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path

FLAGS = ("sse2", "sse4_2", "avx", "avx2", "bmi2", "avx512f", "neon", "asimd")
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2"}


def cpu_fields() -> dict[str, str]:
    """Return what Linux says of the last core; empty elsewhere."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        return {}
    fields = (line.split(":", 1) for line in cpuinfo.read_text().splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in fields}


def cpu_flags() -> list[str]:
    """Return the instruction sets of the processor that matter here."""
    fields = cpu_fields()
    present = fields.get("flags", fields.get("Features", "")).split()
    return [flag for flag in FLAGS if flag in present]


def processor() -> str:
    """Return the processor's model and its vector units, as models of one name can differ in them."""
    model = cpu_fields().get("model name") or platform.processor() or platform.machine()
    model = re.sub(r"\((R|TM)\)| (Processor|CPU)\b.*", "", model)
    flags = cpu_flags()
    vectors = next((name for flag, name in VECTORS.items() if flag in flags), None)
    return f"{model}, {vectors}" if vectors else model


def machine(packages: Sequence[str]) -> str:
    """Return what a reader needs to know about the machine, and nothing that names it."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    load = f", load average {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"{os.cpu_count()} cores, {processor()} ({', '.join(cpu_flags())}), {platform.system()}{load}; "
        f"Python {platform.python_version()}, {versions}."
    )
