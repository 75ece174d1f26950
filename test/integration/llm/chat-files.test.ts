/** Files that a chat completion names by their ids. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'

t.test('a file in a chat is described by name and size, an unknown one is an error [LLMN-160]', async t => {
  const { url } = await serveLlm(t)
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new File(['hello'], 'notes.txt'))
  const uploaded = await fetch(`${url}/ai/v1/files`, { method: 'POST', body: form })
  const { id } = (await uploaded.json()) as { id: string }
  const ask = async (path: string, file: string): Promise<{ status: number; json: unknown }> => {
    const response = await fetch(url + path, {
      method: 'POST',
      body: JSON.stringify({
        model: 'svc-echo',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Read' },
              { type: 'file', file: { file_id: file } },
            ],
          },
        ],
      }),
    })
    return { status: response.status, json: await response.json() }
  }
  t.match(await ask('/ai/v1/chat/completions', id), {
    status: 200,
    json: { choices: [{ message: { content: /notes\.txt \(5 bytes\)/ } }] },
  })
  t.match(await ask('/ai/v1/chat/completions', 'file-unknown'), {
    status: 400,
    json: { error: { message: 'No such File object: file-unknown', param: 'id' } },
  })
  const azure = '/ai/azure/openai/deployments/svc-echo/chat/completions?api-version=1'
  t.match(await ask(azure, id), { status: 400 }, 'another provider has other files')
})

t.test('an image that a response names by its id is described alike [LLMN-160]', async t => {
  const { url } = await serveLlm(t)
  const form = new FormData()
  form.set('purpose', 'vision')
  form.set('file', new File(['hello'], 'map.png'))
  const { id } = (await (await fetch(`${url}/ai/v1/files`, { method: 'POST', body: form })).json()) as { id: string }
  const ask = async (file: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${url}/ai/v1/responses`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'svc-echo',
        input: [{ role: 'user', content: [{ type: 'input_image', file_id: file }] }],
      }),
    })
    return { status: response.status, text: await response.text() }
  }
  t.match(await ask(id), { status: 200, text: /map\.png \(5 bytes\)/ })
  t.match(await ask('file-unknown'), { status: 400, text: /No such File object: file-unknown/ })
})
