/** Which files run with replicas, and what a run says about those that do not. */
import t from 'tap'
import { join } from 'node:path'
import { importsFile } from '../../runner/imports.ts'
import { replicaFiles } from '../../runner/replica-files.ts'
import { printReplicas } from '../../runner/replica-report.ts'
import { ResultCounter } from '../../runner/results.ts'
import { findTestFiles } from '../../runner/tiers.ts'

const TEST = join(import.meta.dirname, '..', '..')
const files = findTestFiles(TEST)

t.test('every integration file runs with replicas, or is left out for a reason', async t => {
  const all = replicaFiles(files, 'all')
  const integration = files.filter(({ name }) => /^(?:integration|sdk\/tools)\//.test(name)).length
  const leftOut = [...all.leftOut.values()].reduce((sum, count) => sum + count, 0)
  if (all.files.length > 0) t.equal(all.files.length + leftOut, integration)
  t.strictSame(
    [...all.leftOut.keys()].sort(),
    ['no server is started by test/support/server.ts', 'the memory of one process is measured'],
    'the reasons',
  )
  const selection = replicaFiles(files, 'selection')
  t.ok(selection.files.length <= all.files.length)
  t.match([...selection.leftOut.keys()].join('\n'), /npm run test:replicas/)
})

t.test('imports are followed through other files', async t => {
  const server = join(TEST, 'support', 'server.ts')
  const limits = join(TEST, 'integration', 'limits', 'slots.test.ts')
  t.equal(importsFile(limits, server, TEST), true, 'through test/support/limits-server.ts')
  t.equal(importsFile(join(TEST, 'integration', 'core', 'catalog.test.ts'), server, TEST), false)
  t.equal(importsFile(server, join(TEST, 'runner', 'tiers.ts'), TEST), false)
})

t.test('comments of `serve` are counted, in subtests too', async t => {
  const result = (...lines: string[]) => {
    const counter = new ResultCounter()
    for (const line of ['TAP version 14', ...lines]) counter.add(`${line}\n`)
    return counter.end('a.test.ts', { output: '', seconds: 0 })
  }
  const mixed = result(
    '# with replicas',
    '# Subtest: one',
    '    # one process: it reloads',
    '    ok 1',
    '    1..1',
    'ok 1 - one',
    '1..1',
  )
  t.strictSame(mixed.servers, { withReplicas: 1, oneProcess: new Set(['it reloads']) })
  const single = result('# one process: it reloads', 'ok 1', '1..1')
  const found = files.filter(({ name }) => name.includes('limits/slots'))
  const report = { files: found, leftOut: new Map([['no server', 2]]), env: { SVC_TEST_REPLICAS: '3' } }
  t.equal(
    printReplicas(report, [mixed, single]),
    [
      'With 3 replicas: 1 integration file',
      '  Some of their servers are one process:',
      '      1 file: it reloads',
      '  All servers of further files are one process:',
      '      1 file: it reloads',
      '  Left out:',
      '      2 files: no server',
      '',
    ].join('\n'),
  )
  t.match(printReplicas({ ...report, files: [] }, []), /^skipped: .*neither valkey-server nor redis-server/)
})
