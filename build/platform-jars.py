#!/usr/bin/env python3
"""Copies the jars of a release for one platform: without the native libraries of all others.

  platform-jars.py linux-x86_64|linux-aarch64|macos-x86_64|macos-aarch64 FROM TO

A third of a release was RocksDB and Netty for platforms that the launcher does not run on. Libraries for musl are left out, because not
all of the jars have one, as are Flink's for QUIC, which it does not use. A jar in which nothing remains is left out. Entries
are stored rather than compressed: the archive of the release compresses all jars together to half of the size, and classes load faster.
"""

import os
import re
import shutil
import sys
import zipfile

LIBRARY = re.compile(r"\.(so|dylib|jnilib|dll|a)$")
SYSTEMS = [
    ("other", re.compile(r"android|freebsd|aix|sunos|solaris|musl|quiche|windows|(^|/)win\d*[-/_]|\.dll$|\.a$")),
    ("macos", re.compile(r"macos|osx|darwin|(^|/)mac/|\.(dylib|jnilib)$")),
    ("linux", re.compile(r"")),
]
MACHINES = [
    ("x86_64", re.compile(r"x86_64|amd64|x64|linux64")),
    ("aarch64", re.compile(r"aarch_?64|arm64")),
    ("other", re.compile(r"x86|i386|linux32|ppc|s390|riscv|arm|loongarch|mips|sparc")),
    ("any", re.compile(r"")),
]


def first(kinds, path):
    return next(name for name, pattern in kinds if pattern.search(path))


def is_foreign(path, system, machine):
    """Whether an entry of a jar is a native library that a platform cannot load."""
    path = path.lower()
    if not LIBRARY.search(path):
        return False
    return first(SYSTEMS, path) != system or first(MACHINES, path) not in (machine, "any")


def copy(jar, target, system, machine):
    with zipfile.ZipFile(jar) as read:
        kept = [
            entry
            for entry in read.infolist()
            if not entry.is_dir()
            and entry.filename != "META-INF/INDEX.LIST"  # an index also of the jars that are left out
            and not is_foreign(entry.filename, system, machine)
        ]
        if all(re.match(r"META-INF/(?!native/)", entry.filename) for entry in kept):
            return
        with zipfile.ZipFile(target, "w") as written:
            for entry in kept:
                written.writestr(entry, read.read(entry), zipfile.ZIP_STORED)
    shutil.copystat(jar, target)


def main(platform, source, folder):
    system, machine = platform.split("-", 1)
    if system not in ("linux", "macos") or machine not in ("x86_64", "aarch64"):
        sys.exit(f"platform-jars: the platform must be linux or macos, then -x86_64 or -aarch64, was {platform}")
    os.makedirs(folder, exist_ok=True)
    for name in sorted(os.listdir(source)):
        if name.endswith(".jar"):
            copy(os.path.join(source, name), os.path.join(folder, name), system, machine)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
