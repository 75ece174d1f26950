/** What the upstream counted, in the AI playground. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

const PRICES = `llm:
  prices:
    - { model: "svc-*", provider: openai, input: 2.5, output: 10 }
`

t.test('what the upstream counted [AIVIEW-7]', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { yaml: PRICES })
  const call = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/ai/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer sk-booth-1', ...headers },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], ...body }),
    })
      .then(response => response.text())
      .catch(() => '')
  const page = await openPage(await startBrowser(t))
  await page.goto(`${server.url}/ui/#/ai`)
  const panel = page.getByRole('region', { name: 'What the upstream counted' })
  await panel.getByText('No calls yet').waitFor()
  t.strictSame(await accessibilityProblems(page), [])

  await call('openai/v1/chat/completions', { model: 'svc-gpt' }, { 'X-Svc-Session': 'class-12' })
  await eventually(t, () => panel.getByRole('list', { name: 'Totals' }).innerText(), /^1\s+call\s/)
  const table = panel.getByRole('table', { name: 'Usage' })
  t.match(await table.innerText(), /openai, svc-gpt\s+1\s+0\s+\d+\s+0\s+\d+\s+0\.\d+/, 'with its cost')

  await call('anthropic/v1/messages', { model: 'claude', max_tokens: 99 }, { 'X-Svc-Fail': 'overloaded' })
  await call('openai/v1/chat/completions', { model: 'svc-gpt', stream: true }, { 'X-Svc-Fail': 'disconnect@4' })
  await eventually(t, () => panel.innerText(), /1\s+errors[^]*1\s+cut streams/)
  t.match(await table.innerText(), /anthropic, no model\s+1\s+1\s+.*no price/)
  t.match(
    await panel.getByRole('list', { name: 'Cut streams' }).innerText(),
    /openai, svc-gpt: after 4 of \d+ tokens \(\d+ events?\), ended by a fault/,
  )

  await panel.getByRole('combobox', { name: 'Group by' }).selectOption('session')
  await eventually(t, () => table.innerText(), /class-12\s+1\s/)
  await panel.getByRole('combobox', { name: 'Group by' }).selectOption('key')
  await eventually(t, () => table.innerText(), /\*\*\*\*/, 'credentials are masked')
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], `${width} px`)
  }
  const csv = await fetch((await panel.getByRole('link', { name: 'CSV' }).getAttribute('href'))!)
  t.match(await csv.text(), /^key,key_id,requests,/)
  await page.setViewportSize({ width: 1440, height: 900 })
  await panel.getByRole('list', { name: 'Cut streams' }).getByRole('link').click()
  await page.getByRole('table', { name: 'Requests' }).getByText('/ai/openai/v1/chat/completions').waitFor()
  t.strictSame(page.problems, [])
})
