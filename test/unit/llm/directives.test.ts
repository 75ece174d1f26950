/** Directives: how lines of prompts are read, and what the model sees of the texts around them. */
import t from 'tap'
import { readLine } from '../../../plugins/llm/directives/line.ts'
import { readDirectives, withoutDirectives } from '../../../plugins/llm/directives/prompt-lines.ts'
import type { ChatParsed } from '../../../plugins/llm/contract/parsed.ts'
import type { NeutralRequest } from '../../../plugins/llm/contract/neutral.ts'
import { textOfBytes, textOfTokens } from '../../../plugins/llm/engine/sized-text.ts'
import { count } from '../../../plugins/llm/engine/tokens.ts'

const itemsOf = (line: string): unknown => readLine(line)?.items.map(({ name, value }) => [name, value]) ?? null

t.test('items are separated by semicolons, and values can be quoted or JSON [STRICT-6]', async t => {
  t.strictSame(itemsOf('[svc fail=429; times=2 ;retry-after=1;]'), [
    ['fail', '429'],
    ['times', '2'],
    ['retry-after', '1'],
  ])
  t.strictSame(itemsOf(String.raw`[svc reply="a; \"b\"]\n\\c \d"; mode=echo]`), [
    ['reply', 'a; "b"]\n\\c \\d'],
    ['mode', 'echo'],
  ])
  t.strictSame(itemsOf('[svc reply-json={"text":"a; } ] \\" b","tool_calls":[]}; size=bytes=5]'), [
    ['reply-json', '{"text":"a; } ] \\" b","tool_calls":[]}'],
    ['size', 'bytes=5'],
  ])
  t.strictSame(itemsOf('[svc reply=a]b]'), [['reply', 'a]b']], 'the last bracket ends the line')
  t.strictSame(itemsOf('[svc reply=]'), [['reply', '']])
  t.strictSame(itemsOf('[svc fail]'), [['fail', null]])
})

t.test('what is wrong is kept with the line, so that the request gets an error [STRICT-6]', async t => {
  t.match(readLine('[svc reply="open]'), { problem: 'the value of reply does not end' })
  t.match(readLine('[svc reply-json={"a":1]'), { problem: 'the value of reply-json does not end' })
  t.match(readLine('[svc reply="a" b]'), { problem: 'expected ; after the value of reply' })
})

t.test('other lines, and lines beyond the bounds, are text [STRICT-6]', async t => {
  for (const line of ['[svc]', '[svc ]', '[svc ;]', '[service fail=429]', '[svc fail=429', '[svc fail=429] now', ''])
    t.equal(readLine(line), null, line)
  const itemsLine = (length: number): string => `[svc ${Array.from({ length }, (_, n) => `a${n}=1`).join(';')}]`
  t.not(readLine(itemsLine(16)), null)
  t.equal(readLine(itemsLine(17)), null, 'more than 16 items')
  const sized = (bytes: number): string => `[svc reply=${'é'.repeat((bytes - 12) / 2)}]`
  t.equal(Buffer.byteLength(sized(4096)), 4096)
  t.not(readLine(sized(4096)), null)
  t.equal(readLine(sized(4098)), null, 'longer than 4096 bytes')
})

t.test('the first and the last line lose their directive with its line end [STRICT-6]', async t => {
  const cases: [given: string, seen: string][] = [
    ['[svc fail=429]\nhello', 'hello'],
    ['hello\n[svc fail=429]', 'hello'],
    ['hello\r\n[svc fail=429]', 'hello'],
    ['hello\n  [svc fail=429]  \n', 'hello\n'],
    ['\n [svc fail=429]\r\nhello', '\nhello'],
    ['[svc fail=429]\nhello\n[svc mode=echo]', 'hello'],
    ['[svc fail=429]', ''],
    ['hello [svc fail=429]', 'hello [svc fail=429]'],
    ['a\n[svc fail=429]\nb', 'a\n[svc fail=429]\nb'],
    ['\\[svc fail=429]', '[svc fail=429]'],
    ['\\[svc fail=429]\nhello\n\\[svc mode=echo]', '[svc fail=429]\nhello\n[svc mode=echo]'],
    ['[svc fail=429]\n[svc mode=echo]', ''],
    ['[svc]\nhello', '[svc]\nhello'],
  ]
  for (const [given, seen] of cases) t.equal(withoutDirectives(given), seen, JSON.stringify(given))
})

function chat(parts: Partial<NeutralRequest>): ChatParsed {
  const request: NeutralRequest = {
    model: 'svc-gpt',
    system: [],
    messages: [],
    tools: [],
    toolChoice: 'auto',
    format: { type: 'none' },
    stop: [],
    n: 1,
    ...parts,
  }
  return { op: 'chat', model: request.model, request, wire: null }
}
const said = (role: 'user' | 'assistant', ...texts: string[]): NeutralRequest['messages'][number] => ({
  role,
  parts: texts.map(text => ({ type: 'text', text })),
})

t.test(
  'the last user message and the first system text have directives; all of them lose theirs [STRICT-6]',
  async t => {
    const given = chat({
      system: ['[svc tps=0]\nBe brief.', 'More.\n[svc mode=echo]'],
      messages: [
        said('user', '[svc fail=500]\nfirst'),
        said('assistant', '[svc fail=501]'),
        said('user', 'second', '[svc fail=502]'),
        { role: 'user', parts: [{ type: 'result', id: 'a', content: '[svc fail=503]' }] },
      ],
    })
    const { parsed, found, turn } = readDirectives(given)
    t.equal(turn, 1)
    t.strictSame(
      found.map(({ line, isOfUser, isNew }) => [line.text, isOfUser, isNew]),
      [
        ['fail=502', true, true],
        ['tps=0', false, false],
      ],
    )
    const { request } = parsed as ChatParsed
    t.strictSame(request.system, ['Be brief.', 'More.'])
    t.strictSame(request.messages, [
      said('user', 'first'),
      said('assistant', '[svc fail=501]'),
      said('user', 'second'),
      given.request.messages[3],
    ])
    const alone = readDirectives(chat({ messages: [said('user', '[svc fail=429]')], system: ['[svc tps=0]'] }))
    t.strictSame((alone.parsed as ChatParsed).request.messages, [said('user', '')])
    t.strictSame((alone.parsed as ChatParsed).request.system, [])
    const older = readDirectives(chat({ messages: [said('user', '[svc fail=429]'), said('assistant', 'a')] }))
    t.match(older.found, [{ isNew: false }], 'the assistant has answered')
  },
)

t.test('a request without the mark of a directive is not copied [STRICT-6]', async t => {
  const given = chat({ messages: [said('user', 'hello')] })
  t.equal(readDirectives(given).parsed, given)
})

t.test('texts of an exact length are ASCII words [STRICT-5]', async t => {
  for (const bytes of [1, 2, 3, 4, 77, 4096, 100_003]) {
    const text = textOfBytes(bytes)
    t.equal(Buffer.byteLength(text), bytes)
    t.match(text, /^[a-z]+(?: [a-z]+)*$/)
  }
  for (const tokens of [1, 2, 19, 20, 5000]) t.equal(count(textOfTokens(tokens)), tokens)
})
