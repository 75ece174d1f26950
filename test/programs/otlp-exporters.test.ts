/**
 * The official exporters of OpenTelemetry report what a gateway did, and the reconciliation finds what it did not do. [GWT-8]
 * Python: `SVC_TEST_PYTHON` names an interpreter with `opentelemetry-exporter-otlp`.
 */
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { send } from '../support/rules.ts'
import { serve, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { findProgram, MODULES, type Program } from './support/program.ts'

const FOLDER = join(import.meta.dirname, 'otlp')
const PACKAGE = '@opentelemetry/exporter-trace-otlp-proto'

interface Row {
  request_id: string
  arrivals: string[]
  reports: string[]
  differ: { field: string; reported: unknown; arrived: unknown }[]
}

interface Reconciliation {
  requests: Row[]
  only_reported: Row[]
  only_arrived: Row[]
  summary: object
}

async function follow(
  t: Test,
  server: TestServer,
  program: Program,
  { script, encoding }: { script: string; encoding: string },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-otlp-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(FOLDER, script), join(folder, script))
  if (existsSync(MODULES)) symlinkSync(MODULES, join(folder, 'node_modules'))
  const session = randomUUID()
  const endpoint = encoding === 'grpc' ? `http://${server.grpcAddress}` : `${server.url}/otlp`
  const { code, output } = await program.run([script, server.url, endpoint, encoding, session], { cwd: folder })
  if (!t.equal(code, 0, output.slice(-3000))) return
  const ids = JSON.parse(output.trim().split('\n').at(-1)!) as Record<string, string>
  const counted = async (kind: string): Promise<number> =>
    ((await send(server, `/_svc/telemetry/${kind}?session=${session}`)).json as { count: number }).count
  t.equal(await counted('spans'), 2)
  t.equal(await counted('logs'), 7)
  t.ok((await counted('metrics')) > 0)
  const found = await until(async () => {
    const { json } = await send(server, `/_svc/telemetry/reconcile?session=${session}`)
    const result = json as Reconciliation
    return result.requests.length >= 4 && result.only_arrived.length >= 2 ? result : null
  }, 'all arrivals are captured')
  t.strictSame(found.summary, { matched: 4, differ: 2, only_reported: 2, only_arrived: 2 })
  const named = (rows: Row[]): string[] => rows.map(({ request_id: id }) => id).toSorted()
  t.strictSame(named(found.only_arrived), [ids.dropped!, ids.renumbered!].toSorted())
  t.strictSame(named(found.only_reported), [ids.invented!, `other-${ids.renumbered!}`].toSorted())
  const row = (deed: string): Row | undefined => found.requests.find(({ request_id: id }) => id === ids[deed])
  for (const [deed, reports, arrivals] of [
    ['honest', 3, 1],
    ['retried', 1, 2],
  ] as const) {
    t.strictSame(row(deed)?.differ, [], deed)
    t.equal(row(deed)?.reports.length, reports)
    t.equal(row(deed)?.arrivals.length, arrivals)
  }
  t.strictSame(row('doubled')?.differ, [{ field: 'reports', reported: 2, arrived: 1 }])
  t.strictSame(row('lying')?.differ, [{ field: 'status', reported: 200, arrived: 503 }])
}

t.test('exporters', async t => {
  t.setTimeout(0)
  const server = await serve(t)

  const missing = !existsSync(join(MODULES, PACKAGE)) && `no ${PACKAGE} here (npm run test:programs installs it)`
  for (const encoding of ['json', 'protobuf', 'grpc'])
    await t.test(`JavaScript, ${encoding}`, { skip: missing }, async t => {
      const node = findProgram(process.execPath)
      if (typeof node === 'string') return t.fail(node)
      return follow(t, server, node, { script: 'gateway.mjs', encoding })
    })

  const python = findProgram(process.env.SVC_TEST_PYTHON ?? 'python3')
  const hasExporters =
    typeof python !== 'string' &&
    (await python.run(['-c', 'import opentelemetry.exporter.otlp.proto.http'], { cwd: FOLDER })).code === 0
  const skip =
    typeof python === 'string' ? python : !hasExporters && 'no opentelemetry-exporter-otlp here (SVC_TEST_PYTHON)'
  for (const encoding of ['protobuf', 'grpc'])
    await t.test(`Python, ${encoding}`, { skip }, async t => {
      if (typeof python === 'string') return
      await follow(t, server, python, { script: 'gateway.py', encoding })
    })
})
