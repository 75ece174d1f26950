/** Views without content: what they are for, their main action, and a command that works. */
import t from 'tap'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

const run = promisify(execFile)

t.test('views without content [CON-45]', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { env: { SVC_MOCKS_SAMPLE: 'false' } })
  const folder = mkdtempSync(join(tmpdir(), 'svc-empty-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'openapi.yaml'), 'openapi: 3.1.0\ninfo: { title: Shop, version: "1" }\npaths: {}\n')
  const page = await openPage(await startBrowser(t))
  const views = [
    { view: 'traffic', title: 'Waiting for requests', action: 'Send', output: /"path":\s*"\/echo\/hello"/ },
    { view: 'bins', title: 'No bins yet', action: 'Create bin', output: /"id":/ },
    { view: 'mocks', title: 'No mocks yet', action: 'Upload', output: /"name":\s*"shop"/ },
    { view: 'mcp', title: 'Not connected', action: 'Connect', output: /"sum":5/ },
    { view: 'a2a', title: 'No task yet', action: 'Send', output: /TASK_STATE_COMPLETED/ },
  ]
  for (const { view, title, action, output } of views)
    await t.test(view, async t => {
      await page.goto(`${server.url}/ui/#/${view}`)
      const empty = page.locator('.empty', { hasText: title })
      await eventually(t, () => page.getByRole('button', { name: action, exact: true }).count(), 1)
      const command = await empty.locator('.try-command code').innerText()
      t.match((await run('sh', ['-c', command], { cwd: folder })).stdout, output)
      await page.setViewportSize({ width: 360, height: 800 })
      t.strictSame(await accessibilityProblems(page), [])
      await page.setViewportSize({ width: 1440, height: 900 })
    })
  t.strictSame(page.problems, [])
})
