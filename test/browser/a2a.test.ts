/** The console's A2A client, in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser, takeProblems } from './support/browser.ts'
import type { Route } from 'playwright-core'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

/** Makes a task take seconds, so that it is still running when the test subscribes. */
async function slowDown(route: Route): Promise<void> {
  const text = route.request().postData()
  const body = text === null ? null : (JSON.parse(text) as Record<string, unknown>)
  const message = (body?.message ?? (body?.params as Record<string, unknown> | undefined)?.message) as
    | Record<string, unknown>
    | undefined
  if (message !== undefined) message.metadata = { stepDelayMs: 2000 }
  await route.continue(body === null ? {} : { postData: JSON.stringify(body) })
}

t.test('A2A client', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t)
  const page = await openPage(await startBrowser(t))
  page.setDefaultTimeout(10_000)
  await page.goto(`${server.url}/ui/#/a2a`)
  const agent = page.getByRole('combobox', { name: 'Agent' })
  const task = page.getByRole('region', { name: 'Task' })
  const timeline = task.getByRole('list', { name: 'Timeline' })
  const log = page.getByRole('log', { name: 'Messages' })
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  const state = (name: string) => task.locator('.a2a-head').getByText(name, { exact: true }).waitFor()
  const say = async (text: string) => {
    await message.fill(text)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
  }

  await t.test('directory, cards and skills [A2AVIEW-1]', async t => {
    await page.getByRole('list', { name: 'Agents' }).getByText('Weather Agent').click()
    await eventually(t, () => agent.inputValue(), 'weather')
    await page.getByRole('list', { name: 'Skills' }).getByRole('button').first().click()
    t.not(await message.inputValue(), '')
    await page.goto(`${server.url}/ui/#/traffic`)
    await page.locator('.feed-state', { hasText: 'live' }).waitFor()
    await page.getByText('Waiting for requests').waitFor()
    await page.goBack()
    await page.getByText('Cards', { exact: true }).click()
    await page.getByText('"supportedInterfaces"').waitFor()
    await page.getByRole('tab', { name: '0.3' }).click()
    await page.getByText('"preferredTransport"').waitFor()
    await page.getByRole('tab', { name: 'Extended' }).click()
    await page.getByRole('tabpanel').getByRole('alert').waitFor()
    await page.getByText('Cards', { exact: true }).click()
    takeProblems(page, /400/)
  })

  await t.test('every version and binding, streamed, blocking and immediate [A2AVIEW-2] [A2AVIEW-3]', async t => {
    await agent.selectOption('weather')
    for (const version of ['1.0', '0.3']) {
      for (const binding of ['JSONRPC', 'HTTP+JSON']) {
        await page.getByRole('combobox', { name: 'Version' }).selectOption(version)
        await page.getByRole('combobox', { name: 'Binding' }).selectOption(binding)
        for (const isStreamed of [true, false]) {
          await page.getByRole('checkbox', { name: 'Stream' }).setChecked(isStreamed)
          await say('Weather in Paris?')
          await state('completed')
          await task.getByRole('article', { name: 'Artifact forecast' }).getByText('"Paris"').waitFor()
          await eventually(
            t,
            () => timeline.textContent(),
            isStreamed ? /You.*submitted.*working.*Artifact forecast.*completed/ : /You.*Artifact forecast.*completed/,
            `${version} ${binding} ${isStreamed ? 'streamed' : 'blocking'}`,
          )
        }
        await page.getByRole('checkbox', { name: 'Return immediately' }).check()
        await page.route('**/a2a/**', slowDown)
        await say('Weather in Rome?')
        await state('submitted')
        await task.getByRole('button', { name: 'Subscribe' }).click()
        await state('completed')
        await page.unroute('**/a2a/**')
        await page.getByRole('checkbox', { name: 'Return immediately' }).uncheck()
      }
    }
    await eventually(t, () => log.textContent(), /message:stream|message\/stream/)
    await eventually(t, async () => page.url(), /version=0\.3&binding=HTTP/)
  })

  await t.test('chunked artifacts, files, and notifications to the sink [A2AVIEW-3] [A2AVIEW-5]', async t => {
    await page.goto(`${server.url}/ui/#/a2a?agent=travel-planner`)
    await page.reload()
    await page.getByRole('checkbox', { name: 'Push to a sink' }).check()
    await say('A weekend trip to Rome')
    await state('completed')
    await eventually(
      t,
      () => task.getByRole('article', { name: 'Artifact itinerary', exact: true }).textContent(),
      /chunks.*Rome/s,
    )
    await eventually(
      t,
      () => task.getByRole('article', { name: 'Artifact boarding-pass' }).getByRole('img').getAttribute('src'),
      /^blob:/,
    )
    await page.getByRole('list', { name: 'Notifications' }).getByText('status completed').waitFor()
    await eventually(t, () => log.textContent(), /SendStreamingMessage: artifact itinerary200/)
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 })
      t.strictSame(await accessibilityProblems(page), [], `${width} px`)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('checkbox', { name: 'Push to a sink' }).uncheck()
  })

  await t.test('input, token, cancellation, direct response, failure [A2AVIEW-4] [A2AVIEW-6]', async t => {
    await agent.selectOption('approval')
    await say('A new laptop')
    await task.getByText('The agent is waiting for input').waitFor()
    await say('yes, approve')
    await state('completed')
    await task.getByRole('article', { name: 'Artifact decision' }).getByText('true').waitFor()
    await eventually(
      t,
      () => timeline.textContent(),
      /A new laptop.*input-required.*yes, approve.*completed/s,
      'one task',
    )
    await say('Another laptop')
    await task.getByText('The agent is waiting for input').waitFor()
    await task.getByRole('button', { name: 'Cancel task' }).click()
    await state('canceled')
    await page.getByText('Tasks of this session').click()
    await page.getByRole('button', { name: 'List tasks' }).click()
    await page.getByRole('list', { name: 'Tasks' }).getByText('completed').click()
    await state('completed')

    await agent.selectOption('secure')
    await say('Who am I?')
    await page.getByRole('button', { name: 'Get a token and continue' }).click()
    await state('completed')
    await task.getByRole('article', { name: 'Artifact whoami' }).getByText('"authenticated"').waitFor()

    await agent.selectOption('echo')
    await say('msg: hello')
    await timeline.getByText('Direct response').waitFor()
    await agent.selectOption('flaky')
    await say('go')
    await state('failed')
    const received = log.locator('details').first()
    await received.locator('summary').click()
    await eventually(t, () => received.getByRole('table').textContent(), /content-typetext\/event-stream/)
    await page.route('**/a2a/flaky', route => route.abort())
    await say('go')
    await eventually(t, () => task.getByRole('alert').textContent(), /is not responding/)
    takeProblems(page, /ERR_/)
  })
  t.strictSame(page.problems, [])
})
