import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer, type TestServer } from 'svc/testing'

let server: TestServer
before(async () => {
  server = await startTestServer({ folders: [import.meta.dirname], plugins: ['guardrail-code-names'] })
})
after(() => server.stop())

const check = async (text: string): Promise<string> =>
  (await fetch(`${server.url}/guardrails/check`, { method: 'POST', body: text })).text()

test('code names are blocked', async () => {
  assert.match(await check('We ship Project Bluebird on Monday'), /code-names|acme-code-names/)
  assert.doesNotMatch(await check('We ship on Monday'), /code-names/)
})

test('badge numbers are personal data, with positions in characters', async () => {
  const report = await check('👋 my badge is ACME-123456')
  assert.match(report, /AcmeBadge/)
  assert.match(report, /"start":14,"end":25/)
})
