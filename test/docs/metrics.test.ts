/** The tables of metrics in docs/observability.md. */
import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFiles, root } from '../support/sources.ts'
import { parseExposition } from '../support/exposition.ts'
import { serve } from '../support/server.ts'

const page = readFileSync(join(root, 'docs', 'observability.md'), 'utf8')
const listed = new Map(
  [...page.matchAll(/^\| `(svc_\w+)` \| (\w+) \|([^|]*)\| [^|]+ \|$/gm)].map(([, name, type, labels]) => [
    name!,
    { type: type!, labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!) },
  ]),
)

t.test('they have the names of all metrics in the source [METRIC-5]', async t => {
  const named = new Set(
    sourceFiles()
      .map(file => readFileSync(join(root, file), 'utf8'))
      .filter(source => /metrics/i.test(source))
      .flatMap(source =>
        [...source.matchAll(/(?:counter|gauge|histogram|add|name:)\(?\s*'(svc_\w+)'/g)].map(([, name]) => name!),
      ),
  )
  t.strictSame([...listed.keys()].toSorted(), [...named].toSorted())
})

t.test('what a server has is listed with its type and its labels [METRIC-5]', async t => {
  const server = await serve(t, { env: { SVC_SHARED_MODE: 'true' }, oneProcess: 'metrics of the store are added' })
  const chat = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }
  await fetch(`${server.url}/ai/openai/v1/chat/completions`, { method: 'POST', body: JSON.stringify(chat) })
  const families = parseExposition(await (await fetch(`${server.url}/_svc/metrics`)).text())
  let samples = 0
  for (const { name, type, samples: found } of families.values()) {
    if (!name.startsWith('svc_')) continue
    t.equal(listed.get(name)?.type, type, name)
    for (const { labels } of found) {
      samples++
      const { le: _le, ...others } = labels
      t.strictSame(Object.keys(others).toSorted(), listed.get(name)?.labels.toSorted(), name)
    }
  }
  t.ok(samples > 100, `${samples} samples`)
})
