#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the page of `orrery capacity --html` in headless Chromium and measures it.

Every chart must be drawn, no text may leave its drawing or overlap another of the same drawing,
nothing may be wider than the page, and the page must print. Exit code 77 ("skipped" in ctest) means
that there is no Chromium, or that the machine is too busy for it.

    tests/browser/capacity_page.py ORRERY"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
TIME_LIMIT_S = 120
CHARTS = 6
PLAN = {
    "name": "Two clusters & one deadline", "run": "gpt3-175b-1024-a100", "start": "2027-01-04",
    "require": {"deadline": "60 d", "budget": "50e6 USD", "power": "10 MW"},
    "failures": "llama-3", "storage": "selene", "prices": "market-2026",
    "scenarios": [{"name": "A100 <80 GB>", "cluster": {"node": "dgx-a100-80gb"}, "gpus": [512, 1024]},
                  {"name": "H100", "cluster": {"node": "dgx-h100"}, "gpus": [512]}]}

# Runs in the page; its findings become the page's title.
MEASURE = """
<script>
const bad=[];
const wide=document.documentElement.scrollWidth-document.documentElement.clientWidth;
if(wide>0)bad.push('the page is '+wide+' px too wide');
document.querySelectorAll('svg').forEach((svg,k)=>{
 const frame=svg.getBoundingClientRect(),texts=[...svg.querySelectorAll('text')];
 if(frame.height<20)bad.push('chart '+k+' has no height');
 const boxes=texts.map(t=>t.getBoundingClientRect());
 texts.forEach((t,i)=>{const b=boxes[i];
  if(b.left<frame.left-1||b.right>frame.right+1||b.top<frame.top-3||b.bottom>frame.bottom+3)
   bad.push('chart '+k+': "'+t.textContent+'" leaves it');
  for(let j=0;j<i;j++){const o=boxes[j];
   const x=Math.min(b.right,o.right)-Math.max(b.left,o.left),y=Math.min(b.bottom,o.bottom)-Math.max(b.top,o.top);
   if(x>2&&y>4)bad.push('chart '+k+': "'+t.textContent+'" over "'+texts[j].textContent+'"');}});
});
document.title=JSON.stringify({charts:document.querySelectorAll('svg').length,bad:bad});
</script>
"""


def chromium(*arguments):
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("no Chromium here")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as profile:
        try:
            return subprocess.run([program, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1100,2400",
                                   f"--user-data-dir={profile}", *arguments], check=True, text=True,
                                  capture_output=True, timeout=TIME_LIMIT_S).stdout
        except subprocess.TimeoutExpired:
            print("Chromium did not open the page in time")
            sys.exit(SKIPPED)


def faults(plan):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "plan.json").write_text(json.dumps(PLAN))
        subprocess.run([sys.argv[1], "capacity", plan or str(folder / "plan.json"), "--html", "-o",
                        str(folder / "page.html")], check=True)
        page = (folder / "page.html").read_text()
        if "<script" in page or re.search(r'(src|href)="http', page):
            sys.exit("the page needs a script or another file")
        (folder / "measured.html").write_text(page.replace("</body>", MEASURE + "</body>"))
        dom = chromium("--dump-dom", (folder / "measured.html").as_uri())
        title = re.search(r"<title>(.*?)</title>", dom, re.DOTALL).group(1)
        found = json.loads(title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        chromium(f"--print-to-pdf={folder / 'page.pdf'}", (folder / "page.html").as_uri())
        if (folder / "page.pdf").stat().st_size < 10_000:
            found["bad"].append("it does not print")
    if found["charts"] < CHARTS:
        found["bad"].append(f"{found['charts']} charts, at least {CHARTS} expected")
    print("\n".join(found["bad"]) or f"{found['charts']} charts, nothing out of place")
    return found["bad"]


def main():
    # One with names that need escaping, and the page that docs/capacity.md makes.
    sys.exit(1 if faults("") + faults("gpt3-175b-five-clusters") else 0)


if __name__ == "__main__":
    main()
