/* Runs every check of `npm run lint`, two at a time, and prints what each found, and how long it took. */
import { spawn } from 'node:child_process';

const CHECKS = {
  code: 'oxlint --type-aware --deny-warnings',
  format: 'prettier --check --log-level warn --cache --cache-strategy content .',
  imports: 'npm run -s lint:imports',
  prose: 'node --test --test-reporter=dot tools/prose && npm run -s lint:prose',
  release: 'node --test --test-reporter=dot tools/release',
  spelling: 'npm run -s lint:spelling',
  'public API': 'npm run -s lint:api',
};

const waiting = Object.entries(CHECKS);
const failed = [];
await Promise.all([runChecks(), runChecks()]);
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

async function runChecks() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const [name, command] = check;
    const start = Date.now();
    const { code, output } = await run(command);
    if (code !== 0) failed.push(name);
    process.stdout.write(`== ${name}: ${code === 0 ? 'ok' : 'failed'}, ${Math.round((Date.now() - start) / 1000)} s\n`);
    process.stdout.write(code === 0 ? '' : output);
  }
}

function run(command) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
  });
}
