import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findingsOf } from './findings.js';

const LONG = `${'A sentence with many words '.repeat(7)}ends.`;

void describe('a banned phrase is found', () => {
  const found = {
    'in a line comment': ['a.ts', '\n// Somebody reads this.', 2],
    'in a comment that goes on in the next line': ['a.ts', '// The queue of\n// which this is one.', 1],
    'in a doc comment that goes on in the next line': ['a.ts', '/**\n * Stops by\n * itself.\n */', 2],
    'in a message': ['a.ts', "throw new Error('The server told us no');", 1],
    'in a template': ['a.ts', 'log(`${name} stands in ${file}`);', 1],
    'in a test title': ['a.spec.ts', "test('nobody reads a job', () => {});", 1],
    'in the title of a table of tests': ['a.spec.ts', "test.each([1])('%s is for nobody', () => {});", 1],
    'in text of a page': ['a.tsx', 'const page = <p>The server says no.</p>;', 1],
    'in Markdown': ['a.md', '# Title\n\nNobody reads this.\n', 3],
    'in a table': ['a.md', '| a | b |\n| - | - |\n| as a rule | c |\n', 3],
    'in a link': ['a.md', 'See [what is left](a.md).', 1],
    'in a comment of a sample': ['a.md', '```ts\nf();\n// Runs for ever.\n```\n', 3],
    'in a style sheet': ['a.css', 'a {\n  /* Nobody sees it. */\n}\n', 2],
    'in a page of HTML': ['a.html', '<p>\n<!-- Nobody sees it. -->\n', 2],
    'in the description of a package': ['package.json', '{\n  "description": "It runs for ever."\n}', 2],
    'in front matter': ['a.md', '---\ntitle: Whoever reads this\n---\n', 2],
    'at the beginning of a block, as an inversion': ['a.md', 'First line\n\nNor is the second.\n', 3],
  };
  for (const [where, [path, source, line]] of Object.entries(found))
    void test(where, () => assert.deepEqual(linesOf(path, source), [line]));
});

void describe('a banned phrase is not looked for', () => {
  const ignored = {
    'in code': ['a.ts', 'const told = nobody();'],
    'in a string of two words': ['a.ts', "const who = 'nobody else';"],
    'in inline code': ['a.md', 'Call `told()` now.'],
    'in a code block': ['a.md', '```sql\nSELECT told\n```\n'],
    'in inline code of a comment': ['a.ts', '// Calls `told`.'],
    'in an address': ['a.md', 'See [this](nobody.md).'],
    'across two paragraphs': ['a.md', 'It stops by\n\nitself it cannot.\n'],
    'in a word with a hyphen': ['a.md', 'A stand-in for the server.'],
  };
  for (const [where, [path, source]] of Object.entries(ignored))
    void test(where, () => assert.deepEqual(linesOf(path, source), []));
});

void test('a replaced name is found in code', () => {
  assert.deepEqual(linesOf('a.ts', 'f({\n  onClash: 1 });'), [2]);
  assert.deepEqual(linesOf('a.md', '```ts\nf({ onClash: 1 });\n```\n'), [2]);
  assert.deepEqual(linesOf('a.ts', 'f({ reasonClash: 1, onClashes: 2 });'), []);
});

void test('the message shows what to write instead', () => {
  const [finding] = findingsOf('a.md', 'It runs for ever.');
  assert.match(finding.message, /^"for ever": write "forever"/);
});

void describe('a long sentence is found', () => {
  const found = {
    'in Markdown': ['a.md', `# Title\n\nShort. ${LONG}\n`, 3],
    'that goes on in the next line': ['a.md', LONG.replaceAll('many words', 'many\nwords'), 1],
    'in a list': ['a.md', `- One.\n- ${LONG}\n`, 2],
    'in a comment': ['a.ts', `/**\n * Short.\n *\n * ${LONG}\n */`, 4],
    'behind a tag': ['a.ts', `/**\n * Short\n * @param a ${LONG}\n */`, 3],
  };
  for (const [where, [path, source, line]] of Object.entries(found))
    void test(where, () => assert.deepEqual(linesOf(path, source), [line]));

  void test('but code counts as one word, and blocks are not added up', () => {
    assert.deepEqual(linesOf('a.md', `Call \`${'a '.repeat(40)}\` once.`), []);
    assert.deepEqual(linesOf('a.md', 'This is `code` of a few words. `code` is it. '.repeat(9)), []);
    assert.deepEqual(linesOf('a.md', 'Some words of a list\n\n'.repeat(20)), []);
    assert.deepEqual(linesOf('a.ts', `/**\n${' * @throws AnError when something is wrong\n'.repeat(8)} */`), []);
  });
});

function linesOf(path, source) {
  return findingsOf(path, source).map(({ line }) => line);
}
