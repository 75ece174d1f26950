/** The common bound of unsent bytes, without connections. */
import t from 'tap'
import { UnsentMemory, type UnsentShare } from '../../../core/limits/unsent-memory.ts'
import { TurnedClock } from '../../support/stream-server.ts'

const KIB = 1024
const MIB = 1024 * KIB

function memoryOf(bounds: { client?: number; total?: number }) {
  const clock = new TurnedClock()
  const memory = new UnsentMemory(
    {
      unsentStreamBytes: 256 * KIB,
      unsentClientBytes: bounds.client ?? 4 * MIB,
      unsentTotalBytes: bounds.total ?? 64 * MIB,
    },
    clock,
  )
  const ended: string[] = []
  const open = (name: string, address = 'a'): UnsentShare =>
    memory.open(address, { cutOff: () => void ended.push(name) })
  return { clock, memory, ended, open }
}

t.test('a stream is full above its bound, and overflows when its writer never waits [UNSENT-1]', async t => {
  const { memory, ended, open } = memoryOf({})
  const share = open('one')
  share.set(256 * KIB, false)
  t.notOk(share.isFull)
  share.set(256 * KIB + 1, false)
  t.ok(share.isFull)
  t.notOk(share.isOverflowing)
  share.set(16 * MIB + 1, false)
  t.ok(share.isOverflowing)
  t.equal(memory.unsent, 16 * MIB + 1)
  share.release()
  t.equal(memory.unsent, 0)
  t.strictSame(ended, [])
})

t.test('above the total, the stream that has sent nothing for the longest time ends alone [UNSENT-2]', async t => {
  const { clock, memory, ended, open } = memoryOf({ total: 10 * MIB })
  const [slow, reader, last] = [open('slow', 'a'), open('reader', 'b'), open('last', 'c')]
  slow.set(4 * MIB, false)
  reader.set(4 * MIB, false)
  clock.advance(10)
  slow.set(5 * MIB, false)
  reader.set(3 * MIB, true)
  reader.set(4 * MIB, false)
  last.set(2 * MIB, false)
  t.strictSame(ended, ['slow'])
  t.equal(memory.unsent, 6 * MIB)
})

t.test('what a stream that was ended reports later does not count [UNSENT-2]', async t => {
  const { memory, ended, open } = memoryOf({ total: MIB })
  const share = open('one')
  share.set(2 * MIB, false)
  t.strictSame(ended, ['one'])
  share.set(3 * MIB, false)
  share.set(1, true)
  share.release()
  t.equal(memory.unsent, 0)
})

t.test('above the bound of a client, only streams that are hardly read end [UNSENT-3]', async t => {
  const { clock, ended, open } = memoryOf({})
  const [stuck, read, other] = [open('stuck'), open('read'), open('other', 'b')]
  stuck.set(3 * MIB, false)
  read.set(2 * MIB, false)
  other.set(4 * MIB, false)
  clock.advance(500)
  t.strictSame(ended, [], 'a burst')
  // 3 MiB take 24 s at the slowest rate.
  for (let second = 0; second < 20; second++) {
    clock.advance(1000)
    read.set(2 * MIB, true)
  }
  t.strictSame(ended, [])
  for (let second = 0; second < 6; second++) {
    clock.advance(1000)
    read.set(2 * MIB, true)
  }
  t.strictSame(ended, ['stuck'])
  clock.advance(60_000)
  t.strictSame(ended, ['stuck'], 'below the bound everybody may be slow')
  t.equal(clock.alarms, 0)
})

t.test('the slowest of many streams that nobody reads end [UNSENT-3]', async t => {
  const { clock, memory, ended, open } = memoryOf({})
  for (let index = 0; index < 20; index++) {
    open(String(index)).set(256 * KIB, false)
    clock.advance(1)
  }
  clock.advance(10_000)
  t.strictSame(ended, ['0', '1', '2', '3'])
  t.equal(memory.unsent, 4 * MIB)
})

t.test('a client may be far above its bound for a moment, until all memory is used [UNSENT-3]', async t => {
  const { ended, open } = memoryOf({})
  open('large').set(33 * MIB, false)
  t.strictSame(ended, [])
  open('next').set(MIB, false)
  t.strictSame(ended, [])
  open('third').set(31 * MIB, false)
  t.strictSame(ended, ['large'])
})

t.test('streams are measured before one of them is ended [UNSENT-2]', async t => {
  const { clock, ended, open, memory } = memoryOf({ total: 4 * MIB })
  const drained = memory.open('b', { cutOff: () => void ended.push('drained'), measure: () => drained.set(0, true) })
  drained.set(3 * MIB, false)
  clock.advance(10)
  open('new').set(2 * MIB, false)
  t.strictSame(ended, [])
  t.equal(memory.unsent, 2 * MIB)
})

t.test('a stream that is not read is ended for others [UNSENT-4]', async t => {
  const { clock, memory, ended, open } = memoryOf({})
  open('large').set(16 * MIB, false)
  t.notOk(memory.endSlowest(), 'it has just begun')
  clock.advance(1000)
  open('young').set(16 * MIB, false)
  t.ok(memory.endSlowest())
  t.notOk(memory.endSlowest())
  t.strictSame(ended, ['large'])
})
