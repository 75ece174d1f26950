/** The action `serve` of scripts: the route that a claimed request names answers it. */
import t, { type Test } from 'tap'
import { launch } from '../../core/testing/launch.ts'

interface Session {
  id: string
  field: string
}

interface Arrivals {
  arrivals: {
    step: string
    violations?: { rule: string; phase: string }[]
    answered: { bytes: string; done: boolean }
  }[]
}

async function setUp(t: Test): Promise<{ url: string; session: Session; put: (steps: unknown) => Promise<Response> }> {
  const server = await launch()
  t.teardown(() => server.stop())
  const { url } = server
  const session = (await (await fetch(`${url}/_svc/probe/sessions`, { method: 'POST', body: '{}' })).json()) as Session
  const put = (steps: unknown): Promise<Response> =>
    fetch(`${url}/_svc/probe/sessions/${session.id}/steps`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(steps),
    })
  return { url, session, put }
}

const chat = (url: string, body: object): Promise<Response> =>
  fetch(`${url}/ai/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
    body: JSON.stringify(body),
  })

async function arrivalsOf(url: string, { id }: Session): Promise<Arrivals['arrivals']> {
  return ((await (await fetch(`${url}/_svc/probe/sessions/${id}/arrivals`)).json()) as Arrivals).arrivals
}

t.test('the provider of the path answers as the step says, and the probe sees the bytes', async t => {
  const { url, session, put } = await setUp(t)
  const stored = await put([
    { step: 3, content: true, script: [{ do: 'serve', step: { reply: { text: 'Served words.' } } }] },
    {
      step: 4,
      content: true,
      script: [{ do: 'serve', step: [{ reply: { text: 'First.' } }, { fail: 503, message: 'Later.' }] }],
    },
  ])
  t.equal(stored.status, 204)
  const ask = (step: number, more: object = {}): Promise<Response> =>
    chat(url, {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: `Hello ${session.field}-${step}` }],
      ...more,
    })
  const plain = (await (await ask(3)).json()) as { choices: { message: { content: string } }[] }
  t.equal(plain.choices[0]!.message.content, 'Served words.')
  const streamed = await (await ask(3, { stream: true })).text()
  t.match(streamed, /data: \[DONE\]/)
  t.equal([...streamed.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text).join(''), 'Served words.')
  t.match(await (await ask(4)).json(), { choices: [{ message: { content: 'First.' } }] })
  const failed = await ask(4)
  t.equal(failed.status, 503)
  t.match(await failed.json(), { error: { message: 'Later.' } })
  const arrivals = await arrivalsOf(url, session)
  t.strictSame(
    arrivals.map(({ step }) => step),
    ['3', '3', '4', '4'],
  )
  t.ok(arrivals.every(({ answered }) => answered.done))
  t.match(arrivals[0]!.answered.bytes, /^HTTP\/1\.1 200 OK\r\n[\s\S]*Served words\./)
  t.match(arrivals[1]!.answered.bytes, /data: \[DONE\]\n\n\r\n0\r\n\r\n$/)
})

t.test('what is served is in no record, and rules of the instance do not act on it', async t => {
  const { url, session, put } = await setUp(t)
  await put([{ step: 1, content: true, script: [{ do: 'serve', step: { reply: { text: 'Ours.' } } }] }])
  const rule = { match: { path: '/ai/**' }, then: { reply: { text: 'Of the instance.' } } }
  await fetch(`${url}/_svc/rules`, { method: 'POST', body: JSON.stringify(rule) })
  const answer = await chat(url, {
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: `Hello ${session.field}-1` }],
  })
  t.match(await answer.json(), { choices: [{ message: { content: 'Ours.' } }] })
  t.match(await (await fetch(`${url}/ai/requests`)).json(), { requests: [] })
  const captured = (await (await fetch(`${url}/_svc/requests`)).json()) as { requests?: { path?: string }[] }
  t.notOk(JSON.stringify(captured).includes('/ai/openai'))
  const usage = JSON.stringify(await (await fetch(`${url}/ai/usage`)).json())
  t.notMatch(usage, /gpt-4o-mini/)
})

t.test('violations of the vendor are kept with the arrival, at any level [STR-5]', async t => {
  const { url, session, put } = await setUp(t)
  const step = { reply: { text: 'Yes.' }, llm: { validation: 'warn' } }
  await put([{ step: 1, content: true, script: [{ do: 'serve', step }] }])
  const answer = await chat(url, {
    model: 'gpt-4o-mini',
    nonsense: true,
    messages: [{ role: 'user', content: `Hello ${session.field}-1` }],
  })
  t.equal(answer.status, 200)
  const [arrival] = await arrivalsOf(url, session)
  t.match(arrival!.violations, [
    { rule: 'openai.unknown-field', phase: 'shape', at: 'nonsense', confidence: 'reported' },
  ])
})

t.test('the marker is found behind a long text', async t => {
  const { url, session, put } = await setUp(t)
  await put([{ step: 9, content: true, script: [{ do: 'serve', step: { reply: { text: 'Long.' } } }] }])
  const answer = await chat(url, {
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: `${'word '.repeat(100_000)} ${session.field}-9` }],
  })
  t.match(await answer.json(), { choices: [{ message: { content: 'Long.' } }] })
})

t.test('a stream that is larger than the buffer of a connection is served to its end', async t => {
  const { url, session, put } = await setUp(t)
  const text = 'word '.repeat(10_000)
  const step = { reply: { text, stream: { ttft_ms: 0, tokens_per_second: 100_000 } } }
  await put([{ step: 1, content: true, script: [{ do: 'serve', step }] }])
  const answer = await chat(url, {
    model: 'gpt-4o-mini',
    stream: true,
    messages: [{ role: 'user', content: `Hello ${session.field}-1` }],
  })
  const events = await answer.text()
  const words = [...events.matchAll(/"content":"((?:word| )*)"/g)].map(([, piece]) => piece).join('')
  t.equal(words, text)
  t.match(events, /data: \[DONE\]\n\n$/)
})

t.test('a break in mid-stream breaks the connection', async t => {
  const { url, session, put } = await setUp(t)
  await put([
    {
      step: 1,
      content: true,
      script: [{ do: 'serve', step: { reply: { text: 'a b c d e f g h i j', stream: { break: 'disconnect@3' } } } }],
    },
  ])
  const answer = await chat(url, {
    model: 'gpt-4o-mini',
    stream: true,
    messages: [{ role: 'user', content: `Hello ${session.field}-1` }],
  })
  await t.rejects(answer.text())
})

t.test('deltas have the characters that the step says', async t => {
  const { url, session, put } = await setUp(t)
  const reply = { text: 'Ab 👍 defg', template: false, stream: { delta_chars: 3 } }
  t.equal((await put([{ step: 1, content: true, script: [{ do: 'serve', step: { reply } }] }])).status, 204)
  const content = `Hello ${session.field}-1`
  const answer = await chat(url, { model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content }] })
  const deltas = [...(await answer.text()).matchAll(/"content":"([^"]+)"/g)].map(([, text]) => text)
  t.strictSame(deltas, ['Ab ', '👍 ', 'def', 'g'])
  const isTemplate = { text: '{{prompt}}', stream: { delta_chars: 3 } }
  const refused = await put([{ step: 2, content: true, script: [{ do: 'serve', step: { reply: isTemplate } }] }])
  t.match(((await refused.json()) as { details: string }).details, /delta_chars needs template: false/)
})

t.test('requests to other routes than those of models are served, fail, or get no answer', async t => {
  const { url, session, put } = await setUp(t)
  const step = { reply: { text: 'Served.' } }
  const script = (more: object): object[] => [{ do: 'serve', step, ...more }]
  const stored = await put([
    { step: 1, content: true, script: script({}) },
    { step: 2, content: true, script: script({ others: 'unavailable' }) },
    { step: 3, content: true, script: script({ others: 'silent' }) },
  ])
  t.equal(stored.status, 204)
  const check = (number: number, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/guardrails/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: `Hello ${session.field}-${number}` }),
      signal: signal ?? null,
    })
  t.match(await (await check(1)).json(), { flagged: false })
  const failed = await check(2)
  t.equal(failed.status, 503)
  t.strictSame(await failed.json(), { error: 'unavailable' })
  await t.rejects(check(3, AbortSignal.timeout(300)))
  for (const number of [1, 2, 3]) {
    const messages = [{ role: 'user', content: `Hello ${session.field}-${number}` }]
    const answer = await chat(url, { model: 'gpt-4o-mini', messages })
    t.match(await answer.json(), { choices: [{ message: { content: 'Served.' } }] }, String(number))
  }
  const wrong = await put([{ step: 4, content: true, script: script({ others: 'slow' }) }])
  t.match(((await wrong.json()) as { details: string }).details, /others must be one of unavailable, silent/)
})

t.test('steps that no rule could have are refused with their place', async t => {
  const { put } = await setUp(t)
  const refused = async (step: unknown): Promise<string> => {
    const answer = await put([{ step: 1, content: true, script: [{ do: 'serve', step }] }])
    t.equal(answer.status, 400)
    return ((await answer.json()) as { details: string }).details
  }
  t.match(await refused({ replies: {} }), /item 0: "serve": step.replies: unknown key "replies"/)
  t.match(await refused({ fail: 99 }), /step.fail: expected a status from 400 to 599/)
  t.match(await refused([]), /1 to 20 steps/)
  t.match(await refused('x'), /expected the step of a rule, or null/)
})
