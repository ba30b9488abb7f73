# SPDX-License-Identifier: Apache-2.0
"""The code in the guide, the notebooks and the first questions runs as it stands."""
import json
import re
import runpy

import pytest

import orrery
from conftest import ROOT

GUIDE = (ROOT / "docs/python.md").read_text()
NOTEBOOKS = sorted((ROOT / "docs/examples").glob("*.ipynb"))
# Words that each of them prints at its end.
PRINTS = {
    "hugging-face": "--tensor-model-parallel-size",
    "reinforcement-learning": " to ",
    "where-time-goes": "with a slow GPU",
    "which-cluster": "--tensor-model-parallel-size",
}


def run_blocks(blocks, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, block.splitlines()[0], "exec"), names)
    return names


def test_the_code_of_the_guide_runs(monkeypatch, tmp_path):
    pytest.importorskip("pandas")
    names = run_blocks(re.findall(r"```python\n(.*?)```", GUIDE, re.S), monkeypatch, tmp_path)
    assert names["e"].feasible and (tmp_path / "rows.csv").exists()


def test_the_guide_names_what_there_is():
    import orrery

    for name in re.findall(r"`orrery\.(\w+)", GUIDE):
        assert hasattr(orrery, name), name
    for name in re.findall(r"`run\.(\w+)", GUIDE):
        assert hasattr(orrery.Run, name), name


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, monkeypatch, tmp_path, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    cells = json.loads(notebook.read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert code and not any(cell.get("outputs") for cell in cells)  # who opens it makes them
    run_blocks(code, monkeypatch, tmp_path)
    assert PRINTS[notebook.stem] in capsys.readouterr().out


def test_the_first_questions_are_answered(capsys):
    runpy.run_path(str(ROOT / "docs/examples/first_questions.py"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("step ") and len(lines) == 9


def test_a_formula_is_a_tree_in_a_notebook(run):
    tree = run.explain("step_time_s")
    html = tree._repr_html_()
    assert html.count("<details") == html.count("</details>") > 3
    assert "step_time_s" in html and "= " in html
    assert html.count("<details open") < html.count("<details")


def test_a_long_answer_is_shown_by_its_ends():
    html = orrery.validate()._repr_html_()
    assert html.startswith("<pre>") and len(html) < 100_000
    assert "to_html() has all of them" in html


def test_an_import_takes_text_and_shows_itself():
    text = ("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 \\\n"
            " --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 \\\n"
            " --micro-batch-size 1 --global-batch-size 128 --bf16 --vocab-size 32000\n")
    read = orrery.import_file(text, node="dgx-h100")
    assert read.to_run().estimate().inputs.training.sequence_length == 4096
    assert read._repr_html_().startswith("<pre>")
