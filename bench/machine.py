"""The machine that a measurement was taken on, in words that mean something on another machine."""
import os
import platform
from pathlib import Path

SIMD = ("sse4_2", "avx", "avx2", "fma", "avx512f", "avx512dq", "avx512bw", "avx512vl", "asimd", "sve", "sve2")


def describe():
    """CPU, memory and operating system. Facts that the system does not report are left empty."""
    cpus = processors()
    return {
        "cpu": next((c["model name"] for c in cpus if "model name" in c), platform.machine()),
        "cores": len({(c.get("physical id"), c.get("core id", n)) for n, c in enumerate(cpus)}) or None,
        "logical_cpus": usable_cpus(),
        "simd": simd(cpus),
        "memory_gib": round(memory_bytes() / 2**30, 1),
        "os": (
            f"{distribution()}, {platform.system()} {platform.release().split('-')[0]} "
            f"{platform.machine()}"
        ),
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[0], 2),
    }


def short(m):
    """The line about the machine on most pages."""
    return f"Machine: {name(m)}; load before the run {m['load_before']}."


def name(m):
    """The machine without what changes from run to run."""
    return f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB; {m['os']}"


def processors():
    """One dictionary per processor of /proc/cpuinfo; an empty list on systems without that file."""
    try:
        blocks = Path("/proc/cpuinfo").read_text().strip().split("\n\n")
    except OSError:
        return []
    return [
        dict(map(str.strip, line.split(":", 1)) for line in block.splitlines() if ":" in line)
        for block in blocks
    ]


def simd(cpus):
    flags = set()
    for cpu in cpus[:1]:
        flags.update(cpu.get("flags", cpu.get("Features", "")).split())
    return [flag for flag in SIMD if flag in flags]


def usable_cpus():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def memory_bytes():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def distribution():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (AttributeError, OSError):  # before Python 3.10, or not Linux
        return platform.platform(terse=True)
