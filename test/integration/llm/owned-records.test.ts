/** Records belong to their owner: a name or an id that somebody else uses neither shows nor replaces theirs. */
import t from 'tap'
import { createRecords, type StoredRecord } from '../../../core/contract/plugin.ts'
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
  const { svc } = pluginState({ publicMode: true })
  const records = createRecords(svc, svc.state<StoredRecord<string>>('letters', { maxCount: 10 }))
  const one = records.of('letters', 'one')
  const other = records.of('letters', 'other')
  await one.put('a', 'of one')
  t.equal(await other.get('a'), undefined)
  t.equal(await other.delete('a'), false)
  t.equal(await other.change('a', () => 'changed'), undefined)
  await other.put('a', 'of the other')
  t.equal(await one.get('a'), 'of one')
  t.same(await other.list({ limit: 10 }), [{ id: 'a', value: 'of the other' }])
})
