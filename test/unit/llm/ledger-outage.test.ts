/** The ledger while the state store is unavailable. */
import t from 'tap'
import { StateUnavailable, type Svc } from 'svc/plugin'
import { NO_TOKENS, type EndedCall } from '../../../plugins/llm/usage/call.ts'
import { KeyIds } from '../../../plugins/llm/usage/key-ids.ts'
import { Ledger, type LedgerRow } from '../../../plugins/llm/usage/ledger.ts'

let isUp = false
const rows = new Map<string, LedgerRow>()
const errors: string[] = []
const away = (): Promise<never> => Promise.reject(new StateUnavailable('away'))

/** Only what the ledger uses. */
const svc = {
  config: { publicMode: false },
  log: { error: (message: string) => errors.push(message) },
  shared: (_name: string, make: () => unknown) => make(),
  whenClosed: () => {},
  secret: away,
  eventLog: () => ({ append: away }),
  channel: (_name: string, { on }: { on(message: object): Promise<unknown> }) => ({
    tell: async (message: object) => ({ replies: [await on(message)] }),
  }),
  state: () => ({
    subscribe: () => () => {},
    increment: away,
    list: async () => [...rows].map(([key, value]) => ({ key, value })),
    async update(key: string, change: (row: LedgerRow | undefined) => LedgerRow) {
      if (!isUp) return away()
      rows.set(key, change(rows.get(key)))
    },
  }),
} as unknown as Svc<unknown>

const call = (model: string): EndedCall => ({
  ...NO_TOKENS,
  prompt_tokens: 3,
  completion_tokens: 4,
  request_id: 'r',
  at: 0,
  duration_ms: 1,
  provider: 'openai',
  model,
  op: 'chat',
  endpoint: '/',
  session: 's',
  session_key: 's',
  key: 'bearer ****',
  credential: { source: 'bearer', value: 'k' },
  status: 200,
  stream: false,
  limited: null,
  fault: null,
  cut: null,
  ttft_ms: null,
  queue_ms: 0,
  attempt_key: 'a',
  retry_count: 0,
  batch: null,
})

t.test('calls are entered once the store is back, and no rejection is unhandled [LLMN-1]', async t => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown): number => unhandled.push(reason)
  process.on('unhandledRejection', listener)
  t.teardown(() => process.off('unhandledRejection', listener))
  const ledger = new Ledger(svc, { prices: [], formatOf: name => name, keyIds: new KeyIds(svc) })
  for (const model of ['a', 'b', 'a']) ledger.add(call(model))
  await ledger.flush()
  ledger.add(call('a'))
  await ledger.flush()
  await new Promise(resolve => setImmediate(resolve))
  t.same(unhandled, [])
  t.ok(errors.includes('calls could not be entered in the ledger'))
  t.equal(rows.size, 0)
  isUp = true
  const { rows: found, dropped } = await ledger.look(() => true)
  t.same(
    found.map(({ model, requests, prompt_tokens }) => [model, requests, prompt_tokens]),
    [
      ['a', 3, 9],
      ['b', 1, 3],
    ],
  )
  t.equal(dropped, 0)
  await ledger.flush()
  t.equal((await ledger.look(() => true)).rows[0]!.requests, 3, 'once')
})
