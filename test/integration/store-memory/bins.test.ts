/** The memory of full stores: bins and their requests [HARD-12]. Runs alone: it measures the heap. */
import t from 'tap'
import type { Config } from '../../../core/contract/plugin.ts'
import { createBinStore } from '../../../plugins/bins/bin-store.ts'
import type { CapturedRequest as BinRequest } from '../../../plugins/bins/captured-request.ts'
import { limitsOf } from '../../../plugins/bins/limits.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { MIB, ascii, wideFor, shortHeaders, bounded, times } from '../../support/store-memory.ts'

t.test('svc.state "bins" and svc.eventLog "requests" of it [HARD-12]', async t => {
  const request = (fields: Partial<BinRequest>): BinRequest => ({
    id: ascii('0123456789abcdef0123456789abcdef0123'),
    bin_id: 'b',
    timestamp: ascii('2026-01-01T00:00:00.000Z'),
    method: 'GET',
    path: '/',
    full_path: '/',
    query: null,
    headers: [],
    content_type: null,
    body: null,
    body_base64: null,
    body_size: 0,
    body_truncated: false,
    client_ip: ascii('192.168.100.100'),
    ...fields,
  })
  const cases: Record<string, { captures: number; fields: () => Partial<BinRequest>; headers?: number }> = {
    'many headers': { captures: 20, fields: () => ({ headers: shortHeaders(1_000) }) },
    'bodies of two bytes a character': { captures: 20, fields: () => ({ body: wideFor(60_000) }) },
    answers: { captures: 0, fields: () => ({}), headers: 20 },
  }
  for (const [name, { captures, fields, headers = 0 }] of Object.entries(cases)) {
    await t.test(name, async t =>
      bounded(t, 64 * MIB, async () => {
        const config = { publicMode: false, maxDelayMs: 0 } as Config
        const bins = createBinStore(pluginState(config).svc, limitsOf(config))
        await times(200, async index => {
          const answer = {
            status: 200,
            headers: Object.fromEntries(
              Array.from({ length: headers }, (_, place) => [`h${place}`, ascii('x'.repeat(50_000))]),
            ),
            body: null,
            delay_ms: 0,
          }
          const { id } = await bins.create(`session ${index}`, answer)
          await times(captures, () => bins.capture(id, request(fields())))
        })
        return bins
      }),
    )
  }
})
