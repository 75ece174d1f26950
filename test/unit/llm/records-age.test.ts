/** How long and how many records of the mock LLM are kept. */
import t from 'tap'
import { createRequestRecords, type AiRecord } from '../../../plugins/llm/records/records.ts'
import { pluginState } from '../../support/plugin-state.ts'

const HOUR_MS = 3_600_000

const record = (id: string, ageMs = 0): AiRecord => ({
  request_id: id,
  at: Date.now() - ageMs,
  provider: 'openai',
  method: 'POST',
  endpoint: '/ai/v1/chat/completions',
  query: null,
  model: null,
  mode: null,
  stream: false,
  credential: null,
  headers: [],
  body: '',
  json: false,
  normalized_prompt: '',
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  finish_reason: null,
  reply_preview: '',
  guardrail: null,
  status: 200,
  fault: null,
  rule: null,
  validation: null,
  directive: null,
  violations: [],
  session_header: null,
  session: 's',
})
const all = (): boolean => true

t.test('a record is kept for one hour, whatever comes after it [LLM-26]', async t => {
  const records = createRequestRecords(pluginState({ publicMode: false }).svc)
  records.add(record('old', HOUR_MS))
  records.add(record('late', HOUR_MS - 5_000))
  records.add(record('new'))
  t.strictSame(
    (await records.newest(10, all)).map(({ request_id }) => request_id),
    ['new', 'late'],
  )
  t.equal(await records.find(({ request_id }) => request_id === 'old'), undefined)
  t.match(await records.find(({ request_id }) => request_id === 'late'), { request_id: 'late' })
})

t.test('the newest 1000 records are kept, 200 in public mode [LLM-26]', async t => {
  for (const [publicMode, kept] of [
    [false, 1000],
    [true, 200],
  ] as const) {
    const records = createRequestRecords(pluginState({ publicMode }).svc)
    for (let index = 0; index < kept + 10; index++) records.add(record(`r${index}`))
    const found = await records.newest(5000, all)
    t.equal(found.length, kept)
    t.strictSame([found.at(0)?.request_id, found.at(-1)?.request_id], [`r${kept + 9}`, 'r10'])
  }
})
