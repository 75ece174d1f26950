/** The files in `examples/drop-in` name hosts that `llm.hosts: vendors` serves, and no address of svc. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { send } from '../../support/request.ts'
import { serve } from '../../support/server.ts'

const FOLDER = 'examples/drop-in'
const { url } = await serve(t, { settings: { llm: { hosts: 'vendors' } } })

t.test('the YAML files can be read', async t => {
  for (const file of readdirSync(FOLDER).filter(name => name.endsWith('.yaml')))
    for (const document of parseAllDocuments(readFileSync(`${FOLDER}/${file}`, 'utf8')))
      t.same(document.errors, [], file)
})

t.test('the hosts that they name are served', async t => {
  const text = readdirSync(FOLDER)
    .map(file => readFileSync(`${FOLDER}/${file}`, 'utf8').replace(/#.*/g, ''))
    .join('\n')
  const hosts = new Set(text.match(/[\w.-]+\.(?:openai|anthropic|googleapis|azure|amazonaws|cohere)\.com/g))
  t.ok(hosts.size > 0)
  for (const Host of hosts) t.equal((await send(url, '/v1/models', { headers: { Host } })).status, 200, Host)
  t.notMatch(text, /svc:|:8080|\/ai\//, 'no address of svc')
})
