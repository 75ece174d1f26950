/** Slots of a provider and their queue. */
import t from 'tap'
import { Slots, UNLIMITED, type Slot } from '../../../plugins/llm/capacity/slots.ts'

const settings = { slots: 2, queue: 2, queueTimeoutMs: 60_000, full: 'overloaded', loadFactor: 3 } as const
const never = (): AbortSignal => new AbortController().signal

t.test('generations wait in order of arrival, and the others are refused [LLMN-54]', async t => {
  const slots = new Slots(settings)
  const first = slots.enter('m', never) as Slot
  const second = slots.enter('m', never) as Slot
  t.match([first.running, first.factor, second.running, second.factor], [1, 1, 2, 3])
  const order: string[] = []
  const third = (slots.enter('m', never) as Promise<Slot>).then(slot => (order.push('third'), slot))
  const fourth = (slots.enter('m', never) as Promise<Slot>).then(slot => (order.push('fourth'), slot))
  t.throws(() => slots.enter('m', never), { message: 'no capacity', retryAfterSecs: 1 })
  t.same([slots.running, slots.waiting], [2, 2])
  second.release()
  second.release()
  t.same([slots.running, slots.waiting], [2, 1], 'released once')
  first.release()
  await Promise.all([third, fourth])
  t.same(order, ['third', 'fourth'])
})

t.test('a client that disconnects gives up its place in the queue [LLMN-54]', async t => {
  const slots = new Slots({ ...settings, slots: 1, queue: 1 })
  const first = slots.enter('m', never) as Slot
  const client = new AbortController()
  const waiting = slots.enter('m', () => client.signal) as Promise<Slot | null>
  client.abort()
  t.equal(await waiting, null)
  t.equal(slots.waiting, 0)
  t.equal(await slots.enter('m', () => AbortSignal.abort()), null, 'or has left before')
  t.equal(slots.waiting, 0)
  first.release()
  t.equal(slots.running, 0)
})

t.test('a refusal names the time until the earliest slot is planned to be free [LLMN-54]', async t => {
  const slots = new Slots({ ...settings, queue: 0 })
  const [one, two] = [slots.enter('m', never) as Slot, slots.enter('m', never) as Slot]
  t.equal(slots.refusal().retryAfterSecs, 1, 'not planned yet')
  one.plannedEndAt = performance.now() + 90_000
  two.plannedEndAt = performance.now() + 4500
  t.equal(slots.refusal().retryAfterSecs, 5)
  two.plannedEndAt = performance.now() + 900_000
  t.equal(slots.refusal().retryAfterSecs, 60)
})

t.test('a request that waits too long is refused [LLMN-54]', async t => {
  const slots = new Slots({ ...settings, slots: 1, queueTimeoutMs: 1 })
  slots.enter('m', never)
  await t.rejects(slots.enter('m', never) as Promise<Slot>, { message: 'no capacity' })
  t.equal(slots.waiting, 0)
})

t.test('without slots all run at once', async t => {
  const slots = new Slots(UNLIMITED)
  const all = Array.from({ length: 50 }, () => slots.enter('m', never) as Slot)
  t.ok(all.every(({ factor }) => factor === 1))
  all[0]!.tokens = 30
  all[1]!.tokens = 12
  t.same([slots.running, slots.tokens], [50, 42])
})
