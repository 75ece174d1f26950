/** `$defs/demo` of svc.schema.json describes the files that `readDemo` takes (sheet demos, 2). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { readDemos } from '../../../plugins/demos/catalog/read-folder.ts'
import { readDemoText } from '../../../plugins/demos/file/demo-document.ts'
import { root } from '../../support/examples.ts'

const schema = JSON.parse(readFileSync(join(root, 'svc.schema.json'), 'utf8')) as { $defs: { demo: object } }
const accepts = new Ajv2020({ strict: false }).compile(schema.$defs.demo)

const HEAD = { demo: 'one', title: 'One', area: 'traffic', shows: 'One.', route: { path: '/anything/**' } }
const withStep = (step: object): object => ({ ...HEAD, steps: [{ title: 'First', ...step }] })

t.test('all demos that come with svc are valid', async t => {
  const { demos } = await readDemos(join(root, 'plugins', 'demos', 'demos'))
  t.ok(demos.length > 15)
  for (const { demo, value } of demos) t.ok(accepts(value), `${demo.demo}: ${JSON.stringify(accepts.errors)}`)
})

t.test('what the reader refuses for its keys, the schema refuses too', async t => {
  const wrong = [
    { ...HEAD, steps: [] },
    { ...withStep({}), area: 'trafic' },
    { ...withStep({}), demo: 'runs' },
    withStep({ sent: {} }),
    withStep({ send: { path: '/a', times: 0 } }),
    withStep({ send: { path: '/a', concurrency: 101 } }),
    withStep({ expect: [{ arrivals: { exacly: 1 } }] }),
    withStep({ expect: [{ events: { lag: 1 } }] }),
    withStep({ wait: { for_s: 61 } }),
    withStep({ chart: 'pie' }),
    withStep({ send: { path: '/a', certificate: 'other' } }),
    withStep({ send: { login: { path: '/a' } } }),
    { ...withStep({}), route: { path: '/a', login: { user: 'ada', injected: true } } },
    { ...withStep({}), files: { 'ca.pem': 'a' } },
  ]
  for (const value of wrong) {
    t.ok('problems' in readDemoText(JSON.stringify(value)), JSON.stringify(value))
    t.notOk(accepts(value), JSON.stringify(value))
  }
})

t.test('both take all kinds of traffic and of expectations', async t => {
  const right = [
    withStep({
      send: { llm: { prompt: 'a', format: 'anthropic', stream: true } },
      expect: [{ tokens: { equal: true } }],
    }),
    withStep({ send: { mcp: { do: ['list_tools', { call: 'add', arguments: {} }] } } }),
    withStep({ send: [{ a2a: { card: 'echo' } }, { websocket: { path: '/ws', messages: ['a'] } }] }),
    withStep({ send: { graphql: { query: '{ a }' } }, expect: [{ compare: { same: ['status'], rounds: 2 } }] }),
    withStep({ send: { agent: { client: 'codex', turns: 5 } }, expect: [{ agent: { completed: true, lost: [] } }] }),
    withStep({ expect: [{ cost: { header: 'x-cost', equal: true } }] }),
    withStep({
      send: { login: { issuer: 'full', user: 'ada', path: '/a', injected: true } },
      expect: [{ responses: { logins: 1 } }],
    }),
    { ...withStep({ send: { path: '/a', certificate: 'valid', server_name: 'a.example' } }), files: { 'a.pem': '/a' } },
    { ...withStep({}), route: { path: '/a', certificate: 'valid', login: { user: 'ada' } } },
    withStep({ send: { grpc: { service: 'a.A', method: 'B', message: [{ a: 1 }], metadata: { a: 1 }, web: true } } }),
    withStep({ send: { jsonrpc: { method: 'a' } }, expect: [{ capture: { id: 'json:/id' } }] }),
    withStep({
      ask: { text: 'a', optional: true },
      during: [{ at_ms: 5, remove: ['a'] }],
      expect: [{ responses: { 'header.a': 1 } }],
    }),
  ]
  for (const value of right) {
    t.ok('demo' in readDemoText(JSON.stringify(value)), JSON.stringify(readDemoText(JSON.stringify(value))))
    t.ok(accepts(value), JSON.stringify(accepts.errors))
  }
})
