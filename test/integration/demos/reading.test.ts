/** What is wrong with a demo is reported with its place, line and remedy (sheet demos, 2 and 10). */
import t from 'tap'
import { readDemoText } from '../../../plugins/demos/file/demo-document.ts'
import { withValues } from '../../../plugins/demos/file/read-demo.ts'
import { replaceReferences, scopeOf } from '../../../plugins/demos/file/references.ts'

const demo = (steps: string, head = ''): string =>
  `demo: one\ntitle: One\narea: traffic\nshows: One.\nroute: { path: /anything/** }\n${head}steps:\n  - title: First\n${steps}`

function problems(text: string): { at: string; details: string; line: number | null }[] {
  const read = readDemoText(text)
  return 'problems' in read ? read.problems : []
}

t.test('all mistakes are found, with the nearest names', async t => {
  const found = problems(
    demo(
      '    send: { path: "/a/{{rum}}" }\n    expect:\n      - { arrivals: { match: {}, exacly: 1 } }\n',
      'variables: { limit: 5 }\n',
    ).replace('area: traffic', 'area: trafic'),
  )
  t.match(found, [
    { at: 'area', line: 3 },
    { at: 'steps[0].send.path', details: 'unknown reference "rum" (did you mean "run"?)', line: 9 },
    { at: 'steps[0].expect[0].arrivals.exacly', details: 'unknown key "exacly" (did you mean "exactly"?)', line: 11 },
  ])
})

t.test('what excludes each other is a mistake', async t => {
  const wrong = (steps: string, details: RegExp): void => void t.match(problems(demo(steps))[0], { details })
  wrong('    send: { llm: { prompt: a }, mcp: { do: [ping] } }\n', /llm and mcp cannot be combined/)
  wrong('    send: { path: /a, llm: { prompt: a } }\n', /llm and path cannot be combined/)
  wrong('    expect: [{ arrivals: { exactly: 1, at_least: 1 } }]\n', /exactly and at_least cannot be combined/)
  wrong('    expect: [{ cost: { equal: true } }]\n', /expected a header that states the cost/)
  wrong('    send: { agent: { client: copilot } }\n', /expected one of claude-code, codex/)
  wrong('    send: { grpc: { service: "/a", method: A } }\n', /expected a full name such as svc.echo.v1.EchoService/)
  wrong('    send: { grpc: { service: a.A, method: A, metadata: { host: a } } }\n', /host is set by the client/)
  wrong('    expect: [{ arrivals: { lane: x } }]\n', /the demo has no lanes/)
  wrong('    send: { path: "/{{2.token}}" }\n', /unknown reference "2.token"/)
  wrong('    send: { path: /a, times: 10001 }\n', /from 1 to 10000/)
  wrong('    send: { path: /a, certificate: expird }\n', /expected one of valid, expired, self-signed/)
  wrong('    send: { path: /a, server_name: "a b" }\n', /expected a name such as api.example/)
  wrong('    send: { llm: { prompt: a }, certificate: valid }\n', /llm and certificate cannot be combined/)
  wrong('    send: { login: { path: /a } }\n', /expected/)
  wrong('    send: { login: { user: ada, path: a } }\n', /expected a path/)
})

t.test('a variable that no text uses is a warning', async t => {
  const read = readDemoText(demo('    send: { path: /a }\n', 'variables: { limit: 5 }\n'))
  t.match(read, { demo: { warnings: ['variables.limit: no text of the demo uses it'] } })
})

t.test('expectations hold for values of variables', async t => {
  const steps = (when: string): string =>
    `    send: { path: /a }\n    expect: [{ when: ${when}, responses: { status: 200 } }]\n`
  const head = 'variables: { fail: closed }\n'
  t.match(readDemoText(demo(steps('{ fail: open }'), head)), { demo: { warnings: [] } })
  t.match(problems(demo(steps('{ fial: open }'), head)), [
    { at: 'steps[0].expect[0].when.fial', details: 'unknown variable "fial" (did you mean "fail"?)' },
  ])
  t.match(problems(demo(steps('{ fail: [open] }'), head)), [{ at: 'steps[0].expect[0].when.fail' }])
})

t.test('values of variables have the type of the default', async t => {
  const variables = { limit: 5, by: 'x-key' }
  t.same(withValues(variables, { limit: '7', by: 'y' }), { limit: 7, by: 'y' })
  t.throws(() => withValues(variables, { limit: 'many' }), { at: 'set.limit', message: 'expected a number' })
  t.throws(() => withValues(variables, { limt: 1 }), { message: 'unknown key "limt" (did you mean "limit"?)' })
})

t.test('references keep their type, calculate, and leave those of rules', async t => {
  const scope = scopeOf({ run: 'abc', limit: 1000 })
  const given = {
    path: '/a/{run}',
    exactly: '{{limit}}',
    ms: '{{limit * 0.7}}',
    text: 'at {{limit}} of {run}',
    rules: [{ then: { respond: { body: '{{request.header.x-a}} {{count}} {{run}}' } } }],
  }
  t.same(replaceReferences(given, '', scope).value, {
    path: '/a/abc',
    exactly: 1000,
    ms: 700,
    text: 'at 1000 of {run}',
    rules: [{ then: { respond: { body: '{{request.header.x-a}} {{count}} abc' } } }],
  })
  t.throws(() => replaceReferences('{{request.method}}', 'at', scope), { message: /unknown reference/ })
})
