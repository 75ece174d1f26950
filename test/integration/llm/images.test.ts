/** Images of the mock LLM in formats that another plugin has. */
import t from 'tap'
import { serve } from '../../support/server.ts'

t.test('WebP and JPEG are the files of the plugin images [LLMN-175]', async t => {
  const { url } = await serve(t, { yaml: 'plugins: { enable: [llm, llm-openai, images] }' })
  const ask = async (body: object): Promise<{ data: { b64_json?: string; url?: string }[] }> => {
    const response = await fetch(`${url}/ai/v1/images/generations`, { method: 'POST', body: JSON.stringify(body) })
    return (await response.json()) as { data: { b64_json?: string; url?: string }[] }
  }
  for (const format of ['webp', 'jpeg']) {
    const { data } = await ask({ model: 'gpt-image-1', prompt: 'x', output_format: format })
    const file = Buffer.from(await (await fetch(`${url}/image/${format}`)).arrayBuffer())
    t.equal(data[0]?.b64_json, file.toString('base64'), format)
    const named = await ask({ prompt: 'x', output_format: format })
    t.equal(named.data[0]?.url, `${url}/image/${format}`)
  }
})

t.test('wrong choices are reported, in JSON and in forms [LLMN-175]', async t => {
  const { url } = await serve(t, { yaml: 'plugins: { enable: [llm, llm-openai] }' })
  const statusOf = async (path: string, body: FormData | string): Promise<[number, string | undefined]> => {
    const response = await fetch(`${url}/ai/v1/images/${path}`, { method: 'POST', body })
    const { error } = (await response.json()) as { error?: { param: string } }
    return [response.status, error?.param]
  }
  for (const [name, wrong, right] of [
    ['quality', 'ultra', 'high'],
    ['background', 'red', 'transparent'],
    ['response_format', 'base64', 'b64_json'],
  ] as const) {
    t.same(await statusOf('generations', JSON.stringify({ prompt: 'x', [name]: wrong })), [400, name])
    t.same(await statusOf('generations', JSON.stringify({ prompt: 'x', [name]: right })), [200, undefined])
    const form = new FormData()
    form.set('image', new Blob(['x']), 'a.png')
    form.set('prompt', 'x')
    form.set(name, wrong)
    t.same(await statusOf('edits', form), [400, name])
    form.set(name, right)
    form.set('stream', 'yes')
    t.same(await statusOf('edits', form), [400, 'stream'])
  }
})
