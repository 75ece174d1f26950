/** What a tester wants first takes fewer than ten lines; the group `http` runs these examples. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf, root } from '../support/examples.ts'

const page = readFileSync(join(root, 'docs/testing.md'), 'utf8')

/** Lines of the commands and programs of a section, without the configuration of a gateway. */
function linesOf(heading: string): number {
  const start = page.indexOf(`\n## ${heading}\n`)
  const section = page.slice(start + 1).split(/\n#{2,3} /, 1)[0]!
  return blocksOf(section)
    .filter(({ language }) => language === 'sh' || language === 'js')
    .reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0)
}

t.test('each of the first tasks takes fewer than ten lines [TESTLIB-7]', async t => {
  for (const heading of [
    'Fail twice, then succeed',
    'Verify what arrived',
    'Script a model',
    'Begin each test with nothing',
    'Run tests in parallel',
    'Replay a recorded upstream',
  ]) {
    const lines = linesOf(heading)
    t.ok(lines > 0 && lines < 10, `${heading}: ${lines}`)
  }
})
