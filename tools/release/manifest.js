/** The packages of this repository that others in it depend on. */
const OURS = /^(?:@tablequeue\/|tablequeue$)/;

/** Sets the version in a package.json, and in its dependencies on our packages. Ranges keep their sign. */
export function withVersion(text, version) {
  const manifest = JSON.parse(text);
  manifest.version = version;
  for (const group of [manifest.dependencies, manifest.devDependencies, manifest.peerDependencies])
    for (const name of Object.keys(group ?? {}).filter((each) => OURS.test(each)))
      group[name] = `${group[name].startsWith('^') ? '^' : ''}${version}`;
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
