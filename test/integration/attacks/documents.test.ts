/**
 * Documents that show the base URL of the request: any client can make up another `Host`.
 * Measures: memory and processor time of a process.
 */
import t from 'tap'
import { ADMIN_TOKEN, attackedServer, attackWith, type Answer } from '../../support/attacked-server.ts'

const AT_ONCE = 10
const MAX_GROWN_MIB = 64
const MAX_WAIT_MS = 250

const DOCUMENTS = [
  '/openapi.json',
  '/openapi.yaml',
  '/',
  '/ai',
  '/.well-known/agent-card.json',
  '/.well-known/openid-configuration',
  '/mock/large/openapi.json',
  '/mock/large/openapi.yaml',
  '/export/postman.json',
  '/export/bruno.json',
  '/export/opencollection.yaml',
  '/export/har.json',
]

/** An OpenAPI document of about 800 KB. */
const LARGE = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'large', version: '1' },
  paths: Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      `/items${index}/{id}`,
      {
        get: {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: {
            200: {
              description: `Item: "${index}"\nwith 'quotes' and # signs\n`,
              content: {
                'application/json': {
                  example: Array.from({ length: 60 }, (_, id) => ({ id, name: `name ${id}: ${index}` })),
                },
              },
            },
          },
        },
      },
    ]),
  ),
})

for (const isPublic of [false, true])
  t.test(`a new Host for each request, ${isPublic ? 'public' : 'default'} mode [EVAL-4]`, async t => {
    const server = await attackedServer(t, { isPublic })
    const uploaded = await attackWith(`${server.url}/_svc/mocks/large`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-svc-admin-token': ADMIN_TOKEN },
      body: LARGE,
    })
    t.ok(uploaded.status === 200 || uploaded.status === 201, uploaded.text.slice(0, 200))
    let hosts = 0
    const ask = (path: string): Promise<Answer> =>
      attackWith(server.url + path, { method: 'GET', headers: { host: `host-${hosts++}.example` } })
    for (const path of DOCUMENTS) {
      const cost = await server.attack(AT_ONCE, () => ask(path))
      const what = `${path}: +${cost.grownMib} MiB, waits of ${cost.slowestWaitMs} ms, ${cost.cpuMs} ms in all`
      t.equal(cost.exit, null, what)
      t.ok(cost.grownMib < MAX_GROWN_MIB, what)
      t.ok(cost.slowestWaitMs < MAX_WAIT_MS, what)
      for (const result of cost.results) t.match(result, { status: 'fulfilled', value: { status: 200 } }, path)
    }
  })
