/** Streams of replies in the background that somebody cancels or deletes. */
import t from 'tap'
import { serveLlm } from '../../support/llm-formats.ts'

const server = await serveLlm(t)
const SLOW = { 'X-Svc-TTFT-Ms': '0', 'X-Svc-Tokens-Per-Second': '1' }

const FORMS = [
  {
    name: 'Responses',
    path: '/ai/v1/responses',
    body: { model: 'svc-gpt', input: 'hello', background: true },
    begun: /response\.in_progress/,
    end: /response\.completed/,
    cancelled: 'cancelled',
  },
  {
    name: 'Interactions',
    path: '/ai/gemini/v1beta/interactions',
    body: { model: 'svc-gemini', input: 'hello', background: true },
    begun: /step\.start/,
    end: /interaction\.completed/,
    cancelled: 'cancelled',
  },
]

/** Reads until `pattern`, then calls `act`, and returns all of the stream. */
async function readAround(
  response: Response,
  pattern: RegExp,
  act: (text: string) => Promise<unknown>,
): Promise<string> {
  let text = ''
  let hasActed = false
  const decoder = new TextDecoder()
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true })
    if (!hasActed && pattern.test(text)) {
      hasActed = true
      await act(text)
    }
  }
  return text
}

for (const { name, path, body, begun, end, cancelled } of FORMS)
  t.test(`${name}: readers see the end of a cancelled or deleted reply [LLMN-201]`, async t => {
    const url = server.url + path
    const create = async (): Promise<string> => {
      const response = await fetch(url, { method: 'POST', headers: SLOW, body: JSON.stringify(body) })
      return ((await response.json()) as { id: string }).id
    }
    for (const act of ['cancel', 'delete'] as const) {
      const id = await create()
      const other = await fetch(`${url}/${id}?stream=true`)
      const stop = (): Promise<Response> =>
        act === 'cancel'
          ? fetch(`${url}/${id}/cancel`, { method: 'POST' })
          : fetch(`${url}/${id}`, { method: 'DELETE' })
      const text = await readAround(await fetch(`${url}/${id}?stream=true`), begun, stop)
      t.match(text, begun, act)
      t.notMatch(text, end, act)
      t.notMatch(await other.text(), end, `${act}: every reader`)
      if (act === 'cancel')
        t.match(await (await fetch(`${url}/${id}`)).json(), { status: cancelled }, 'and it stays cancelled')
    }
    const creating = await fetch(url, {
      method: 'POST',
      headers: { ...SLOW, 'X-Svc-Session': name },
      body: JSON.stringify({ ...body, stream: true }),
    })
    const text = await readAround(creating, begun, sofar =>
      fetch(`${url}/${/"id":"([\w-]+)"/.exec(sofar)![1]}/cancel`, { method: 'POST' }),
    )
    t.notMatch(text, end, 'the stream of the request itself')
    const calls = (await (await fetch(`${server.url}/ai/usage/calls?session=${name}`)).json()) as { calls: object[] }
    t.match(calls.calls, [{ status: 200, cut: { by: 'client' } }], 'the ledger counts what was sent')
  })
