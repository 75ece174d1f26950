/** The YAML format of recordings. */
import t from 'tap'
import {
  parseRecording,
  parseRequest,
  printRecording,
  type Recording,
} from '../../../plugins/proxy/recordings/recording.ts'

/** A generator of numbers from 0 to below 1. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const next = random(7)
const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!

/** What YAML treats specially. */
const PIECES = [
  'a',
  'Ä',
  '\u{1f600}',
  '\ud800',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r\n',
  '\r',
  '\0',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\x7f',
  '#',
  ': ',
  '- ',
  '"',
  "'",
  '|',
  '>',
  '&a',
  '*a',
  '!!str',
  '%',
  '@',
  '`',
  '{',
  ']',
  ',',
  '\\',
  '? ',
  '<<',
  'yes',
  'null',
  '~',
  '0x1f',
  '1e3',
  '.inf',
  '---',
  '...',
  '\nresponses:',
  '\nrequest:',
  '2026-01-01',
  '__proto__',
]

const text = (most: number): string => Array.from({ length: Math.floor(next() * most) }, () => pick(PIECES)).join('')

function json(depth: number): unknown {
  const kind = Math.floor(next() * (depth > 0 ? 6 : 4))
  if (kind === 0) return pick([0, -1, 1.5, 1e21, 1e-7, 9_007_199_254_740_991])
  if (kind === 1) return pick([true, false, null])
  if (kind < 4) return text(6)
  if (kind === 4) return Array.from({ length: Math.floor(next() * 4) }, () => json(depth - 1))
  return Object.fromEntries(Array.from({ length: Math.floor(next() * 4) }, () => [`k${text(3)}`, json(depth - 1)]))
}

t.test('what is written is read again unchanged [PROXY-20]', async t => {
  for (let round = 0; round < 1500; round++) {
    const recording = {
      version: 1,
      request: {
        method: 'POST',
        path: '/a',
        query: { [`q${text(3)}`]: pick([text(5), [text(3), text(3)]]) },
        headers: { 'content-type': text(4) },
        ...pick([{}, { json: json(3) }, { body: text(12) }, { form: { a: text(5) } }, { base64: 'AA==' }]),
      },
      responses: [
        {
          status: 200,
          // Other characters can't be in a header.
          headers: { 'x-a': text(4).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '') },
          first_byte_ms: 3,
          ...pick([{}, { json: json(3) }, { body: text(30) }, { chunks: [{ after_ms: 1, text: text(9) }] }]),
        },
        { status: 204, headers: {} },
      ],
    } as Recording
    const printed = printRecording(recording)
    const read = parseRecording(printed)
    if (JSON.stringify(read) !== JSON.stringify(recording)) t.strictSame(read, recording, printed)
    const head = printed.slice(0, printed.search(/^responses:/m))
    if (JSON.stringify(parseRequest(head)) !== JSON.stringify(recording.request))
      t.strictSame(parseRequest(head), recording.request, head)
  }
  t.pass('1500 recordings')
})

t.test('texts of several lines are readable blocks [PROXY-20]', async t => {
  const printed = printRecording({
    version: 1,
    request: { method: 'GET', path: '/', query: {}, headers: {} },
    responses: [{ status: 200, headers: { 'content-type': 'text/plain' }, body: 'one\ntwo\n' }],
  })
  t.match(printed, '    body: |\n      one\n      two\n')
})

t.test('large bodies are written and read as they were [PROXY-53]', async t => {
  const recording: Recording = {
    version: 1,
    request: { method: 'GET', path: '/', query: {}, headers: {}, body: 'é\r\n"\\ '.repeat(100_000) },
    responses: [
      { status: 200, headers: {}, body: 'data: {"a":1}\n\n'.repeat(1_000_000) },
      { status: 200, headers: {}, base64: 'AAAA'.repeat(4_000_000) },
      { status: 200, headers: {}, chunks: [{ after_ms: 1, text: 'x: "y" '.repeat(10_000) }] },
      {
        status: 200,
        headers: {},
        chunks: Array.from({ length: 10_000 }, (_, index) => ({ after_ms: index, text: `data: ${index}\n\n` })),
      },
    ],
  }
  const printed = printRecording(recording)
  t.ok(JSON.stringify(parseRecording(printed)) === JSON.stringify(recording))
})

t.test('a text that looks like a placeholder stays as it is [PROXY-20]', async t => {
  const text = `long-${'0'.repeat(24)}-0.`
  const recording: Recording = {
    version: 1,
    request: { method: 'GET', path: '/', query: {}, headers: {} },
    responses: [
      { status: 200, headers: {}, body: `${text.repeat(2_000)}` },
      { status: 200, headers: {}, body: text },
    ],
  }
  t.strictSame(parseRecording(printRecording(recording)), recording)
})
