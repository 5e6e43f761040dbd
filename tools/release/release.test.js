import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { releasedChangelog } from './changelog.js';
import { withVersion } from './manifest.js';

void describe('the changelog of a release', () => {
  const text = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## 0.1.0\n\nThe first.\n';

  void test('gives the unreleased changes a version, and starts an empty list', () => {
    const { changelog, notes } = releasedChangelog(text, '0.2.0', '2026-12-01');
    assert.equal(notes, '### Added\n\n- A thing.');
    assert.equal(changelog, text.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n'));
  });

  void test('is refused without changes, and for the same version again', () => {
    const { changelog } = releasedChangelog(text, '0.2.0', '2026-12-01');
    assert.throws(() => releasedChangelog(changelog, '0.3.0', '2026-12-02'), /no unreleased changes/);
    const more = changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n- More.\n');
    assert.throws(() => releasedChangelog(more, '0.2.0', '2026-12-02'), /0\.2\.0 already/);
  });
});

void test('a package.json gets the version, also for our packages, and keeps other ranges', () => {
  const before = {
    version: '0.1.0',
    dependencies: { '@tablequeue/verify': '0.1.0', tablequeue: '0.1.0', ms: '2.1.3' },
    peerDependencies: { '@tablequeue/typeorm': '^0.1.0', typeorm: '^1.0.0' },
  };
  assert.deepEqual(JSON.parse(withVersion(JSON.stringify(before), '0.2.0')), {
    version: '0.2.0',
    dependencies: { '@tablequeue/verify': '0.2.0', tablequeue: '0.2.0', ms: '2.1.3' },
    peerDependencies: { '@tablequeue/typeorm': '^0.2.0', typeorm: '^1.0.0' },
  });
});
