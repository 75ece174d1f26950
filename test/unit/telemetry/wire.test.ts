/** The reader of Protocol Buffers, compared with the library, and with bytes that are no message. */
import t from 'tap'
import { attributes, encode, requestOf, span } from '../../support/otlp.ts'
import { LOGS, METRICS, TRACES } from '../../../plugins/telemetry/otlp/layouts.ts'
import { OtlpProblem, WireNode } from '../../../plugins/telemetry/otlp/node.ts'
import { WireReader } from '../../../plugins/telemetry/otlp/wire.ts'

const scalars = (hex: string, kinds: Parameters<WireReader['scalar']>[0][]): unknown[] => {
  const reader = new WireReader(Buffer.from(hex, 'hex'))
  return kinds.map(kind => {
    reader.next()
    return reader.scalar(kind)
  })
}

t.test('numbers have 64 bits', async t => {
  t.strictSame(scalars('0801', ['uint']), [1])
  t.strictSame(scalars('08ffffffff0f', ['uint']), [2 ** 32 - 1])
  t.strictSame(scalars('08ffffffffffffff0f', ['uint']), [Number.MAX_SAFE_INTEGER])
  t.strictSame(scalars('08ffffffffffffffffff01', ['uint']), ['18446744073709551615'])
  t.strictSame(scalars('08ffffffffffffffffff01', ['int']), [-1])
  t.strictSame(scalars('08feffffffffffffffff01', ['int']), [-2])
  t.strictSame(scalars('09ffffffffffffffff', ['sfixed64']), [-1])
  t.strictSame(scalars('09ffffffffffffffff', ['fixed64']), ['18446744073709551615'])
  t.strictSame(scalars('09000000000000f03f', ['double']), [1])
  t.throws(() => scalars('08ffffffffffffffffffff01', ['uint']), /too long/)
  t.throws(() => scalars('0801', ['text']), /wire type 0/)
})

t.test('every message that is cut or changed is read or refused, never anything else', async t => {
  const request = requestOf(
    'traces',
    [span({ attributes: attributes({ a: [1, { b: 'c' }], d: -1 }), status: { code: 1 } })],
    {
      'service.name': 'x',
    },
  )
  const bytes = encode('traces', request)
  const read = (given: Buffer): void => {
    for (const layout of [TRACES, LOGS, METRICS]) {
      try {
        for (const container of new WireNode(given, layout).children('resourceSpans')) {
          container.child('resource')?.all()
          for (const scope of container.children('scopeSpans')) for (const node of scope.children('spans')) node.all()
        }
        new WireNode(given, layout).all()
      } catch (error) {
        if (!(error instanceof OtlpProblem)) throw error
      }
    }
  }
  for (let length = 0; length < bytes.length; length++) read(bytes.subarray(0, length))
  for (let index = 0; index < bytes.length; index++)
    for (const value of [0, 0x7f, 0x80, 0xff]) {
      const changed = Buffer.from(bytes)
      changed[index] = value
      read(changed)
    }
  t.pass()
})

t.test('keys of the prototype are ordinary keys', async t => {
  const { attributesOf } = await import('../../../plugins/telemetry/otlp/node.ts')
  const own = attributesOf([{ key: '__proto__', value: { stringValue: 'x' } }])
  t.ok(Object.hasOwn(own, '__proto__'))
  t.equal(Object.getPrototypeOf(own), Object.prototype)
})
