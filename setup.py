# SPDX-License-Identifier: Apache-2.0
"""Builds orrery._engine with CMake. Everything else stands in pyproject.toml."""
import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()
VERSION = re.search(r"project\(orrery\s+VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        # A folder with the module that scripts/make-packages has built, and the libraries beside it.
        if built := os.environ.get("ORRERY_BUILT_MODULE"):
            folder = Path(self.get_ext_fullpath(ext.name)).resolve().parent
            folder.mkdir(parents=True, exist_ok=True)
            for file in Path(built).iterdir():
                self.copy_file(str(file), str(folder))
            return
        build = Path(self.build_temp).resolve()
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        generator = ["-G", "Ninja"] if self.find_ninja() else []
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DORRERY_PYTHON=ON", "-DORRERY_TESTS=OFF",
                   "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16",
                   f"-DPython3_EXECUTABLE={sys.executable}"]
        more = os.environ.get("ORRERY_CMAKE_ARGS", "").split()
        self.spawn(["cmake", "-S", str(ROOT), "-B", str(build), *generator, *options, *more])
        jobs = str(self.parallel or os.cpu_count() or 1)
        self.spawn(["cmake", "--build", str(build), "-j", jobs, "--target", "orrery_python"])
        target.parent.mkdir(parents=True, exist_ok=True)
        built = build / "python/orrery" / target.name
        self.copy_file(str(built), str(target))

    @staticmethod
    def find_ninja():
        try:
            return subprocess.run(["ninja", "--version"], capture_output=True).returncode == 0
        except FileNotFoundError:
            return False


setup(version=VERSION[1], ext_modules=[Extension("orrery._engine", [])],
      cmdclass={"build_ext": CMakeBuild})
