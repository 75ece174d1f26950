import { test } from 'node:test'
import assert from 'node:assert/strict'
import { startTestServer } from 'svc/testing'
import greeting from './index.ts'

test('the command passes its argument as an option', async () => {
  const result = await greeting.command!.run(['Ada'])
  assert.ok('serve' in result)
  assert.deepEqual(result.options, { name: 'Ada' })
  assert.deepEqual(await greeting.command!.run([]), { exitCode: 2 })
})

test('the route greets', async () => {
  await using server = await startTestServer({
    folders: [import.meta.dirname],
    plugins: ['greeting'],
    settings: { greeting: { name: 'Ben' } },
  })
  assert.deepEqual(await (await fetch(`${server.url}/greeting`)).json(), { greeting: 'Hello, Ben' })
})
