/** States, blocking sends, canceling, subscriptions and streams, in both versions and bindings. */
import t from 'tap'
import { Caller, COMBINATIONS, eventsOf, type Json, nameOf, reasonOf, stateOf } from '../../support/a2a.ts'
import { serve } from '../../support/server.ts'

const { url } = await serve(t)
const slow = { metadata: { stepDelayMs: 5000 }, immediately: true }
const fast = { metadata: { stepDelayMs: 0 } }

async function accessToken(): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from('svc:svc-secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** Agent, messages to the same task, the state after each, and the artifacts at the end. */
const TABLE: readonly [agent: string, texts: string[], states: string[], artifacts: string[]][] = [
  ['echo', ['hello'], ['COMPLETED'], ['echo']],
  ['weather', ['What is the weather in Utrecht?'], ['COMPLETED'], ['forecast']],
  [
    'travel-planner',
    ['A 1-day trip to Ghent'],
    ['COMPLETED'],
    ['itinerary', 'itinerary-json', 'route-map', 'boarding-pass'],
  ],
  ['approval', ['please'], ['INPUT_REQUIRED'], []],
  ['approval', ['approve'], ['INPUT_REQUIRED'], []],
  ['approval', ['please', 'approve'], ['INPUT_REQUIRED', 'COMPLETED'], ['decision']],
  ['approval', ['please', 'no, do not approve'], ['INPUT_REQUIRED', 'COMPLETED'], ['decision']],
  ['approval', ['please', 'perhaps', 'YES!'], ['INPUT_REQUIRED', 'INPUT_REQUIRED', 'COMPLETED'], ['decision']],
  ['flaky', ['try'], ['FAILED'], []],
  ['flaky', ['please SUCCEED'], ['COMPLETED'], ['result']],
  ['secure', ['who am I'], ['AUTH_REQUIRED'], []],
  ['secure', ['who am I', 'again'], ['AUTH_REQUIRED', 'AUTH_REQUIRED'], []],
  ['reject', ['hello'], ['REJECTED'], []],
]

for (const how of COMBINATIONS) {
  const caller = new Caller(url, how)

  t.test(`agents pass through their states in ${how.name} [A2A-6]`, async t => {
    for (const [agent, texts, states, artifacts] of TABLE) {
      let task: Json | undefined
      const seen: string[] = []
      for (const text of texts) {
        task = await caller.send(agent, text, { ...fast, ...(task ? { taskId: task.id } : {}) })
        seen.push(stateOf(task))
      }
      t.same(seen, states, `${agent}: ${texts.join(', ')}`)
      t.same(
        (task?.artifacts ?? []).map(({ artifactId }: Json) => artifactId),
        artifacts,
      )
    }
    for (const direct of [
      await caller.send('echo', '  MSG: hi'),
      await caller.send('echo', 'hi', { metadata: { reply: 'message' } }),
    ]) {
      t.ok(direct.messageId && direct.contextId, 'a direct message')
      t.notOk(direct.taskId)
    }
    const waiting = await caller.send('secure', 'who')
    const headers = { Authorization: `bearer ${await accessToken()}` }
    const done = await caller.send('secure', 'who', { taskId: waiting.id, headers })
    t.equal(stateOf(done), 'COMPLETED')
    t.match(JSON.stringify(done.artifacts), '"authenticated":true')
    const refused = await caller.send('secure', 'who', { headers: { Authorization: 'Bearer nonsense' } })
    t.match(JSON.stringify(refused.status), /refused.*\/oauth\/token/)
  })

  t.test(`a send waits unless configured otherwise in ${how.name} [A2A-10]`, async t => {
    const isRest3 = !caller.isV1 && !caller.isRpc
    const send = async (configuration: unknown) => {
      const { configuration: _none, ...params } = caller.params('x', fast)
      const body = configuration === undefined ? params : { ...params, configuration }
      const reply = caller.isRpc
        ? await caller.rpc('weather', caller.isV1 ? 'SendMessage' : 'message/send', body)
        : await caller.http('POST', '/a2a/weather/v1/message:send', body)
      return stateOf(caller.taskOf(reply.body))
    }
    t.equal(await send(undefined), 'COMPLETED')
    t.equal(await send({}), isRest3 ? 'SUBMITTED' : 'COMPLETED')
    t.equal(await send(caller.isV1 ? { returnImmediately: true } : { blocking: false }), 'SUBMITTED')
    t.equal(await send(caller.isV1 ? { return_immediately: false } : { blocking: true }), 'COMPLETED')
  })

  t.test(`a task can be canceled once, before it ends, in ${how.name} [A2A-12]`, async t => {
    const working = async () => {
      const task = await caller.send('travel-planner', 'x', { metadata: { stepDelayMs: 5000 }, immediately: true })
      return task
    }
    const phases: Record<string, () => Promise<{ agent: string; id: string }>> = {
      SUBMITTED: async () => ({ agent: 'travel-planner', id: (await working()).id }),
      WORKING: async () => {
        const response = await caller.request('flaky', 'x', { metadata: { stepDelayMs: 300 } }, true)
        const reader = response.body!.getReader()
        let text = ''
        while (!/working/i.test(text)) text += Buffer.from((await reader.read()).value ?? new Uint8Array()).toString()
        await reader.cancel()
        return { agent: 'flaky', id: /"id":"([0-9a-f-]{36})"/.exec(text)![1]! }
      },
      INPUT_REQUIRED: async () => ({ agent: 'approval', id: (await caller.send('approval', 'x', fast)).id }),
      AUTH_REQUIRED: async () => ({ agent: 'secure', id: (await caller.send('secure', 'x', fast)).id }),
    }
    for (const [phase, reach] of Object.entries(phases)) {
      const { agent, id } = await reach()
      const replies = await Promise.all([caller.cancel(agent, id), caller.cancel(agent, id)])
      t.equal(replies.filter(reply => reasonOf(reply) === 'TASK_NOT_CANCELABLE').length, 1, `${phase}: one of two`)
      t.equal(stateOf(caller.taskOf(replies.find(reply => reasonOf(reply) === undefined)!.body)), 'CANCELED')
      t.equal(stateOf(caller.taskOf((await caller.get(agent, id)).body)), 'CANCELED')
    }
  })

  t.test(`streams and subscriptions have the same events in ${how.name} [A2A-13, A2A-14]`, async t => {
    const events = await caller.stream('travel-planner', 'A 2-day trip to Ghent', fast)
    t.same(events.map(nameOf), [
      'task',
      'WORKING',
      'itinerary',
      'WORKING',
      'itinerary',
      'itinerary',
      'itinerary',
      'itinerary-json',
      'route-map',
      'boarding-pass',
      'COMPLETED',
    ])
    t.same((await caller.stream('echo', 'msg: x')).map(nameOf), ['message'])
    const task = await caller.send('approval', 'x', fast)
    const [one, two] = await Promise.all([caller.subscribe('approval', task.id), caller.subscribe('approval', task.id)])
    t.match(one.headers.get('content-type'), 'text/event-stream')
    t.equal(one.headers.get('a2a-version'), how.generation)
    await caller.send('approval', 'approve', { ...fast, taskId: task.id })
    const [first, second] = [await one.text(), await two.text()]
    t.same(eventsOf(first).map(nameOf), ['task', 'WORKING', 'decision', 'COMPLETED'])
    t.equal(second, first)
    const late = await caller.subscribe('approval', task.id)
    const text = await late.text()
    if (caller.isV1) t.match(text, 'UNSUPPORTED_OPERATION')
    else t.same(eventsOf(text).map(nameOf), ['task'])
  })
}

t.test('five hundred tasks at once keep their streams whole and in order [A2A-14]', async t => {
  const caller = new Caller(url, COMBINATIONS[0]!, 'crowd')
  const streams = await Promise.all(
    Array.from({ length: 500 }, () =>
      caller.stream('travel-planner', 'A 3-day trip to Ghent', { metadata: { stepDelayMs: 10 } }),
    ),
  )
  const expected = [
    'task',
    'WORKING',
    'itinerary',
    'WORKING',
    'itinerary',
    'itinerary',
    'itinerary',
    'itinerary',
    'itinerary-json',
    'route-map',
    'boarding-pass',
    'COMPLETED',
  ].join()
  t.equal(streams.filter(events => events.map(nameOf).join() === expected).length, 500)
  t.equal(new Set(streams.map(([first]) => first?.task.id)).size, 500)
  t.equal(
    streams.filter(([first, ...rest]) =>
      rest.every(event => (event.statusUpdate ?? event.artifactUpdate).taskId === first?.task.id),
    ).length,
    500,
  )
})

t.test(
  'too many running tasks are refused, and a message to one at work changes nothing but the history [A2A-9, A2A-25]',
  async t => {
    const caller = new Caller(url, COMBINATIONS[0]!, 'busy')
    const tasks = await Promise.all(Array.from({ length: 500 }, () => caller.send('flaky', 'x', slow)))
    t.equal(reasonOf(await caller.rpc('flaky', 'SendMessage', caller.params('x'))), 'RESOURCE_EXHAUSTED')
    t.match(await caller.http('POST', '/a2a/flaky/v1/message:send', caller.params('x')), {
      status: 429,
      body: { error: { status: 'RESOURCE_EXHAUSTED' } },
    })
    const again = await caller.send('flaky', 'more', { taskId: tasks[0]!.id, immediately: true })
    t.equal(stateOf(again), 'SUBMITTED')
    t.equal(again.history.length, 2)
    for (const { id } of tasks) await caller.cancel('flaky', id)
    t.equal(stateOf(await caller.send('flaky', 'x', fast)), 'FAILED')
  },
)
