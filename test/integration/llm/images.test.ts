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
