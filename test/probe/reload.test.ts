/** A probe session while the code of the plugin is replaced. */
import t from 'tap'
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/examples.ts'
import { serve } from '../support/server.ts'

interface Session {
  id: string
  nonce: string
  field: string
}

t.test('a session keeps its tap and the scripts of its steps when the code is replaced', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-probe-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, 'plugins', 'probe'), join(folder, 'probe'), { recursive: true })
  const { url } = await serve(t, { builtinFolder: folder })
  const opened = await fetch(`${url}/_svc/probe/sessions`, { method: 'POST', body: '{}' })
  const session = (await opened.json()) as Session
  const sessionUrl = `${url}/_svc/probe/sessions/${session.id}`
  const answer = (text: string): object[] => [
    { do: 'receive' },
    { do: 'bytes', bytes: `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}` },
    { do: 'keep' },
  ]
  const put = (steps: object[]): Promise<Response> =>
    fetch(`${sessionUrl}/steps`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(steps),
    })
  const ask = async (step: number): Promise<string> => (await fetch(`${url}/probe/${session.nonce}/hdr/${step}`)).text()
  t.equal(
    (
      await put([
        { step: 1, script: answer('one') },
        { step: 2, script: answer('two') },
      ])
    ).status,
    204,
  )
  t.equal(await ask(1), 'one')

  appendFileSync(join(folder, 'probe', 'index.ts'), '\nexport const isNewer = true\n')
  const reloaded = await fetch(`${url}/_svc/reload?force=true`, { method: 'POST' })
  t.equal(reloaded.status, 200)
  t.equal(await ask(2), 'two', 'a script that the newer code never got')
  t.equal(await ask(1), 'one')
  t.equal((await put([{ step: 3, script: answer('three') }])).status, 204, 'the session is the same')
  t.equal(await ask(3), 'three')
  const { arrivals } = (await (await fetch(`${sessionUrl}/arrivals`)).json()) as { arrivals: { step: string }[] }
  t.strictSame(
    arrivals.map(({ step }) => step),
    ['2', '1', '3'],
  )

  t.equal((await fetch(sessionUrl, { method: 'DELETE' })).status, 204)
  t.equal((await fetch(`${url}/probe/${session.nonce}/hdr/2`)).status, 404)
})
