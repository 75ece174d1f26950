/** docs/demos.md: its table is that of the catalog, and its example gives what the page says. */
import t from 'tap'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDemos } from '../../../plugins/demos/catalog/read-folder.ts'
import { readDemoText } from '../../../plugins/demos/file/demo-document.ts'
import { startDemoProxy } from '../../support/demo-proxy.ts'
import { demoRunner } from '../../support/demo-runner.ts'
import { root } from '../../support/examples.ts'
import { fill } from '../../support/filled-page.ts'
import { serve } from '../../support/server.ts'

const PATH = join(root, 'docs', 'demos.md')

t.test('the table of all demos is up to date', async t => {
  const { demos } = await readDemos(join(root, 'plugins', 'demos', 'demos'))
  const rows = demos.map(({ demo: { demo, area, shows, variables, lanes } }) => {
    const values = Object.entries(variables).map(([name, value]) => `\`${name}: ${String(value)}\``)
    return `| \`${demo}\` | ${area} | ${shows} | ${[...values, ...lanes.map(lane => `lane \`${lane}\``)].join(', ')} |`
  })
  const page = readFileSync(PATH, 'utf8')
  const filled = fill(
    page,
    'demos',
    ['| Demo | Area | Shows | Variables, lanes |', '|---|---|---|---|', ...rows].join('\n'),
  )
  if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(PATH, filled)
  else t.equal(page, filled, 'SVC_WRITE_DOCS=1 npm test -- demos/page')
})

t.test('the example is seen with a gateway that adds the header, and not without', async t => {
  const [, example = ''] = /```yaml\n(demo: [^]*?)```/.exec(readFileSync(PATH, 'utf8')) ?? []
  const read = readDemoText(example)
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  t.same(read.demo.warnings, [])
  const server = await serve(t, { plugins: ['demos', 'echo'] })
  const run = await demoRunner(server.url, read.demo)
  const { reason, verdict } = await run(await startDemoProxy(t, server.url, { add: { 'x-tenant': 'acme' } }))
  t.same([reason, verdict], [null, 'seen'])
  t.equal((await run(null)).verdict, 'not-seen')
})
