/** `Allow` lists the methods that the resource supports, also if one wildcard route serves several resources. */
import t from 'tap'
import { serve } from '../../support/server.ts'

const RESOURCES: readonly [path: string, allow: string | null][] = [
  ['/a2a/echo/v1/message:send', 'POST'],
  ['/a2a/echo/v1/tasks', 'GET, HEAD'],
  ['/a2a/echo/v1/tasks/7', 'GET, HEAD'],
  ['/a2a/echo/v1/tasks/7:cancel', 'POST'],
  ['/a2a/echo/v1/tasks/a%2Fb:cancel', 'POST'],
  ['/a2a/echo/v1/tasks/7:subscribe', 'GET, HEAD, POST'],
  ['/a2a/echo/v1/tasks/7/pushNotificationConfigs', 'GET, HEAD, POST'],
  ['/a2a/echo/v1/tasks/7/pushNotificationConfigs/c', 'DELETE, GET, HEAD'],
  ['/a2a/echo/v1/nothing', null],
  ['/a2a/echo', 'GET, HEAD, POST'],
  ['/a2a/echo/', 'GET, HEAD, POST'],
  ['/a2a/jwks.json', 'GET, HEAD'],
  ['/ai/gemini/v1beta/models', 'GET, HEAD'],
  ['/ai/gemini/v1beta/models/gemini-2.5-flash', 'GET, HEAD'],
  ['/ai/gemini/v1beta/models/gemini-2.5-flash:generateContent', 'POST'],
  ['/ai/gemini/v1beta/models/gemini-2.5-flash%3AgenerateContent', 'POST'],
]

t.test('Allow lists only methods that the path supports [PIPE-12]', async t => {
  const server = await serve(t, { plugins: ['a2a', 'llm-gemini'] })
  for (const [path, allow] of RESOURCES) {
    const options = await fetch(server.url + path, { method: 'OPTIONS' })
    const listed = options.headers.get('allow')?.split(', ').toSorted().join(', ') ?? null
    t.equal(listed, allow, `OPTIONS ${path}`)
    t.equal(options.status, allow === null ? 404 : 405, path)
    for (const method of listed?.split(', ') ?? [])
      t.not((await fetch(server.url + path, { method })).status, 405, `${method} ${path}`)
  }
})
