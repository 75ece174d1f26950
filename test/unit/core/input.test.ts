/** Plain values in paths and queries. */
import t from 'tap'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { decimalParameter, HttpError, integerParameter, isFlagSet, quoteInput, readQuery } from 'svc/plugin'
import { capCount, parseDecimal, parseInteger } from 'svc/toolkit'

function requestFor(url: string): FastifyRequest {
  return { raw: { url } } as FastifyRequest
}

t.test('an integer consists of any number of digits [INPUT-1]', async t => {
  const good: [string, number][] = [
    ['0', 0],
    ['007', 7],
    ['99999999999999999999', 1e20],
    ['9'.repeat(400), Infinity],
  ]
  for (const [text, value] of good) t.equal(parseInteger(text), value, text.slice(0, 30))
  for (const text of ['', '+5', '-1', '1.0', '1e3', '0x10', ' 1', '1\n', '١', 'Infinity'])
    t.equal(parseInteger(text), null, JSON.stringify(text))
})

t.test('a decimal has digits after its point [INPUT-1]', async t => {
  for (const [text, value] of [
    ['1', 1],
    ['1.25', 1.25],
    ['.5', 0.5],
    ['00.50', 0.5],
  ] as const)
    t.equal(parseDecimal(text), value, text)
  for (const text of ['', '.', '1.', '-1', '1e3', '1.2.3', 'NaN', ' 1'])
    t.equal(parseDecimal(text), null, JSON.stringify(text))
})

t.test('if a parameter is repeated, the first value counts [INPUT-2]', async t => {
  const query = readQuery(requestFor('/x?n=1&n=oops&m=%2B&m=2&__proto__=3'))
  t.equal(integerParameter(query, 'n', { fallback: 9 }), 1)
  t.equal(integerParameter(query, '__proto__', { fallback: 9 }), 3)
  t.equal(integerParameter(query, 'absent', { fallback: 9 }), 9)
  t.equal(decimalParameter(query, 'absent', { fallback: null }), null)
  t.throws(() => integerParameter(query, 'm', { fallback: 9 }), 'the second value is not looked at')
})

t.test('an invalid parameter is rejected by name [INPUT-3]', async t => {
  const query = readQuery(requestFor('/x?n=5&d=1.5&e='))
  const refuse = (act: () => unknown): unknown => {
    try {
      return act()
    } catch (error) {
      return (error as HttpError).body
    }
  }
  t.same(
    refuse(() => integerParameter(query, 'n', { fallback: 0, min: 6, max: 8 })),
    { error: 'invalid_parameter', parameter: 'n', details: 'invalid n "5" (expected an integer from 6 to 8)' },
  )
  t.same(
    refuse(() => integerParameter(query, 'd', { fallback: 0 })),
    { error: 'invalid_parameter', parameter: 'd', details: 'invalid d "1.5" (expected an integer of at least 0)' },
  )
  t.same(
    refuse(() => decimalParameter(query, 'e', { fallback: 0, max: 30 })),
    { error: 'invalid_parameter', parameter: 'e', details: 'invalid e "" (expected a decimal from 0 to 30)' },
  )
})

t.test('a flag is a bare key or a true value, of its first occurrence [INPUT-4]', async t => {
  for (const query of ['f', 'a=1&f', 'f=1', 'f=TRUE', 'f=on&f=0', 'f=yes'])
    t.equal(isFlagSet(requestFor(`/x?${query}`), 'f'), true, query)
  for (const query of ['', 'f=', 'f=0', 'f=maybe', 'ff', 'f=0&f', 'f=&f'])
    t.equal(isFlagSet(requestFor(`/x?${query}`), 'f'), false, query)
})

t.test('a count above the cap is reduced to the cap, with a header [INPUT-5]', async t => {
  const sent: string[] = []
  const reply = {
    header: (name: string, value: string) => void sent.push(`${name}: ${value}`),
  } as unknown as FastifyReply
  t.equal(capCount(reply, 10, 10), 10)
  t.same(sent, [])
  t.equal(capCount(reply, Infinity, 10), 10)
  t.same(sent, ['X-Svc-Capped: 10'])
})

t.test('quoted input is short and on one line', async t => {
  t.equal(quoteInput('a\n"b"'), '"a\\n\\"b\\""')
  t.equal(quoteInput('x'.repeat(101)), `"${'x'.repeat(100)}…"`)
})
