/* Checks words and sentences in comments, strings, test titles and Markdown: `npm run lint:prose -- [paths]`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { ALLOWED } from './allowed.js';
import { findingsOf } from './findings.js';
import { hasProse } from './prose-of.js';

const paths = process.argv.slice(2);
const usedAllowances = new Set();
let count = 0;
for (const path of filesOf(paths)) {
  for (const { line, message } of findingsOf(path, readFileSync(path, 'utf8'), usedAllowances)) {
    console.error(`${path}:${line}  ${message}`);
    count += 1;
  }
}
if (paths.length === 0) {
  for (const allowance of ALLOWED.filter((entry) => !usedAllowances.has(entry))) {
    console.error(`tools/prose/allowed.js  "${allowance.text}" in ${allowance.path} matches nothing: remove the entry`);
    count += 1;
  }
}
if (count > 0)
  console.error(`Findings: ${count}. Rules and false positives: tools/prose/banned.js, tools/prose/allowed.js.`);
process.exitCode = count > 0 ? 1 : 0;

function filesOf(chosen) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...chosen], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return [...new Set(listed.split('\n'))].filter((path) => hasProse(path) && existsSync(path));
}
