/** Options of `startTestServer` that are wrong are refused, not ignored. */
import t from 'tap'
import { launch } from '../../../core/testing/launch.ts'
import type { TestServerOptions } from '../../../core/testing/types.ts'

const start = async (options: object): Promise<void> => {
  await using _server = await launch(options as TestServerOptions)
}

t.test('options that do not exist or have another type are refused [KIT-11]', async t => {
  await t.rejects(start({ plugin: ['echo'] }), {
    name: 'TypeError',
    message: 'unknown option "plugin" (did you mean "plugins"?)',
  })
  await t.rejects(start({ plugins: 'echo' }), { message: 'the option plugins must be a list of plugin names' })
  await t.rejects(start({ settings: [] }), { message: /^the option settings must be an object/ })
  await t.rejects(start({ plugins: ['echo'], env: { SVC_BODY_LIMIT: 7 } }), { message: /^the option env must be/ })
})

t.test('names and settings that svc check would report are refused in its words [KIT-11]', async t => {
  await t.rejects(start({ plugins: ['ecoh'] }), {
    message: /plugins\.enable\[0\]: unknown plugin "ecoh" \(did you mean "echo"\?\)\n {4}write echo, or remove it/,
  })
  await t.rejects(start({ plugins: ['llm'], settings: { llm: { provders: [] } } }), {
    message: /llm\.provders: unknown key "provders" \(did you mean "providers"\?\)/,
  })
  await using server = await launch({ plugins: ['llm'], settings: { llm: { provders: [] } }, allowProblems: true })
  t.equal(server.problems().length, 1)
  await using text = await launch({ yaml: 'plugins: { enable: [llm] }\nllm: { provders: [] }\n' })
  t.equal(text.problems().length, 1, 'a text is used as it is')
})

t.test('a verification that is not JSON says where [KIT-11]', async t => {
  await using server = await launch({ plugins: ['echo'] })
  const response = await fetch(`${server.url}/_svc/verify`, { method: 'POST', body: '{"match": }' })
  t.equal(response.status, 400)
  t.match(await response.json(), { error: 'invalid_json', details: /position 10|"match": / })
})
