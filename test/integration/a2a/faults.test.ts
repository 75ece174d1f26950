/** Faults of `X-Svc-A2A-Fail`, in all bindings. */
import t from 'tap'
import { Caller, COMBINATIONS, eventsOf, type Json, nameOf, reasonOf, stateOf } from '../../support/a2a.ts'
import { GrpcCaller, grpcMessage, struct } from '../../support/a2a-grpc-client.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

t.setTimeout(600_000)

const { url, ports } = await serve(t, { plugins: ['a2a', 'a2a-grpc', 'grpc', 'identity'] })
const callers = COMBINATIONS.map(how => new Caller(url, how))
const [rpc, http] = callers as [Caller, Caller]
const grpc = new GrpcCaller(`127.0.0.1:${ports.grpc}`, { 'x-svc-session': 'grpc' })
t.teardown(() => grpc.close())

const fail = (list: string) => ({ headers: { 'X-Svc-A2A-Fail': list } })
const fast = { stepDelayMs: 0 }
/** The error of a response, in either binding. */
const errorOf = async (response: Response): Promise<Json> => {
  const body = (await response.json()) as Json
  return { ...body.error, details: body.error.data ?? body.error.details }
}

t.test(
  'requests are refused like those without a token, with an expired one, or by a broken agent [A2A-43]',
  async t => {
    for (const caller of callers) {
      const missing = await caller.request('echo', 'x', fail('401'))
      t.equal(missing.status, 401)
      t.equal(missing.headers.get('www-authenticate'), 'Bearer realm="svc-a2a"')
      t.equal(missing.headers.get('x-svc-fault'), 'a2a')
      const expired = await caller.request('echo', 'x', fail('expired'))
      t.match(expired.headers.get('www-authenticate'), /error="invalid_token"/)
      t.match(await errorOf(expired), { details: [{ reason: 'UNAUTHENTICATED' }] })
      const broken = await caller.request('echo', 'x', fail('rpc-error'))
      t.equal(broken.status, caller.isRpc ? 200 : 500)
      t.match(await errorOf(broken), { message: 'injected', details: [{ reason: 'INTERNAL' }] })
    }
    const code = (kind: string) =>
      grpc.call('SendMessage', { message: grpcMessage('x') }, { 'x-svc-a2a-fail': kind }).catch(error => error.code)
    t.same([await code('401'), await code('expired'), await code('rpc-error')], [16, 16, 13])
    const metrics = await (await fetch(`${url}/_svc/metrics`)).text()
    t.match(metrics, /svc_faults_injected_total\{[^}]*kind="a2a"[^}]*\} [1-9]/)
  },
)

t.test('responses have another id, half of their JSON, or a redirect [A2A-43]', async t => {
  for (const caller of callers) {
    const half = await caller.request('echo', 'x', fail('bad-json'))
    const text = await half.text()
    t.equal(Number(half.headers.get('content-length')), text.length)
    t.throws(() => JSON.parse(text) as unknown)
    const [event] = (await (await caller.request('weather', 'x', fail('bad-sse'), true)).text()).split('\n')
    t.match(event, /^data: \{/)
    t.throws(() => JSON.parse(event!.slice(6)) as unknown)
    const redirect = await fetch(`${url}/a2a/echo${caller.isRpc ? '' : '/v1/tasks'}?x=1`, {
      method: caller.isRpc ? 'POST' : 'GET',
      redirect: 'manual',
      ...(caller.isRpc
        ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: caller.isV1 ? 'GetTask' : 'tasks/get' }) }
        : {}),
      headers: caller.headers(fail('redirect').headers),
    })
    t.equal(redirect.status, 307)
    t.match(redirect.headers.get('location'), /\/a2a\/echo(\/v1\/tasks)?\?x=1&again=1$/)
    const followed = await caller.request('echo', 'x', fail('redirect'))
    t.equal(followed.status, 200)
    t.ok(followed.redirected)
    t.equal(stateOf(caller.taskOf((await followed.json()) as Json)), 'COMPLETED')
  }
  const other = await rpc.rpc('echo', 'SendMessage', rpc.params('x'), fail('wrong-id').headers)
  t.equal(other.body.id, 1001)
  t.equal(stateOf(other.body.result.task), 'COMPLETED')
  const wrongIds = await (await rpc.request('weather', 'x', fail('wrong-id'), true)).text()
  t.notMatch(wrongIds, /"id":1,/)
  t.equal((await http.request('echo', 'x', fail('wrong-id'))).headers.get('x-svc-fault'), null, 'it has no ids')
  const halves = await (await rpc.request('weather', 'x', { ...fail('bad-json'), metadata: fast }, true)).text()
  t.equal(halves.match(/^data: /gm)?.length, 4)
  t.throws(() => eventsOf(halves))
})

const names = async (response: Response): Promise<string[]> => eventsOf(await response.text()).map(nameOf)

t.test('events of a stream are dropped, repeated and reordered [A2A-44]', async t => {
  const all = ['task', 'WORKING', 'forecast', 'COMPLETED']
  for (const caller of callers) {
    const stream = async (kind: string) =>
      names(await caller.request('weather', 'x', { ...fail(kind), metadata: fast }, true))
    t.same(await stream('no-final'), all.slice(0, 3))
    t.same(await stream('double-final'), [...all, 'COMPLETED'])
    t.same(await stream('reorder'), ['WORKING', 'forecast', 'task', 'COMPLETED'])
    t.same(await stream('cut@5'), all, 'the stream has fewer events')
    const wrong = await caller.stream('weather', 'x', { ...fail('wrong-context'), metadata: fast })
    const contexts = wrong.map(event =>
      event.kind === 'task'
        ? event.contextId
        : (event.task ?? event.statusUpdate ?? event.artifactUpdate ?? event).contextId,
    )
    t.same(new Set(contexts.slice(1)), new Set([`${contexts[0]}-other`]))
    t.same(await names(await caller.request('reject', 'x', { ...fail('reorder'), metadata: fast }, true)), [
      'REJECTED',
      'task',
    ])
  }
  const message = grpcMessage('x', { metadata: struct({ ...fast, 'svc.fail': 'double-final' }) })
  const { messages, code } = await grpc.stream('SendStreamingMessage', { tenant: 'weather', message })
  const { initial } = await grpc.call('SendMessage', { message: grpcMessage('x') }, { 'x-svc-a2a-fail': 'push-drop' })
  t.same(initial.get('x-svc-fault'), ['a2a'])
  t.equal(code, 0)
  t.same(
    messages.map(({ payload }) => payload),
    ['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate', 'statusUpdate'],
  )
})

t.test('the connection of a stream breaks or stalls after some events, and the task continues [A2A-44]', async t => {
  for (const caller of callers) {
    for (const [list, count] of [
      ['cut', 1],
      ['cut@2', 2],
      ['stall@3', 3],
    ] as const) {
      const response = await caller.request('weather', 'x', { ...fail(list), metadata: fast }, true)
      let text = ''
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      const read = async (): Promise<void> => {
        for (;;) {
          const { value, done } = await reader.read()
          if (done) return
          text += value
        }
      }
      if (list.startsWith('cut')) await t.rejects(read(), 'the connection breaks')
      else {
        void read().catch(() => {})
        await until(() => eventsOf(text).length === count)
        const id = caller.taskOf(eventsOf(text)[0]).id
        await until(async () => stateOf(caller.taskOf((await caller.get('weather', id)).body)) === 'COMPLETED')
        await reader.cancel()
      }
      const events = eventsOf(text)
      t.equal(events.length, count, list)
      const { id } = caller.taskOf(events[0])
      await until(async () => stateOf(caller.taskOf((await caller.get('weather', id)).body)) === 'COMPLETED')
    }
  }
  const broken = await grpc.stream(
    'SendStreamingMessage',
    { tenant: 'weather', message: grpcMessage('x', { metadata: struct(fast) }) },
    { 'x-svc-a2a-fail': 'cut@2' },
  )
  t.same([broken.messages.length, broken.code], [2, 14])
})

t.test('a task works until it is canceled, and occupies no agent [A2A-45]', async t => {
  for (const caller of callers) {
    const task = await caller.send('echo', 'msg: x', { ...fail('never-settles'), immediately: true })
    await until(async () => stateOf(caller.taskOf((await caller.get('echo', task.id)).body)) === 'WORKING')
    const more = await caller.send('echo', 'more', { taskId: task.id, contextId: task.contextId, immediately: true })
    t.equal(stateOf(more), 'WORKING')
    const subscribed = await caller.subscribe('echo', task.id)
    const events = names(subscribed)
    t.equal(stateOf(caller.taskOf((await caller.cancel('echo', task.id)).body)), 'CANCELED')
    t.same(await events, ['task', 'CANCELED'])
  }
  // More than may be running at once.
  const sent = await Promise.all(
    Array.from({ length: 510 }, () => rpc.send('echo', 'x', { ...fail('never-settles'), immediately: true })),
  )
  t.same(
    sent.filter(({ id }) => typeof id !== 'string'),
    [],
  )
  t.equal(stateOf(await rpc.send('echo', 'x')), 'COMPLETED')
})

t.test('a task vanishes after reads, from lists too [A2A-45]', async t => {
  for (const caller of callers) {
    const { id } = await caller.send('echo', 'x', { metadata: { 'svc.ignored': 1 }, ...fail('vanish@2') })
    t.equal((await caller.get('echo', id)).status, 200)
    t.equal(stateOf(caller.taskOf((await caller.get('echo', id)).body)), 'COMPLETED')
    const gone = await caller.get('echo', id)
    t.equal(reasonOf(gone), 'TASK_NOT_FOUND')
    t.equal(gone.headers.get('x-svc-fault'), 'a2a')
    t.equal(reasonOf(await caller.cancel('echo', id)), 'TASK_NOT_FOUND')
    if (!caller.isV1) continue
    const listed = caller.isRpc
      ? (await caller.rpc('echo', 'ListTasks', {})).body.result
      : (await caller.http('GET', '/a2a/echo/v1/tasks')).body
    t.notOk(listed.tasks.some((task: Json) => task.id === id))
  }
  const { id } = await rpc.send('echo', 'x')
  t.ok((await rpc.rpc('echo', 'GetTask', { id }, fail('vanish').headers)).body.result, 'a read may ask for it too')
  t.equal(reasonOf(await rpc.rpc('echo', 'GetTask', { id })), 'TASK_NOT_FOUND')
})

t.test('the state of a task flaps until it ends [A2A-45]', async t => {
  for (const caller of callers) {
    const { id, contextId } = await caller.send('approval', 'x', { ...fail('flap'), metadata: fast })
    const seen: string[] = []
    for (let read = 0; read < 3; read++) {
      const reply = await caller.get('approval', id)
      t.equal(reply.headers.get('x-svc-fault'), 'a2a')
      seen.push(stateOf(caller.taskOf(reply.body)))
    }
    t.same(seen, ['WORKING', 'SUBMITTED', 'WORKING'])
    await caller.send('approval', 'approve', { taskId: id, contextId, metadata: fast })
    t.equal(stateOf(caller.taskOf((await caller.get('approval', id)).body)), 'COMPLETED')
  }
})

t.test('a task has a huge artifact, which is not in lists [A2A-45]', async t => {
  const size = 20 * 2 ** 20
  const lengthOf = (task: Json) => task.artifacts.find((one: Json) => one.artifactId === 'huge').parts[0].text.length
  for (const caller of [rpc, http]) {
    const sent = await caller.send('echo', 'x', fail('huge'))
    t.equal(lengthOf(sent), size)
    const read = await caller.get('echo', sent.id)
    t.equal(lengthOf(caller.taskOf(read.body)), size)
    t.equal(read.headers.get('x-svc-fault'), 'a2a')
    const events = await caller.stream('echo', 'x', fail('huge'))
    t.same(events.map(nameOf), ['task', 'echo', 'huge', 'COMPLETED'])
    t.equal(events[2].artifactUpdate.artifact.parts[0].text.length, size)
  }
  const listed = await rpc.rpc('echo', 'ListTasks', { includeArtifacts: true, pageSize: 1 })
  t.same(
    listed.body.result.tasks[0].artifacts.map((one: Json) => one.artifactId),
    ['echo'],
  )
  const tooLarge = await grpc
    .call('SendMessage', { message: grpcMessage('x') }, { 'x-svc-a2a-fail': 'huge' })
    .catch(error => error.code)
  t.equal(tooLarge, 8, 'clients receive 4 MiB by default')
})

t.test('in public mode the artifact is smaller [A2A-45]', async t => {
  const { url } = await serve(t, { plugins: ['a2a', 'identity'], env: { SVC_PUBLIC_MODE: 'true' } })
  const task = await new Caller(url, COMBINATIONS[0]!).send('echo', 'x', fail('huge'))
  t.equal(task.artifacts.at(-1).parts[0].text.length, 2 ** 20)
})

t.test('a fault begins with a request of a caller, and the first that acts is the one [A2A-47]', async t => {
  const at = async (session: string, list: string) => {
    const caller = new Caller(url, COMBINATIONS[0]!, session)
    const { body } = await caller.rpc('echo', 'SendMessage', caller.params('x'), fail(list).headers)
    return body.error ? body.error.message : body.id
  }
  t.same([await at('n', 'rpc-error@3'), await at('n', 'rpc-error@3'), await at('n', 'rpc-error@3')], [1, 1, 'injected'])
  t.equal(await at('other', 'rpc-error@3'), 1)
  t.equal(await at('two', 'rpc-error@2, wrong-id'), 1001)
  t.equal(await at('two', 'rpc-error@2, wrong-id'), 'injected')
  const outcomes = await Promise.all(Array.from({ length: 60 }, () => at('half', 'rpc-error:50')))
  t.same(new Set(outcomes), new Set([1, 'injected']))
  await fetch(`${url}/_svc/reset?kinds=a2a&scope=session`, { method: 'POST', headers: { 'X-Svc-Session': 'n' } })
  t.equal(await at('n', 'rpc-error@3'), 1, 'a reset forgets the counts')
})

t.test('faults that cannot be read are refused with what was probably meant [A2A-47]', async t => {
  const rows: [list: string, metadata: object][] = [
    ['wrong-idd', { got: 'wrong-idd', did_you_mean: 'wrong-id' }],
    ['stall@0', { got: 'stall@0', expected: '@n must be 1 to 10000' }],
    ['stall@10001', { expected: '@n must be 1 to 10000' }],
    ['401:0', { expected: 'the percentage must be 1 to 100' }],
    [':50', { got: ':50' }],
    ['', { got: '' }],
    ['401,401,401,401,401,401', { expected: 'at most 5 faults' }],
  ]
  for (const [list, metadata] of rows)
    for (const caller of callers) {
      const response = await caller.request('echo', 'x', { metadata: { 'svc.fail': list } }).then(async first => {
        // The metadata of the request is not that of the message.
        t.equal(first.status, 200)
        return caller.request('echo', 'x', fail(list))
      })
      t.equal(response.status, 400, list)
      const error = await errorOf(response)
      t.match(error, {
        message: 'Unknown fault',
        details: [
          { reason: 'UNKNOWN_FAULT', metadata: { ...metadata, header: 'X-Svc-A2A-Fail', kinds: /^401,expired/ } },
          { fieldViolations: [{ field: 'X-Svc-A2A-Fail' }] },
        ],
      })
      t.equal(error.code, caller.isRpc ? -32602 : 400)
    }
  const inMessage = (value: unknown) => {
    const params = rpc.params('x')
    return rpc.rpc('echo', 'SendMessage', {
      ...params,
      message: { ...params.message, metadata: { 'svc.fail': value } },
    })
  }
  t.equal((await inMessage('rpc-error')).body.error.message, 'injected')
  t.match((await inMessage(5)).body.error, { code: -32602, data: [{ metadata: { got: '5' } }] })
  const refused = await grpc
    .call('SendMessage', { message: grpcMessage('x') }, { 'x-svc-a2a-fail': 'nope' })
    .catch(error => error)
  t.match(refused, { code: 3, details: 'Unknown fault' })
})

t.test('cards, the directory and sinks ignore faults [A2A-47]', async t => {
  for (const [method, path] of [
    ['GET', '/a2a'],
    ['GET', '/a2a/echo/.well-known/agent-card.json'],
    ['GET', '/a2a/echo/v1/card'],
    ['GET', '/a2a/webhook-sink/ignored'],
    ['POST', '/a2a/webhook-sink/ignored'],
  ] as const) {
    const response = await fetch(url + path, { method, headers: fail('401').headers })
    t.equal(response.status, 200, path)
    t.equal(response.headers.get('x-svc-fault'), null)
  }
})
