# SPDX-License-Identifier: Apache-2.0
#
#   scripts/make-packages --build-only                # writes dist/orrery-VERSION.tar.gz
#   spack repo add packaging/spack && spack install orrery
#
# Run `spack install` in dist/, where the archive of the sources lies.
import os

from spack.package import *


class Orrery(CMakePackage):
    """Predicts memory, step time and cost of training runs of large models."""

    url = f"file://{os.getcwd()}/orrery-0.2.0.tar.gz"
    license("Apache-2.0")
    maintainers("orrery")

    # The archive that this checkout makes; dist/SHA256SUMS has its sum.
    version("0.2.0", no_checksum=True)

    variant("python", default=False, description="the module `import orrery`")
    variant("mpi", default=False, description="share sweeps and searches over MPI")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("boost@1.74:")
    depends_on("cli11@2.1:")
    depends_on("eigen@3.4:")
    depends_on("nlohmann-json@3.11:")
    depends_on("pugixml")
    depends_on("spdlog@1.10:")
    depends_on("sqlite@3:")
    depends_on("tomlplusplus")
    depends_on("yaml-cpp")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("python@3.10:", when="+python", type=("build", "run"))
    depends_on("py-pybind11@2.10:", when="+python", type="build")
    extends("python", when="+python")
    conflicts("%gcc@:11", msg="needs C++20 as g++ 12 knows it")

    def cmake_args(self):
        arguments = [
            self.define("ORRERY_TESTS", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define_from_variant("ORRERY_PYTHON", "python"),
            self.define_from_variant("ORRERY_MPI", "mpi"),
        ]
        if "+python" in self.spec:
            arguments.append(self.define("ORRERY_PYTHON_DIR", python_platlib))
        return arguments

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def answers(self):
        Executable(self.prefix.bin.orrery)("estimate", "gpt3-175b-1024-a100")
