// Installs the wheel named on the command line into Pyodide and checks one score, a note about the kernels and a PNG image.
import { basename } from "node:path";
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const wheel = process.argv[2];
const python = await loadPyodide();
await python.loadPackage(["numpy", "scipy", "pillow", "click", "rich", "micropip"]);
python.FS.writeFile(`/tmp/${basename(wheel)}`, readFileSync(wheel));
await python.runPythonAsync(`
import micropip
await micropip.install("emfs:/tmp/${basename(wheel)}")
import numpy as np, segmetry as sm
assert sm.pq([[1, 1, 2]], [[1, 1, 2]]).value == 1
facts = sm.about()
assert facts["kernels"] == "numpy" and facts["machine"] == "wasm32" and "kernels_note" in facts
from PIL import Image
Image.fromarray(np.array([[1, 2]], np.uint8)).save("/tmp/a.png")
assert sm.evaluate(["/tmp/a.png"], ["/tmp/a.png"], engine="serial").summary() is not None
print("segmetry", facts["segmetry"], "in Pyodide:", sm.pq([[1, 1, 2]], [[1, 2, 2]]))
`);
