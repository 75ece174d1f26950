/** The usage file: its content, when it is restored, and that no content stops the service. */
import t from 'tap'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveLimits, usageOf } from '../../support/limits-server.ts'
import { startProcess } from '../../support/process.ts'

function folderOf(t: { teardown(callback: () => unknown): unknown }): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-usage-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const month = (): string => `${new Date().toISOString().slice(0, 7)}-01T00:00:00Z`
const record = (fields: object = {}): string =>
  JSON.stringify({
    version: 1,
    plan: 'other',
    period: 'month',
    period_start: month(),
    requests: 512,
    egress_bytes: 7_340_032,
    saved_at: new Date().toISOString(),
    ...fields,
  })

t.test('counters of the current period continue after a restart, and are saved at shutdown [USAGE-2]', async t => {
  const file = join(folderOf(t), 'usage.json')
  writeFileSync(file, record())
  const env = { SVC_LIMIT_REQUESTS: '1000', SVC_USAGE_FILE: file }
  const first = await serveLimits(t, env)
  t.match(await usageOf(first), {
    requests: { used: 512, remaining: 488 },
    egress: { used_bytes: 7_340_032 },
    persisted: true,
    limits: { usage_file_configured: true },
  })
  await (await fetch(`${first.url}/x/bytes/100`)).arrayBuffer()
  await first.stop()
  t.match(JSON.parse(readFileSync(file, 'utf8')), {
    version: 1,
    plan: 'custom',
    period: 'month',
    period_start: month(),
    requests: 513,
    egress_bytes: 7_340_132,
    saved_at: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  })
  t.strictSame(readdirSync(join(file, '..')), ['usage.json'], 'no other file')
  t.match(await usageOf(await serveLimits(t, env)), { requests: { used: 513 } })
})

t.test('SIGTERM saves the counters, a missing file is created [USAGE-2]', async t => {
  const server = startProcess(t, { env: { SVC_LIMIT_REQUESTS: '10', SVC_USAGE_FILE: 'usage.json' } })
  await fetch(`http://127.0.0.1:${await server.port('HTTP')}/no/such`)
  server.child.kill('SIGTERM')
  t.strictSame(await server.exited, { code: 0, signal: null })
  t.match(JSON.parse(readFileSync(join(server.folder, 'usage.json'), 'utf8')), { requests: 1, period: 'month' })
})

t.test(
  'without a usage file of this period counting starts from 0, with a warning if it is broken [USAGE-3]',
  async t => {
    const CASES: [what: string, content: string | null, warning: RegExp | null][] = [
      ['nothing', null, null],
      ['another period', record({ period_start: '2020-01-01T00:00:00Z' }), null],
      ['another kind of period', record({ period: 'day' }), null],
      ['half a JSON', record().slice(0, 40), /usage file/],
      ['no JSON', 'hello', /usage file/],
      ['a list', '[]', /usage file/],
      ['null', 'null', /usage file/],
      ['a negative number', record({ requests: -1 }), /usage file/],
      ['a fraction', record({ egress_bytes: 1.5 }), /usage file/],
      ['a text', record({ requests: '5' }), /usage file/],
      ['no start', record({ period_start: undefined }), /usage file/],
    ]
    for (const [what, content, warning] of CASES) {
      const file = join(folderOf(t), 'usage.json')
      if (content !== null) writeFileSync(file, content)
      const server = await serveLimits(t, { SVC_LIMIT_REQUESTS: '1000', SVC_USAGE_FILE: file })
      t.match(await usageOf(server), { requests: { used: 0 } }, what)
      t.equal(
        server.lines.some(line => line.includes('usage file')),
        warning !== null,
        what,
      )
      await server.stop()
    }
  },
)

t.test('a file that cannot be written gives a warning, and svc keeps running [USAGE-3]', async t => {
  const folder = folderOf(t)
  mkdirSync(join(folder, 'usage.json'))
  const server = await serveLimits(t, { SVC_LIMIT_REQUESTS: '10', SVC_USAGE_FILE: join(folder, 'usage.json') })
  t.match(server.lines.join(''), /cannot read the usage file/)
  t.equal((await fetch(`${server.url}/x`)).status, 200)
  await server.stop()
  t.match(server.lines.join(''), /cannot write the usage file/)
})

t.test('session scope ignores the file with a warning [USAGE-2]', async t => {
  const file = join(folderOf(t), 'usage.json')
  writeFileSync(file, record())
  const server = await serveLimits(t, { SVC_PLAN: 'free', SVC_USAGE_FILE: file })
  t.match(await usageOf(server), { requests: { used: 0 }, persisted: false })
  t.match(server.lines.join(''), /SVC_USAGE_FILE has no effect/)
})
