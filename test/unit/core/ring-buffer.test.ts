/** The ring buffer: bounds of count, bytes and age, and lookups. */
import t from 'tap'
import { RingBuffer } from '../../../core/collections/ring-buffer.ts'

const all = (): boolean => true

t.test('the newest values are kept, within count and bytes', async t => {
  const ring = new RingBuffer<string>({ maxCount: 3, maxBytes: 10, sizeOf: text => text.length })
  for (const text of ['a', 'b', 'c', 'd']) ring.add(text)
  t.strictSame([ring.newest(9, all), ring.size, ring.total, ring.capacity], [['d', 'c', 'b'], 3, 4, 3])
  ring.add('eight...')
  t.strictSame(ring.newest(9, all), ['eight...', 'd', 'c'], 'ten bytes fit')
  ring.add('x')
  t.strictSame(ring.newest(9, all), ['x', 'eight...', 'd'], 'the count goes first')
  ring.add('yy')
  t.strictSame(ring.newest(9, all), ['yy', 'x'], 'and then the bytes')
  ring.add('a text of many bytes')
  t.strictSame([ring.newest(9, all), ring.size], [['a text of many bytes'], 1], 'the newest stays, whatever its size')
})

t.test('lookups: the newest match, by sequence number, all after one', async t => {
  const ring = new RingBuffer<number>({ maxCount: 4 })
  t.strictSame(
    [ring.find(all), ring.newest(9, all), ring.since(0, all), ring.at(0), ring.clear(all)],
    [undefined, [], [], undefined, 0],
    'an empty one has nothing',
  )
  for (let value = 1; value <= 6; value++) t.equal(ring.add(value * 10).sequence, value)
  t.strictSame(
    ring.find(value => value < 50),
    { sequence: 4, value: 40 },
  )
  t.strictSame(
    [ring.at(2), ring.at(3), ring.at(7)],
    [undefined, 30, undefined],
    'the second is gone, the seventh yet to come',
  )
  t.strictSame(
    ring.newest(2, value => value !== 50),
    [60, 40],
  )
  t.strictSame([ring.since(0, all), ring.since(4, value => value !== 50)], [[3, 4, 5, 6], [6]])
  t.equal(
    ring.clear(value => value === 40 || value === 60),
    2,
  )
  t.strictSame([ring.newest(9, all), ring.size], [[50, 30], 2])
  for (let value = 7; value <= 9; value++) ring.add(value * 10)
  t.strictSame(
    [ring.newest(9, all), ring.size],
    [[90, 80, 70], 3],
    'a removed value leaves a gap until its slot is reused',
  )
  ring.add(100)
  t.strictSame([ring.newest(9, all), ring.clear(all), ring.size, ring.newest(9, all)], [[100, 90, 80, 70], 4, 0, []])
})

t.test('expired values are not returned', async t => {
  let now = 1000
  const ring = new RingBuffer<string>({
    maxCount: 3,
    maxBytes: 99,
    sizeOf: text => text.length,
    ttlMs: 100,
    now: () => now,
  })
  ring.add('old')
  now = 1050
  ring.add('new')
  now = 1099
  t.strictSame(ring.newest(9, all), ['new', 'old'])
  now = 1100
  t.strictSame(
    [ring.newest(9, all), ring.find(text => text === 'old'), ring.since(0, all), ring.size],
    [['new'], undefined, [2], 1],
  )
  now = 2000
  t.strictSame([ring.size, ring.newest(9, all)], [0, []])
  ring.add('next')
  now = 1990
  t.strictSame(ring.newest(9, all), ['next'], 'a clock that goes back makes nothing older')
})

t.test('invalid bounds are rejected', async t => {
  t.throws(() => new RingBuffer({ maxCount: 0 }), { message: /at least 1/ })
  t.throws(() => new RingBuffer({ maxCount: Number.NaN }), { message: /at least 1/ })
  t.throws(() => new RingBuffer({ maxCount: 1, maxBytes: 1 }), { message: /sizeOf/ })
})
