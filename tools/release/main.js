/*
 * Releases all packages with one version: `npm run release -- 0.2.0`. With `--dry-run` it shows everything and changes
 * nothing. It writes the version and the changelog, builds, publishes with provenance, commits and tags.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { releasedChangelog } from './changelog.js';
import { withVersion } from './manifest.js';

const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true });
const [version = ''] = positionals;
const isDryRun = values['dry-run'] === true;
const isNewVersion = /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version);

const folders = ['packages', 'apps'].flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`));
const manifests = [...folders, 'test'].map((folder) => `${folder}/package.json`);
/** A test compares it with the package.json. */
const VERSION_FILE = 'packages/typeorm/src/package-version.ts';
/** Each after the packages that it depends on. */
const published = ['typeorm', 'nestjs', 'verify', 'dashboard', 'cli'].map((name) => `packages/${name}`);

const problems = problemsBeforeRelease();
for (const problem of problems) console.error(problem);
if (problems.length > 0 && !(isDryRun && isNewVersion)) process.exit(1);

const originals = new Map(
  ['CHANGELOG.md', 'package-lock.json', VERSION_FILE, ...manifests].map((file) => [file, readFileSync(file, 'utf8')]),
);
const { changelog, notes } = releasedChangelog(originals.get('CHANGELOG.md'), version, today());
console.log(`\nChanges of ${version}:\n\n${notes}\n`);

try {
  writeFileSync('CHANGELOG.md', changelog);
  for (const file of manifests) writeFileSync(file, withVersion(originals.get(file), version));
  writeFileSync(VERSION_FILE, originals.get(VERSION_FILE).replace(/'.*'/, `'${version}'`));
  run('npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
  run('npm', 'run', 'build');
  for (const folder of published) publish(folder);
} finally {
  if (isDryRun) for (const [file, text] of originals) writeFileSync(file, text);
}
if (isDryRun) {
  console.log(`\nDry run: nothing was published or changed. It would also commit and tag v${version}.`);
} else {
  run('git', 'commit', '--all', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', notes, '--cleanup=verbatim');
  console.log(`Released ${version}. Push it: git push --follow-tags`);
}

function problemsBeforeRelease() {
  const hasIdentity = process.env.ACTIONS_ID_TOKEN_REQUEST_URL ?? process.env.SIGSTORE_ID_TOKEN;
  return [
    isNewVersion ? '' : `"${version}" is not a version. Use: npm run release -- 0.2.0 [--dry-run]`,
    output('git', 'status', '--porcelain') === '' ? '' : 'The work tree has changes. Commit or stash them first.',
    hasIdentity ? '' : 'npm cannot prove where the packages come from. Run this in CI with an identity token.',
  ].filter((problem) => problem !== '');
}

/** Leaves out a package that an interrupted release has published already. */
function publish(folder) {
  const { name } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  if (!isDryRun && isPublished(`${name}@${version}`)) {
    console.log(`${name}@${version} is published already.`);
    return;
  }
  const tag = version.includes('-') ? ['--tag', 'next'] : [];
  run('npm', 'publish', `--workspace=${folder}`, ...tag, ...(isDryRun ? ['--dry-run'] : []));
}

function isPublished(spec) {
  try {
    return output('npm', 'view', spec, 'version') !== '';
  } catch {
    return false;
  }
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function run(command, ...args) {
  console.log(`> ${command} ${args[0]} ${args[1]}`);
  execFileSync(command, args, { stdio: 'inherit' });
}

function output(command, ...args) {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
