/** The console's AI playground, in a browser. */
import t from 'tap'
import { accessibilityProblems } from './support/accessibility.ts'
import { openPage, skipWithoutBrowser, startBrowser, takeProblems } from './support/browser.ts'
import { serve } from '../support/server.ts'
import { eventually } from '../support/until.ts'

const ACME = `llm:
  providers:
    - { name: acme, format: openai, title: Acme AI, models: [acme-small], reply: "Acme received: {{prompt}}" }
`

t.test('AI playground', { skip: skipWithoutBrowser }, async t => {
  const server = await serve(t, { yaml: ACME })
  const page = await openPage(await startBrowser(t))
  page.setDefaultTimeout(10_000)
  await page.goto(`${server.url}/ui/#/ai`)
  const conversation = page.getByRole('region', { name: 'Conversation' })
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  const provider = page.getByRole('combobox', { name: 'Provider', exact: true })
  const say = async (text: string) => {
    await message.fill(text)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
  }
  const clear = () => page.getByRole('button', { name: 'Clear' }).click()

  await t.test('a streamed response, its frames and the received request [AIVIEW-1] [AIVIEW-4]', async t => {
    await page.getByRole('checkbox', { name: 'Stream' }).waitFor()
    await eventually(t, () => page.getByRole('checkbox', { name: 'Stream' }).isChecked(), true)
    await message.fill('hello')
    await message.press('Enter')
    await conversation.getByText(/I'm svc, a mock model server/).waitFor()
    await conversation.getByText(/45 out/).waitFor()
    await eventually(t, () => conversation.textContent(), /200stopfirst token [\d.]+ ms.*in, 45 out.*tokens\/s/)
    await page.getByRole('tab', { name: 'Wire' }).click()
    const frames = page.getByRole('log', { name: 'Frames' })
    await eventually(t, () => frames.textContent(), /ms\{"id":"chatcmpl-.*\+[\d.]+ ms.*\[DONE\]/)
    await page.getByRole('tab', { name: 'Forwarded' }).click()
    await page.getByText('The request arrived unchanged, sent directly.').waitFor()
    const request = await page.getByRole('region', { name: 'Request' }).textContent()
    t.match(request, /authorization: Bearer \*\*\*\*1234.*Credential arrivedbearer \*\*\*\*1234/)
    t.match(request, /user: hello/)
    await page.getByRole('tab', { name: 'Code' }).click()
    await eventually(
      t,
      () => page.getByRole('group', { name: 'curl command' }).textContent(),
      /curl -sS.*chat\/completions/s,
    )
    await eventually(
      t,
      () => page.getByRole('group', { name: 'SDK code' }).textContent(),
      /import OpenAI from 'openai'.*baseURL: "http.*\/ai\/openai\/v1"/s,
    )
    await clear()
  })

  await t.test('tool calls in every format, streamed and not [AIVIEW-1] [AIVIEW-2]', async t => {
    await page.getByText('Tools', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Offer tools' }).check()
    await page.getByText('Mode and faults').click()
    await page.getByRole('spinbutton', { name: 'Tokens per second' }).fill('0')
    for (const id of ['openai', 'azure', 'anthropic', 'gemini', 'bedrock', 'ollama', 'cohere']) {
      for (const isStreamed of [true, false]) {
        await provider.selectOption(id)
        await page.getByRole('checkbox', { name: 'Stream' }).setChecked(isStreamed)
        await say('What is the weather in Paris?')
        await conversation.getByText(/"city":\s*"Paris"/).waitFor()
        await page.getByRole('textbox', { name: 'Result of get_weather' }).fill('{"sky":"clear"}')
        await page.getByRole('button', { name: 'Send results' }).click()
        await conversation.getByText(/Based on the tool results: get_weather returned .*clear/).waitFor()
        await conversation
          .getByText(/\d+ out/)
          .nth(1)
          .waitFor()
        await eventually(
          t,
          () => conversation.textContent(),
          /get_weather.*result.*get_weather.*\d+ in, \d+ out/,
          `${id} ${isStreamed ? 'streamed' : 'whole'}`,
        )
        await clear()
      }
    }
    await page.getByRole('checkbox', { name: 'Offer tools' }).uncheck()
    await provider.selectOption('acme')
    await eventually(t, async () => page.url(), /provider=acme&model=acme-small/)
    await say('ping')
    await conversation.getByText('Acme received: ping').waitFor()
    await page.reload()
    await eventually(t, () => provider.inputValue(), 'acme', 'the link restores the selection')
  })

  await t.test('the setup is sent [AIVIEW-3]', async t => {
    await provider.selectOption('openai')
    await page.getByRole('combobox', { name: 'Model', exact: true }).selectOption({ label: 'Other…' })
    await page.getByRole('textbox', { name: 'Model name' }).fill('my-own-model')
    await page.getByRole('textbox', { name: 'System message' }).fill('Be brief.')
    await page.getByRole('spinbutton', { name: 'Temperature' }).fill('0.5')
    await page.getByRole('spinbutton', { name: 'Max tokens' }).fill('200')
    await page.getByText('Structured output').click()
    await page.getByRole('combobox', { name: 'Response format' }).selectOption('schema')
    await page.getByText('Mode and faults').click()
    await page.getByRole('combobox', { name: 'Mode', exact: true }).selectOption('random')
    await page.getByText('Credential and headers').click()
    await page.getByRole('textbox', { name: 'API key' }).fill('other-key-9876')
    await page.getByRole('textbox', { name: 'Header 1 name' }).fill('X-Team')
    await page.getByRole('textbox', { name: 'Header 1 value' }).fill('blue')
    await say('A customer, please')
    await conversation.getByText(/"tier":"gold"/).waitFor()
    const { requests } = (await (await fetch(`${server.url}/_svc/requests?limit=5`)).json()) as {
      requests: { path: string; body: string; headers: { name: string; value: string }[] }[]
    }
    const { body, headers } = requests.find(({ path }) => path.endsWith('/chat/completions'))!
    t.match(JSON.parse(body), {
      model: 'my-own-model',
      temperature: 0.5,
      max_tokens: 200,
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      response_format: { type: 'json_schema' },
      stream: true,
    })
    const valueOf = (name: string) => headers.find(header => header.name === name)?.value
    t.strictSame(
      [valueOf('authorization'), valueOf('x-svc-mode'), valueOf('x-team')],
      ['Bearer other-key-9876', 'random', 'blue'],
    )
    await page.getByRole('combobox', { name: 'Response format' }).selectOption('text')
    await page.getByRole('combobox', { name: 'Mode', exact: true }).selectOption('')
    await clear()
  })

  await t.test('errors are reported and the conversation continues [AIVIEW-6]', async t => {
    await page.getByRole('combobox', { name: 'Fault' }).selectOption('rate_limit')
    await say('hello')
    const alert = conversation.getByRole('alert')
    await eventually(
      t,
      () => alert.textContent(),
      /The provider returned 429.*rate limit.*simulated.*Retry-After: 2 s/is,
    )
    takeProblems(page, /429/)
    await page.getByRole('combobox', { name: 'Fault' }).selectOption('')
    await page.getByRole('button', { name: 'Try again' }).click()
    await conversation.getByText(/I'm svc/).waitFor()
    await page.getByRole('spinbutton', { name: 'Tokens per second' }).fill('5')
    await say('Write a long essay')
    await conversation.getByText(/^A gateway/).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await conversation.getByText('Stopped.').waitFor()
    await page.getByRole('spinbutton', { name: 'Tokens per second' }).fill('0')
    await page.evaluate(() =>
      localStorage.setItem(
        'svc.console',
        JSON.stringify({ gateways: [{ name: 'gw', url: 'http://127.0.0.1:9', headers: [] }], target: 'gw' }),
      ),
    )
    await page.reload()
    await message.waitFor()
    await say('hello')
    await eventually(t, () => alert.textContent(), /gw.*allow the origin/)
    await eventually(
      t,
      () => conversation.getByRole('group', { name: 'curl command' }).textContent(),
      /127\.0\.0\.1:9\/ai\/openai/,
    )
    takeProblems(page, /ERR_/)
    await page.evaluate(() => localStorage.clear())
    await page.reload()
  })

  await t.test('two models side by side [AIVIEW-5]', async t => {
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('combobox', { name: 'Provider B' }).selectOption('gemini')
    await say('hello')
    const table = page.getByRole('table', { name: 'Comparison' })
    await eventually(
      t,
      () => table.textContent(),
      /Time to first token[\d.]+ ms[\d.]+ ms.*Tokens per second[\d.]+[\d.]+/,
    )
    for (const side of ['A', 'B'])
      await eventually(t, () => page.getByRole('region', { name: `Side ${side}` }).textContent(), /I'm svc.*/)
    await page.setViewportSize({ width: 360, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], 'comparing, narrow')
    await page.getByRole('button', { name: 'Compare' }).click()
    await say('hello')
    await conversation.getByText(/45 out/).waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    t.strictSame(await accessibilityProblems(page), [], 'a conversation, wide')
  })
  t.strictSame(page.problems, [])
})
