/**
 * `svc import` of MockServer: expectations answer as the original does (sheet distribution, 5.2).
 * Takes long: every expectation is imported and served.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import {
  differences,
  IMPORT_FIXTURES,
  importInto,
  send,
  serveImported,
  titleOf,
} from '../../support/imports/imported.ts'
import { MOCKSERVER_9_CASES, MOCKSERVER_CASES } from '../../support/imports/mockserver-cases.ts'
import { serve } from '../../support/server.ts'

t.test('expectations answer as those of MockServer', async t => {
  const imported = await importInto(t, [join(IMPORT_FIXTURES, 'mockserver'), '--closed', '--strict'])
  t.equal(imported.code, 0, imported.errors)
  t.match(imported.errors, /^expectations\.json:\d+:\d+: changed: \[38\]\.timeToLive: [^\n]+\n$/)
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  for (const one of MOCKSERVER_CASES) t.same(differences(one, await send(server.url, one)), [], titleOf(one))
})

t.test('expectations of version 9 answer as those of MockServer 9', async t => {
  const imported = await importInto(t, [join(IMPORT_FIXTURES, 'mockserver-9'), '--closed'])
  t.equal(imported.code, 0, imported.errors)
  t.same(
    imported.report().findings.map(finding => `${finding.severity} ${finding.at}`),
    ['changed [10].httpResponse.body.json', 'skipped [14].id'],
  )
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
  for (const one of MOCKSERVER_9_CASES) t.same(differences(one, await send(server.url, one)), [], titleOf(one))
})

t.test('what rules cannot express is found', async t => {
  const imported = await importInto(t, [join(IMPORT_FIXTURES, 'mockserver-odd')])
  t.equal(imported.code, 0)
  t.same(
    imported.report().findings.map(finding => `${finding.severity} ${finding.at}`),
    [
      'disabled [0].httpRequest.headers.X-.*',
      'disabled [1].httpRequest.body.xml',
      'disabled [2].httpRequest.body.xpath',
      'disabled [3].httpRequest.path',
      'disabled [4].httpRequest.body.jsonPath',
      'disabled [5].httpRequest.socketAddress',
      'disabled [6].httpResponseClassCallback',
      'disabled [7].httpResponseTemplate.template',
      'disabled [8].httpResponseTemplate.template',
      'disabled [9].httpResponseTemplate.template',
      'lost [10].httpResponse.statusCode',
      'lost [10].httpResponse.connectionOptions',
      'lost [10].httpResponse.trailers',
      'lost [11].httpError.responseBytes',
      'disabled [12].httpForward',
      'changed [13].httpResponse.body',
      'disabled [13].times.remainingTimes',
      'skipped [14]',
      'skipped [15]',
      'lost [16].unheard',
      'disabled [17].httpRequest.queryStringParameters.keyMatchStyle',
      'lost [18].httpSseResponse.events[0].id',
      'lost [18].httpSseResponse.events[0].retry',
      'disabled [19].httpRequest.body',
      'disabled [20].httpRequest.body',
      'disabled [21].namespace',
      'disabled [22].httpRequest.headers.X-N[0].schema',
      'lost [23].httpResponse.body.filePath',
      'disabled [24].steps',
      'lost [25].steps[0]',
      'disabled [26].httpLlmResponse.conversationPredicates',
      'changed [26].httpLlmResponse',
    ],
  )
  t.equal(imported.output, 'mockserver: 6 of 27 imported, 19 disabled, 2 changed, 9 lost, 2 skipped\n')
  const server = await serveImported(t, imported.folder)
  t.same(server.host.loadErrors, [])
})

t.test(
  'members of newer versions: lists of responses, events, replies of models, scenarios, forwarding and requests afterwards',
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-mockserver-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const target = await serve(t, { plugins: ['echo'], oneProcess: 'the target of an upstream' })
    const port = Number(new URL(target.url).port)
    const on = (path: string, rest: object): object => ({ httpRequest: { path }, ...rest })
    const bodies = (...texts: string[]): object[] => texts.map(body => ({ body }))
    const all = [
      { httpRequest: { not: true, path: '/.*' }, httpResponse: { body: 'never' } },
      on('/turns', { httpResponses: bodies('a', 'b') }),
      on('/switch', { httpResponses: bodies('a', 'b'), responseMode: 'SWITCH', switchAfter: 2 }),
      on('/random', { httpResponses: bodies('a', 'b', 'c'), responseMode: 'RANDOM' }),
      on('/weighted', { httpResponses: bodies('a', 'b'), responseMode: 'WEIGHTED', responseWeights: [0, 1] }),
      on('/events', { httpSseResponse: { events: [{ event: 'one', id: '1', data: 'first' }, { data: 'second' }] } }),
      on('/state', {
        scenarioName: 'gate',
        scenarioState: 'Started',
        newScenarioState: 'open',
        httpResponse: { body: 'opened' },
      }),
      on('/state', { scenarioName: 'gate', scenarioState: 'open', httpResponse: { body: 'is open' } }),
      on('/echo/forwarded', { httpForward: { host: '127.0.0.1', port, scheme: 'HTTP' } }),
      on('/echo/override', {
        httpOverrideForwardedRequest: {
          requestOverride: {
            headers: { 'X-Added': ['yes'] },
            socketAddress: { host: '127.0.0.1', port, scheme: 'HTTP' },
          },
        },
      }),
      on('/after', {
        httpResponse: { body: 'ok' },
        afterActions: [
          { httpRequest: { method: 'PUT', path: '/echo/after', headers: { Host: [`127.0.0.1:${port}`] } } },
        ],
      }),
      {
        httpRequest: { path: '/v1/chat/completions', body: { type: 'JSON', json: { model: 'gpt-4o' } } },
        httpLlmResponse: {
          provider: 'OPENAI',
          completion: { text: 'Hello.', usage: { inputTokens: 3, outputTokens: 2 } },
        },
      },
    ]
    writeFileSync(join(folder, 'new.json'), JSON.stringify(all))
    const imported = await importInto(t, [folder, '--strict'])
    t.same([imported.code, imported.report().findings.map(({ at }) => at)], [0, ['[11].httpLlmResponse']])
    const server = await serveImported(t, imported.folder)
    t.same(server.host.loadErrors, [])
    const body = async (path: string): Promise<string> => (await send(server.url, { path }))!.body
    const bodies_ = async (path: string, count: number): Promise<string[]> => {
      const found: string[] = []
      for (let number = 0; number < count; number++) found.push(await body(path))
      return found
    }
    t.same(await bodies_('/turns', 5), ['a', 'b', 'a', 'b', 'a'])
    t.same(await bodies_('/switch', 4), ['a', 'a', 'b', 'b'])
    t.same(new Set(await bodies_('/random', 40)), new Set(['a', 'b', 'c']))
    t.same(new Set(await bodies_('/weighted', 5)), new Set(['b']))
    t.equal(await body('/events'), 'id: 1\nevent: one\ndata: first\n\ndata: second\n\n')
    t.same(await bodies_('/state', 3), ['opened', 'is open', 'is open'])
    t.match(JSON.parse(await body('/echo/forwarded')), { path: '/echo/forwarded' })
    t.match(JSON.parse(await body('/echo/override')), { headers: { 'x-added': ['yes'] } })
    t.equal(await body('/after'), 'ok')
    t.match(await target.waitFor({ path: '/echo/after' }, 1), [{ method: 'PUT' }])
    const chat = await send(server.url, {
      method: 'POST',
      path: '/ai/openai/v1/chat/completions',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer sk-a' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    t.match(JSON.parse(chat!.body), {
      choices: [{ message: { content: 'Hello.' } }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    })
  },
)
