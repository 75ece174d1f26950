/** An external plugin adds agents. */
import t from 'tap'
import type { PluginRecord } from '../../../core/contract/plugin.ts'
import { Caller, COMBINATIONS, type Json, nameOf, stateOf } from '../../support/a2a.ts'
import { pluginFolder } from '../../support/plugins.ts'
import { serve } from '../../support/server.ts'

/** The source of a plugin that registers agents; `body` can use `agent(definition)`. */
const plugin = (body: string) => `import { definePlugin } from 'svc/plugin'
export default definePlugin({
  title: 'Extension', paths: [], buildsOn: ['a2a'],
  register(app, svc) {
    const agent = (id, steps, more) => svc.use('a2a.agents').agent({
      id, name: id, description: id, inputModes: ['text/plain'], outputModes: ['text/plain'],
      skills: [{ id: 'skill', name: 'Skill', description: 'Skill', tags: ['x'], examples: ['x'] }], steps, ...more })
    ${body}
  },
})`

t.test('agents of plugins work like the demo agents; invalid ones fail their plugin [A2A-26, A2A-27]', async t => {
  const { folder } = pluginFolder(t, {
    greeter: plugin(`
      agent('greeter', async function* (message, context) {
        yield { state: 'WORKING', text: 'thinking' }
        yield { artifact: { artifactId: 'greeting', parts: [{ text: 'hello ' + context.session.length }] } }
      })
      agent('thrower', () => { throw new Error('secret detail') })
      agent('stumbler', function* () { yield { state: 'WORKING', text: 'x' }; throw new Error('secret detail') })
    `),
    taken: plugin(`agent('echo', () => [])`),
    reserved: plugin(`agent('webhook-sink', () => [])`),
    empty: plugin(`agent('empty', () => [], { skills: [] })`),
  })
  const { url, lines } = await serve(t, { env: { SVC_PLUGINS_DIR: folder } })
  for (const how of COMBINATIONS) {
    const caller = new Caller(url, how)
    t.same((await caller.stream('greeter', 'x')).map(nameOf), ['task', 'WORKING', 'greeting', 'COMPLETED'])
    for (const agent of ['thrower', 'stumbler']) {
      const task = await caller.send(agent, 'x')
      t.equal(stateOf(task), 'FAILED')
      t.notMatch(JSON.stringify(task), 'secret')
    }
  }
  const reasons = lines.filter(line => line.includes('secret detail'))
  t.ok(
    reasons.length > 0 && reasons.every(line => /\bplugin=greeter\b/.test(line)),
    `errors of the plugin: ${reasons[0]}`,
  )
  const { agents } = (await (await fetch(`${url}/a2a`)).json()) as Json
  t.same(
    agents.slice(7).map(({ id }: Json) => id),
    ['greeter', 'thrower', 'stumbler'],
  )
  const { plugins } = (await (await fetch(`${url}/_svc/plugins`)).json()) as { plugins: PluginRecord[] }
  const errorOf = (name: string) => plugins.find(record => record.name === name)?.error?.message
  t.match(errorOf('taken'), /"echo" of plugin taken is already registered by plugin a2a/)
  t.match(errorOf('reserved'), /invalid A2A agent id "webhook-sink"/)
  t.match(errorOf('empty'), /has no skills/)
})
