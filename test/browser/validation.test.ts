/** What vendors would have refused: in the traffic, in the AI playground, and in its card of levels and rules. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { clipboardOf, openTraffic, rowsOf } from './support/traffic-page.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

const YAML = `llm:
  builtin:
    azure: { validation: enforce }
  providers:
    - { name: lax, format: openai, validation: off }
`

t.test('what vendors refuse', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { yaml: YAML })
  const browser = await startBrowser(t)
  const ask = (content: object, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/ai/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
      body: JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'hi' }], ...content }),
    }).then(response => response.text())
  await ask({})
  await ask({ temperature: 9 })
  await ask({ temperature: 9, stop: ['1', '2', '3', '4', '5'] }, { 'X-Svc-Validation': 'enforce' })

  await t.test('a request in the traffic', async t => {
    const page = await openTraffic(browser, server.url, { params: '?filter=tag%3Aviolation' })
    await eventually(t, () => rowsOf(page).count(), 2)
    await page.filter.fill('tag:refused:')
    await eventually(t, () => rowsOf(page).count(), 1)
    t.match(await rowsOf(page).first().innerText(), /violation/)
    await page.filter.fill('tag:violation -tag:refused:')
    await eventually(t, () => rowsOf(page).count(), 1)
    await rowsOf(page).first().click()
    const violations = page.detail.getByRole('region', { name: 'Violations' })
    await violations
      .getByText(
        "A real vendor would have refused this: Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 9 instead.",
      )
      .waitFor()
    await violations.getByText('openai.range', { exact: true }).click()
    await violations.getByRole('list', { name: 'Sources' }).getByRole('link').first().waitFor()
    await violations.getByRole('button', { name: 'Copy the header that refuses' }).click()
    await eventually(t, () => clipboardOf(page), 'X-Svc-Validation: enforce')
    t.strictSame(await accessibilityProblems(page), [])

    await page.filter.fill('tag:refused:')
    await rowsOf(page).first().click()
    await violations.getByText(/^refused Refused as by the real vendor: Invalid/).waitFor()
    t.equal(await violations.getByRole('list', { name: 'Violations' }).locator('> li').count(), 2)
    t.strictSame(page.problems, [])
    await page.context().close()
  })

  await t.test('a turn of the playground, and the card', async t => {
    const page = await openPage(browser)
    await page.goto(`${server.url}/ui/#/ai`)
    const card = page.getByRole('region', { name: 'Validation' })
    await eventually(
      t,
      () => card.getByRole('list', { name: 'Level of each provider' }).innerText(),
      /openai\s+warn[^]*azure\s+enforce[^]*lax\s+off/,
    )
    const table = card.getByRole('table', { name: 'Violated rules' })
    await eventually(t, () => table.innerText(), /openai\.range\s+2\s+openai\.stop-max\s+1/)

    await page.getByRole('spinbutton', { name: 'Temperature' }).fill('3')
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const conversation = page.getByRole('region', { name: 'Conversation' })
    await conversation.getByTitle('A real vendor would have refused this: openai.range').waitFor()
    await page.getByRole('tab', { name: 'Forwarded' }).click()
    await page.getByText(/A real vendor would have refused this: Invalid 'temperature'/).waitFor()
    await eventually(t, () => table.innerText(), /openai\.range\s+3/, 'the card follows')

    await card.getByText('All rules').click()
    await card
      .getByRole('table', { name: 'All rules' })
      .getByRole('row', { name: /^anthropic\.signature-missing .* anthropic, anthropic-vertex, .*documented$/ })
      .waitFor()
    t.strictSame(await accessibilityProblems(page), [])
    await page.setViewportSize({ width: 360, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], 'narrow')
    await table.getByRole('link', { name: 'openai.range' }).click()
    await eventually(t, async () => page.url(), /#\/traffic\?filter=tag:violation:openai\.range/)
    t.strictSame(page.problems, [])
    await page.context().close()
  })
  await t.test('nothing yet', async t => {
    const empty = await serve(t)
    const page = await openPage(browser)
    await page.goto(`${empty.url}/ui/#/ai`)
    await page.getByRole('region', { name: 'Validation' }).getByText('No violations').waitFor()
    t.strictSame(page.problems, [])
    await page.context().close()
  })
})
