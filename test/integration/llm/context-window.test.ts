/** Context windows and output limits of models, in each format. */
import t from 'tap'
import { askFormat, formats, serveLlm } from '../../support/llm-formats.ts'
import { readUsage, usageCalls } from '../../support/llm-usage.ts'

const server = await serveLlm(t, {
  yaml: `
llm:
  builtin:
    gemini: { context_window: 6 }
  providers:
    - name: small
      format: openai
      context_window: 50
      models: [plain, { id: tiny, context_window: 12, max_output_tokens: 3 }]
    - name: brief
      format: anthropic
      models: [{ id: claude-brief, context_window: 100, max_output_tokens: 20 }]
    - name: sized
      format: gemini
      models: [{ id: g, context_window: 100, max_output_tokens: 20 }]
    - { name: local, format: ollama, models: [{ id: llama, context_window: 77 }] }
`,
})
const LONG = 'one two six ten'
const P = 6
const W = 5

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { 'X-Svc-Tokens-Per-Second': '0', ...headers },
    body: JSON.stringify(body),
  })
}

t.test('a prompt that is too long gets the error of each format [LLMN-40]', async t => {
  const openAi = {
    error: {
      message: `This model's maximum context length is ${W} tokens. However, your messages resulted in ${P} tokens. Please reduce the length of the messages.`,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  }
  const expected: Record<string, object> = {
    openai: openAi,
    azure: openAi,
    anthropic: {
      type: 'error',
      error: { type: 'invalid_request_error', message: `prompt is too long: ${P} tokens > ${W} maximum` },
    },
    gemini: {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: `The input token count (${P}) exceeds the maximum number of tokens allowed (${W}).`,
      },
    },
    bedrock: { message: 'Input is too long for requested model.' },
    cohere: {
      message: `too many tokens: total number of tokens in the prompt cannot exceed ${W} - received ${P}.`,
    },
  }
  for (const format of formats.filter(({ id }) => id !== 'ollama')) {
    const answer = await askFormat(server.url, format, {
      text: LONG,
      headers: { 'X-Svc-Context-Window': String(W), 'X-Svc-Session': 'window' },
    })
    t.equal(answer.status, 400, format.id)
    t.equal(answer.headers.get('x-svc-limited'), 'context')
    t.equal(answer.headers.get('x-svc-fault'), null)
    t.match(answer.json(), expected[format.id]!, format.id)
    const fits = await askFormat(server.url, format, {
      text: LONG,
      headers: { 'X-Svc-Context-Window': '2000', 'X-Svc-Session': 'fits' },
    })
    t.equal(fits.status, 200, format.id)
  }
  const { totals } = await readUsage(server.url, '?session=window&group=none')
  t.match(totals, { requests: 6, errors: 6, limited: 0, faults: 0 })
  t.match(await usageCalls(server.url, '?session=window&limit=1'), [{ limited: 'context', fault: null }])
})

t.test('the limit of the reply counts where the format says so [LLMN-40]', async t => {
  const messages = [{ role: 'user', content: LONG }]
  const headers = { 'X-Svc-Context-Window': '10' }
  const chat = await post('/ai/v1/chat/completions', { model: 'm', max_tokens: 5, messages }, headers)
  t.equal(chat.status, 400)
  t.match(await chat.json(), {
    error: {
      message: `This model's maximum context length is 10 tokens. However, you requested 11 tokens (6 in the messages, 5 in the completion). Please reduce the length of the messages or completion.`,
    },
  })
  const claude = await post('/ai/anthropic/v1/messages', { model: 'm', max_tokens: 5, messages }, headers)
  t.match(await claude.json(), {
    error: {
      message:
        'input length and `max_tokens` exceed context limit: 6 + 5 > 10, decrease input length or `max_tokens` and try again',
    },
  })
  const command = await post('/ai/cohere/v2/chat', { model: 'm', max_tokens: 5, messages }, headers)
  t.match(await command.json(), { finish_reason: 'MAX_TOKENS', usage: { tokens: { output_tokens: 4 } } })
})

t.test('a reply ends where the window or the output limit ends [LLMN-41]', async t => {
  const ask = async (path: string, body: object) =>
    (await (await post(path, { messages: [{ role: 'user', content: 'hello' }], ...body })).json()) as object
  t.match(await ask('/ai/small/v1/chat/completions', { model: 'tiny' }), {
    choices: [{ finish_reason: 'length' }],
    usage: { prompt_tokens: 4, completion_tokens: 3 },
  })
  t.match(
    await ask('/ai/small/v1/chat/completions', { model: 'tiny', max_tokens: 100 }),
    { choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 3 } },
    'the limit of the request is lowered',
  )
  t.match(await ask('/ai/brief/v1/messages', { model: 'claude-brief', max_tokens: 21 }), {
    error: {
      message: 'max_tokens: 21 > 20, which is the maximum allowed number of output tokens for claude-brief',
    },
  })
  t.match(await ask('/ai/brief/v1/messages', { model: 'claude-brief', max_tokens: 20 }), { type: 'message' })
  t.match(
    await (
      await post(
        '/ai/v1/chat/completions',
        {
          model: 'm',
          messages: [{ role: 'user', content: 'hello' }],
        },
        { 'X-Svc-Context-Window': '6' },
      )
    ).json(),
    { choices: [{ finish_reason: 'length' }], usage: { prompt_tokens: 4, completion_tokens: 2 } },
  )
})

t.test('Ollama and `truncation: auto` drop the oldest messages [LLMN-40]', async t => {
  const turn = (role: string, content: string) => ({ role, content })
  const talk = [turn('user', 'first question'), turn('assistant', 'first answer'), turn('user', 'last question')]
  const headers = { 'X-Svc-Context-Window': '7', 'X-Svc-Mode': 'echo' }
  const ollama = await post('/ai/ollama/api/chat', { model: 'llama3.2', stream: false, messages: talk }, headers)
  t.match(await ollama.json(), { prompt_eval_count: 5, message: { content: 'user:' } })
  const alone = await post(
    '/ai/ollama/api/generate',
    { model: 'llama3.2', stream: false, prompt: 'much too long for this window, so it is cut' },
    headers,
  )
  t.match(await alone.json(), { prompt_eval_count: 7, done_reason: 'length' })

  const wanted = { model: 'm', input: talk, truncation: 'auto' }
  const auto = await post('/ai/v1/responses', wanted, headers)
  t.match(await auto.json(), { usage: { input_tokens: 5 }, truncation: 'auto' })
  for (const [body, window] of [
    [{ ...wanted, truncation: 'disabled' }, '7'],
    [wanted, '3'],
  ] as const) {
    const refused = await post('/ai/v1/responses', body, { 'X-Svc-Context-Window': window })
    t.equal(refused.status, 400)
    t.match(await refused.json(), {
      error: {
        code: 'context_length_exceeded',
        param: 'input',
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      },
    })
  }
})

t.test('models have their own window, lists show it, and a wrong header is ignored [LLMN-41]', async t => {
  const gemini = await askFormat(server.url, formats.find(({ id }) => id === 'gemini')!, { text: `${LONG} again` })
  t.match(gemini.json(), { error: { message: /^The input token count \(\d+\) exceeds .* \(6\)\.$/ } })
  const list = async (path: string): Promise<object> => (await (await fetch(server.url + path)).json()) as object
  t.match(await list('/ai/brief/v1/models'), { data: [{ max_input_tokens: 100, max_tokens: 20 }] })
  t.match(await list('/ai/sized/v1beta/models'), { models: [{ inputTokenLimit: 100, outputTokenLimit: 20 }] })
  t.match(await (await post('/ai/local/api/show', { model: 'llama' })).json(), {
    model_info: { 'llama.context_length': 77 },
  })
  for (const value of ['0', 'many', '-1']) {
    const answer = await post(
      '/ai/v1/chat/completions',
      { messages: [{ role: 'user', content: 'hi' }] },
      {
        'X-Svc-Context-Window': value,
      },
    )
    t.equal(answer.status, 200)
    t.match(answer.headers.get('x-svc-ignored'), /^X-Svc-Context-Window;/)
  }
})
