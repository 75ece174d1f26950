/** The memory of full stores: what gateways report [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import type { AnyRequest, Config } from '../../../core/contract/plugin.ts'
import { Intake } from '../../../plugins/telemetry/records/intake.ts'
import type { Report } from '../../../plugins/telemetry/records/record.ts'
import { Reports } from '../../../plugins/telemetry/records/reports.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { MIB, ascii, bounded, times, wideFor } from '../../support/store-memory.ts'

const metrics = { counter: () => ({ inc() {} }) }
const http = { session: () => ({ key: 'ip:x', label: 'x', header: null, from: null }) }
const inspector = { arrivals: async () => [] }

function spanWith(attributes: Record<string, string>): Report<'spans'> {
  return {
    record: {
      id: ascii('0123456789abcdef0123456789abcdef0123'),
      trace_id: ascii('0af7651916cd43dd8448eb211c80319c'),
      span_id: ascii('b7ad6b7169203331'),
      parent_span_id: null,
      name: ascii('GET /orders'),
      kind: 'server',
      service: null,
      start: ascii('2026-01-01T00:00:00.000Z'),
      duration_ms: 1.5,
      status: 'ok',
      attributes,
      resource: {},
      source: 'otlp',
      received_at: ascii('2026-01-01T00:00:00.000Z'),
      session: null,
    },
    named: null,
  }
}

t.test('svc.eventLog "records", with svc.state "sessions" [HARD-12]', async t => {
  const cases: Record<string, () => Record<string, string>> = {
    'many attributes': () =>
      Object.fromEntries(Array.from({ length: 200 }, (_, index) => [ascii(`k${index}`), ascii('v')])),
    'texts of two bytes a character': () => ({ text: wideFor(30_000) }),
    'nothing else': () => ({}),
  }
  for (const [name, attributes] of Object.entries(cases))
    await t.test(name, async t =>
      bounded(t, 16 * MIB, async () => {
        const { svc } = pluginState({ publicMode: false } as Config)
        const reports = new Reports({ ...svc, metrics, http, inspector } as unknown as ConstructorParameters<
          typeof Reports
        >[0])
        await times(300, async () => {
          const intake = new Intake<'spans'>(reports.bounds)
          for (let count = 0; count < 10; count++) intake.add(() => spanWith(attributes()))
          await reports.keep('spans', 'otlp', {} as AnyRequest, intake)
        })
        return reports
      }),
    )
})
