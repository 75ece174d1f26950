/** Records belong to their owner: a name or an id that somebody else uses neither shows nor replaces theirs. */
import t from 'tap'
import { createOwnedRecords, type StoredRecord } from '../../../plugins/llm/state/owned-records.ts'
import { pluginState } from '../../support/plugin-state.ts'
import { serveLlm } from '../../support/llm-formats.ts'

interface Answer {
  status: number
  json: { file?: { name: string; sizeBytes: string; displayName?: string } }
}

const upload = async (url: string, session: string, displayName: string, content: string): Promise<Answer> => {
  const description = JSON.stringify({ file: { name: 'files/shared-name', displayName } })
  const body = `--b\r\nContent-Type: application/json\r\n\r\n${description}\r\n--b\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--b--\r\n`
  const response = await fetch(`${url}/ai/gemini/upload/v1beta/files`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/related; boundary=b', 'X-Svc-Session': session },
    body,
  })
  return { status: response.status, json: (await response.json()) as Answer['json'] }
}
const named = async (url: string, session: string): Promise<object> => {
  const response = await fetch(`${url}/ai/gemini/v1beta/files/shared-name`, { headers: { 'X-Svc-Session': session } })
  return (await response.json()) as object
}

t.test('in public mode, sessions upload files of the same name, each its own [LLMN-205]', async t => {
  const { url } = await serveLlm(t, { env: { SVC_PUBLIC_MODE: 'true' } })
  t.match(await upload(url, 'one', 'of one', 'secret'), { status: 200, json: { file: { displayName: 'of one' } } })
  const other = await upload(url, 'other', 'of the other', 'own content')
  t.match(other, { status: 200, json: { file: { displayName: 'of the other', sizeBytes: '11' } } })
  t.match(await named(url, 'one'), { displayName: 'of one', sizeBytes: '6' })
  t.match(await named(url, 'other'), { displayName: 'of the other', sizeBytes: '11' })
})

t.test('a name that exists is refused, and the file stays as it is [LLMN-205]', async t => {
  const { url } = await serveLlm(t)
  t.equal((await upload(url, 'one', 'first', 'secret')).status, 200)
  for (const session of ['one', 'other'])
    t.match(await upload(url, session, 'second', 'own content'), {
      status: 409,
      json: { error: { code: 409, status: 'ALREADY_EXISTS', message: 'The file files/shared-name already exists.' } },
    })
  t.match(await named(url, 'other'), { displayName: 'first', sizeBytes: '6' })
})

t.test('in public mode, records of a plugin with the same id belong to their sessions [LLMN-205]', async t => {
  const store = pluginState({ publicMode: true }).svc.state<StoredRecord<string>>('letters', { maxCount: 10 })
  const records = createOwnedRecords(store, true)
  const one = { provider: 'letters', session: 'one' }
  const other = { provider: 'letters', session: 'other' }
  await records.put(one, 'a', 'of one')
  t.equal(await records.get(other, 'a'), undefined)
  t.equal(await records.delete(other, 'a'), false)
  t.equal(await records.change(other, 'a', () => 'changed'), undefined)
  await records.put(other, 'a', 'of the other')
  t.equal(await records.get(one, 'a'), 'of one')
  t.same(await records.list(other, 10), [{ id: 'a', value: 'of the other' }])
})
